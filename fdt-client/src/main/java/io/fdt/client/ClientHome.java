package io.fdt.client;

import java.nio.file.Path;
import java.util.Map;

/** Where the programs of a user keep identity, tokens and known servers. Pure. */
public final class ClientHome {
  private ClientHome() {}

  /** FDT_HOME, or else fdt in the configuration directory of the user. */
  public static Path of(Map<String, String> environment, String userHome) {
    String home = environment.getOrDefault("FDT_HOME", "");
    if (!home.isEmpty()) {
      return Path.of(home);
    }
    String configuration = environment.getOrDefault("XDG_CONFIG_HOME", "");
    Path base =
        configuration.startsWith("/") ? Path.of(configuration) : Path.of(userHome, ".config");
    return base.resolve("fdt");
  }
}
