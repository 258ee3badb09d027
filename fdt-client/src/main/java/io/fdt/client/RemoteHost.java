package io.fdt.client;

import io.fdt.core.model.BytePath;
import io.fdt.core.tuning.HostLimits;
import java.time.Duration;
import java.util.List;

/**
 * A server's description of itself. Immutable.
 *
 * @param software name and version of its program
 * @param roundTrip of a packet, or of a message where the system does not report it
 * @param limits of its host
 * @param exports accessible to this client, at most 1,000
 * @param relays through which it may be reached, at most 16: HOST:PORT, or with the key of the
 *     relay HOST:PORT?fingerprint=SHA256:...
 */
public record RemoteHost(
    String software,
    Duration roundTrip,
    HostLimits limits,
    List<Reachable> exports,
    List<String> relays) {
  /**
   * An export.
   *
   * @param path from the root of the server
   * @param writable whether this client may change anything in it
   */
  public record Reachable(BytePath path, boolean writable) {}

  public RemoteHost {
    exports = List.copyOf(exports);
    relays = List.copyOf(relays);
  }
}
