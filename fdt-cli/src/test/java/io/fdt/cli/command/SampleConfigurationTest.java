package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.option.parse.Setting;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.serve.ServeRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The file of settings that comes with a server: it works as it is, and has all that there is. */
class SampleConfigurationTest {
  private static final Path SAMPLE = Path.of("../dist/fdt.conf");

  @Test
  void worksAsItIs() throws Exception {
    ServeRun serve = serve(Files.readString(SAMPLE));

    assertThat(serve.exports())
        .singleElement()
        .satisfies(export -> assertThat(export.name()).hasToString("data"));
    assertThat(serve.access().anonymous()).isEmpty();
  }

  @Test
  void worksWithEverySettingThatIsBehindASign() throws Exception {
    String all = Files.readString(SAMPLE).replaceAll("(?m)^#(?=[a-z-]+ = )", "");

    assertThat(serve(all).port()).isEqualTo(54321);
  }

  @Test
  void hasEverySettingThatThereIs() throws IOException {
    Set<String> named = new TreeSet<>();
    Matcher line = Pattern.compile("(?m)^#?([a-z-]+) = ").matcher(Files.readString(SAMPLE));
    while (line.find()) {
      named.add(line.group(1));
    }

    assertThat(named)
        .containsExactlyInAnyOrderElementsOf(
            Setting.settable(ServeCommand.spec()).stream()
                .map(Setting::longestName)
                .filter(name -> !name.equals("config"))
                .toList());
  }

  private static ServeRun serve(String content) throws UsageException {
    Surroundings surroundings = new GivenSurroundings(Map.of("sample", content), Map.of());
    return (ServeRun)
        Subcommands.parse(List.of("serve", "--config", "sample"), surroundings).command();
  }
}
