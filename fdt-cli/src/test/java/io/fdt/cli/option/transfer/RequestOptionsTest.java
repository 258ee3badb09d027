package io.fdt.cli.option.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.spec.TransferOption;
import io.fdt.core.spec.TransferOptions;
import io.fdt.core.spec.TransferSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;

/** Options of transfers on a command line. */
class RequestOptionsTest {
  private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");

  private static TransferSpec read(String... words) throws UsageException {
    CommandSpec command = Options.command("fdt test", "");
    Options.transfer(command, TransferOptions.ALL);
    TransferRequest.Builder request = TransferRequest.pull().source("a").destination("b");
    RequestOptions.apply(ParsedLine.parse(command, List.of(words)), NOW, request);
    return request.build().spec();
  }

  @Test
  void withoutOptionsASpecHasTheDefaults() throws Exception {
    assertThat(read()).isEqualTo(TransferSpec.builder().source("a").destination("b").build());
  }

  @Test
  void laterOptionsDecide() throws Exception {
    TransferSpec spec = read("--readers", "3", "-P", "auto", "--congestion", "bbr");

    assertThat(spec.tuning().streams()).isTrue();
    assertThat(spec.tuning().readers()).isFalse();
    assertThat(spec.readersPerDisk()).isEqualTo(3);
    assertThat(spec.tuning().congestion()).isEqualTo("bbr");
  }

  @Test
  void patternsStayInTheirOrder() throws Exception {
    TransferSpec spec =
        read("--include=a\nb", "--exclude", "*.tmp", "--include", "x", "--max-age", "2h");

    assertThat(spec.selection().rules())
        .containsExactly(
            new Selection.Rule(new NamePattern(BytePath.of("a\nb")), true),
            new Selection.Rule(new NamePattern(BytePath.of("*.tmp")), false),
            new Selection.Rule(new NamePattern(BytePath.of("x")), true));
    assertThat(spec.selection().notBefore().seconds())
        .isEqualTo(NOW.minusSeconds(7200).getEpochSecond());
    assertThatThrownBy(() -> read("--exclude=")).hasMessage("--exclude: an empty path");
  }

  @Test
  void flagsAddToWhatIsPreserved() throws Exception {
    TransferSpec spec = read("--no-sparse", "--acls", "--preserve", "times", "--ignore-existing");

    assertThat(spec.preservation().aspects())
        .containsExactly(
            Preservation.Aspect.MODE, Preservation.Aspect.TIMES, Preservation.Aspect.ACLS);
    assertThat(spec.sync().level()).isEqualTo(SyncRule.Level.EXISTS);
  }

  @Test
  void eachNameStandsInTheManual() throws Exception {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("docs/OPTIONS.md"))) {
      directory = directory.getParent();
    }
    String manual = Files.readString(directory.resolve("docs/OPTIONS.md"));
    for (TransferOption<?> option : TransferOptions.ALL) {
      assertThat(option.names()).allSatisfy(name -> assertThat(manual).contains("`" + name));
    }
  }
}
