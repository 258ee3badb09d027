package io.fdt.cli.option;

import java.nio.file.Path;
import java.util.Map;

/** Where the command keeps identity, tokens and known hosts of its user. Pure. */
public final class FdtHome {
  private FdtHome() {}

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
