package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** What the built jar says of itself. */
class JarManifestTest {
  @Test
  void manifestNamesTheCommandAndWhatTheJvmMustAllow() throws IOException {
    try (JarFile jar = new JarFile(System.getProperty("fdt.jar"))) {
      Attributes attributes = jar.getManifest().getMainAttributes();
      assertThat(attributes.getValue("Main-Class")).isEqualTo("io.fdt.cli.Launcher");
      assertThat(attributes.getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
      assertThat(attributes.getValue("Multi-Release")).isEqualTo("true");
      assertThat(attributes.getValue("Implementation-Version")).matches("\\d+\\.\\d+\\.\\d+.*");
    }
  }
}
