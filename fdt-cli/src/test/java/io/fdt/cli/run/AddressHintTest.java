package io.fdt.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Advice after a port that was written as a path. */
class AddressHintTest {
  private static final Path HERE = Path.of("/nonexistent");
  private static final ServerAddress SERVER = new ServerAddress("host", 54321);

  @Test
  void aPathThatBeginsLikeAPortMayBeOne() {
    assertThat(
            AddressHint.of(
                ErrorCode.UNREACHABLE,
                SERVER,
                List.of(BytePath.of("/a"), BytePath.of("/55002/inc")),
                HERE))
        .contains(
            "'/55002/inc' is a path on host:54321; to name a port write fdt://host:55002/inc");
    assertThat(AddressHint.of(ErrorCode.NOT_FOUND, SERVER, List.of(BytePath.of("/55002")), HERE))
        .contains("'/55002' is a path on host:54321; to name a port write fdt://host:55002/");
  }

  @Test
  void aPortBetweenTwoColonsIsMeantAsOne() {
    assertThat(
            AddressHint.of(
                ErrorCode.UNREACHABLE, SERVER, List.of(BytePath.of("/55002:/inc")), HERE))
        .contains(
            "'/55002:/inc' is a path on host:54321; to name a port write fdt://host:55002/inc");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/a/55002", "/65536", "/0", "/055", "/55002a/b"})
  void otherPathsAreNoPorts(String path) {
    assertThat(AddressHint.of(ErrorCode.UNREACHABLE, SERVER, List.of(BytePath.of(path)), HERE))
        .isEmpty();
  }

  @Test
  void otherFailuresComeFromSomethingElse() {
    assertThat(AddressHint.of(ErrorCode.PERMISSION, SERVER, List.of(BytePath.of("/55002")), HERE))
        .isEmpty();
  }
}
