package io.fdt.cli.option;

import io.fdt.client.ClientHome;
import java.nio.file.Path;
import java.util.Map;

/** Where the command keeps identity, tokens and known hosts of its user. Pure. */
public final class FdtHome {
  private FdtHome() {}

  /** FDT_HOME, or else fdt in the configuration directory of the user. */
  public static Path of(Map<String, String> environment, String userHome) {
    return ClientHome.of(environment, userHome);
  }
}
