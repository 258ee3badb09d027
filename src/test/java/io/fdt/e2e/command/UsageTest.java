package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines that make no sense, and the ones that only ask. */
class UsageTest {
  @RegisterExtension final Lab lab = new Lab();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-c h -foo x",
        "-c h -P 0 x",
        "-c h -P seven x",
        "-c h -bs 1T x",
        "-c h",
        "-d x y",
        "copy a b",
        "copy h:a g:b x",
        "serve --export a --export b/a",
        "frobnicate",
      })
  void senselessLinesAreUsageErrorsOfOneLine(String line) {
    Outcome outcome = lab.run(lab.root(), line.split(" ")).expect(2);

    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err().lines()).singleElement().asString().startsWith("fdt: ");
  }

  @Test
  void helpShowsBothSpellingsAndVersionTheVersion() {
    Outcome help = lab.run(lab.root(), "--help").expect(0);
    Outcome version = lab.runProcess(lab.root(), "-V").expect(0);

    assertThat(help.out()).contains("-c storage1", "copy -r storage1:", "-P", "Exit status");
    assertThat(help.err()).isEmpty();
    assertThat(version.out())
        .matches(
            "fdt \\d+\\.\\d+\\.\\d+\\S* \\(Java \\S+, revision \\S+,"
                + " epoll (not )?usable, BoringSSL (not )?usable\\)\n");
  }
}
