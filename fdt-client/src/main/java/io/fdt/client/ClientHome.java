package io.fdt.client;

import java.nio.file.Path;
import java.util.Map;

/** Where the programs of a user keep identity, tokens and known servers. Pure. */
public final class ClientHome {
  /** As Debian's user database has it for users without a home. */
  private static final String NONE = "/nonexistent";

  private ClientHome() {}

  /**
   * The directory of the user: HOME, as shells and other programs have it. Java looks into the user
   * database instead, and calls it "?" for a user who is not listed there, as in many containers:
   * such a user has none, and what has to be kept is refused.
   *
   * @param javaHome what Java says
   */
  public static String ofUser(Map<String, String> environment, String javaHome) {
    String home = environment.getOrDefault("HOME", "");
    if (home.startsWith("/")) {
      return home;
    }
    return javaHome.startsWith("/") ? javaHome : NONE;
  }

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
