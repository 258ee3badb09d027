package io.fdt.cli.option.access;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import java.util.Optional;

/**
 * A transfer between two servers, by its name: ID, or fdt://HOST[:PORT]/ID. Immutable.
 *
 * @param server that runs it; empty for a detached transfer of this user
 * @param digits the start of its id
 */
public record SessionName(Optional<ServerAddress> server, String digits) {
  private static final String ID = "[0-9A-Fa-f]{8,32}";

  /**
   * A name, with how to reach its server.
   *
   * @param access the access, with the fingerprint in the name
   */
  public record Reached(SessionName name, ClientAccess access) {}

  /** Reads a name. */
  public static Reached parse(String text, int defaultPort, ClientAccess access)
      throws UsageException {
    if (text.matches(ID)) {
      return new Reached(new SessionName(Optional.empty(), text), access);
    }
    if (Location.parse(text, defaultPort) instanceof Location.Remote remote) {
      String id = remote.path().toString().replaceFirst("^/", "");
      if (id.matches(ID)) {
        return new Reached(
            new SessionName(Optional.of(remote.server()), id), access.withFingerprintOf(remote));
      }
    }
    throw new UsageException(
        "'"
            + text
            + "' names no session: write its id, of 8 to 32 hexadecimal digits, or"
            + " fdt://HOST[:PORT]/ID");
  }
}
