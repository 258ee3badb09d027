package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The units of systemd, and how the programs that they start end. */
class UnitsTest {
  private static final Path DIST = Path.of("../dist").toAbsolutePath().normalize();

  @RegisterExtension final Lab lab = Lab.ofProcesses();

  private static List<String> unit(String name) throws IOException {
    return Files.readAllLines(DIST.resolve(name + ".service"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"fdt", "fdt-service"})
  void systemdTakesTheUnit(String name) throws IOException {
    Programs.require("systemd-analyze");
    Path unit = lab.root().resolve(name + ".service");
    Files.write(
        unit,
        unit(name).stream().map(l -> l.replace("/usr/local/lib/fdt/fdt", "/bin/sh")).toList());

    Outcome outcome =
        lab.startProgram(List.of("systemd-analyze", "verify", unit.toString())).end().expect(0);

    assertThat(outcome.out() + outcome.err()).doesNotContain(name + ".service");
  }

  @Test
  void theServiceHasTheRightsOfTheServer() throws IOException {
    assertThat(rights("fdt-service")).isEqualTo(rights("fdt")).hasSizeGreaterThan(20);
  }

  private static List<String> rights(String name) throws IOException {
    List<String> lines = unit(name);
    return lines.subList(lines.indexOf("ProtectSystem=strict"), lines.size()).stream()
        .filter(line -> line.contains("=") && !line.startsWith("#"))
        .toList();
  }

  /** systemd would start it again every five seconds. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "serve --config missing.conf",
        "serve --config bad.conf",
        "serve --tls-cert missing.pem --tls-key missing.pem .",
        "serve --port 0 --bind 203.0.113.9 .",
        "service --no-such option",
        "service --port many"
      })
  void aMistakeInSettingsIsNotRepeated(String words) throws IOException {
    Files.writeString(lab.root().resolve("bad.conf"), "max-sessions = many\n");
    boolean isService = words.startsWith("service");
    Outcome outcome =
        isService
            ? lab.runJava(
                List.of(
                    "-cp",
                    System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"))),
                List.of("io.fdt.service.ServiceMain", words.split(" ")[1], words.split(" ")[2]))
            : lab.runProcess(lab.root(), words.split(" "));

    String statuses =
        unit(isService ? "fdt-service" : "fdt").stream()
            .filter(line -> line.startsWith("RestartPreventExitStatus="))
            .findFirst()
            .orElseThrow();
    assertThat(Arrays.asList(statuses.split("[= ]"))).contains(String.valueOf(outcome.status()));
    assertThat(outcome.err()).startsWith("fdt: ");
  }
}
