package io.fdt.cli.output.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.output.Screen;
import io.fdt.client.TransferProgress;
import io.fdt.core.model.TransferFigures;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JsonViewTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final JsonView view =
      new JsonView(
          "{}",
          Optional.empty(),
          Optional.empty(),
          false,
          false,
          new Screen(out, new ByteArrayOutputStream(), false));

  /** The transfer takes a moment to end, and goes on telling meanwhile. */
  @Test
  void progressOfAnInterruptedTransferDoesNotGoBack() {
    view.progress(after(1000));
    view.progress(after(2000));
    view.interrupted(after(1800));

    assertThat(seconds()).containsExactly("1", "2");
  }

  @Test
  void howFarATransferWasThatIsInterruptedIsTold() {
    view.progress(after(1000));
    view.interrupted(after(1800));

    assertThat(seconds()).containsExactly("1", "1.8");
  }

  private List<String> seconds() {
    return out.toString(StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.replaceFirst(".*\"elapsed_seconds\":([0-9.]+).*", "$1"))
        .toList();
  }

  private static TransferProgress after(long millis) {
    return new TransferProgress(
        new TransferFigures(
            new TransferFigures.Files(0, 0, 0, 0, 0, 0, 0),
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            false),
        0,
        Duration.ofMillis(millis),
        Duration.ZERO,
        "");
  }
}
