package io.fdt.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where identity, tokens and known hosts are. */
class FdtHomeTest {
  @Test
  void theEnvironmentDecides() {
    assertThat(FdtHome.of(Map.of("FDT_HOME", "/srv/fdt", "XDG_CONFIG_HOME", "/x"), "/home/me"))
        .isEqualTo(Path.of("/srv/fdt"));
    assertThat(FdtHome.of(Map.of("XDG_CONFIG_HOME", "/x"), "/home/me"))
        .isEqualTo(Path.of("/x/fdt"));
    assertThat(FdtHome.of(Map.of(), "/home/me")).isEqualTo(Path.of("/home/me/.config/fdt"));
  }

  @Test
  void aRelativeConfigurationDirectoryIsNoneAsItsSpecificationSays() {
    assertThat(FdtHome.of(Map.of("XDG_CONFIG_HOME", "x", "FDT_HOME", ""), "/home/me"))
        .isEqualTo(Path.of("/home/me/.config/fdt"));
  }
}
