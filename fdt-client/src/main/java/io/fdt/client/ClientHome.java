package io.fdt.client;

import java.nio.file.Path;
import java.util.Map;

/** The user's directory for identity, tokens and known servers. Pure. */
public final class ClientHome {
  /** Debian's entry for users without a home. */
  private static final String NONE = "/nonexistent";

  private ClientHome() {}

  /**
   * The user's home: HOME, as for shells and other programs. Java reads the user database instead,
   * and returns "?" for a user who is not listed there, as in many containers: such a user has no
   * home, and nothing can be stored.
   *
   * @param javaHome the value of {@code user.home}
   */
  public static String ofUser(Map<String, String> environment, String javaHome) {
    String home = environment.getOrDefault("HOME", "");
    if (Path.of(home).isAbsolute()) {
      return home;
    }
    return Path.of(javaHome).isAbsolute() ? javaHome : NONE;
  }

  /** FDT_HOME, or else fdt in the user's configuration directory. */
  public static Path of(Map<String, String> environment, String userHome) {
    String home = environment.getOrDefault("FDT_HOME", "");
    if (!home.isEmpty()) {
      return Path.of(home);
    }
    String configuration = environment.getOrDefault("XDG_CONFIG_HOME", "");
    Path base =
        Path.of(configuration).isAbsolute() ? Path.of(configuration) : Path.of(userHome, ".config");
    return base.resolve("fdt");
  }
}
