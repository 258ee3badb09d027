package io.fdt.cli.option.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.ClientHome;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where identity, tokens and known hosts are. */
class ClientHomeTest {
  /** Java says "?" for a user who is not in the user database. */
  @Test
  void theHomeOfTheUserIsThatOfOtherPrograms() {
    assertThat(ClientHome.ofUser(Map.of("HOME", "/scratch/me"), "?")).isEqualTo("/scratch/me");
    assertThat(ClientHome.ofUser(Map.of("HOME", "/scratch/me"), "/home/me"))
        .isEqualTo("/scratch/me");
    assertThat(ClientHome.ofUser(Map.of("HOME", "relative"), "/home/me")).isEqualTo("/home/me");
    assertThat(ClientHome.ofUser(Map.of(), "/home/me")).isEqualTo("/home/me");
  }

  @Test
  void aUserWithoutAHomeHasNoneInTheCurrentDirectory() {
    assertThat(ClientHome.ofUser(Map.of(), "?")).isEqualTo("/nonexistent");
    assertThat(ClientHome.ofUser(Map.of("HOME", ""), "relative")).isEqualTo("/nonexistent");
  }

  @Test
  void theEnvironmentDecides() {
    assertThat(ClientHome.of(Map.of("FDT_HOME", "/srv/fdt", "XDG_CONFIG_HOME", "/x"), "/home/me"))
        .isEqualTo(Path.of("/srv/fdt"));
    assertThat(ClientHome.of(Map.of("XDG_CONFIG_HOME", "/x"), "/home/me"))
        .isEqualTo(Path.of("/x/fdt"));
    assertThat(ClientHome.of(Map.of(), "/home/me")).isEqualTo(Path.of("/home/me/.config/fdt"));
  }

  @Test
  void aRelativeConfigurationDirectoryIsNoneAsItsSpecificationSays() {
    assertThat(ClientHome.of(Map.of("XDG_CONFIG_HOME", "x", "FDT_HOME", ""), "/home/me"))
        .isEqualTo(Path.of("/home/me/.config/fdt"));
  }
}
