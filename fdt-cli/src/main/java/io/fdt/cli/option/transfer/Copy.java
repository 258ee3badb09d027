package io.fdt.cli.option.transfer;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.client.TransferRequest;
import java.util.Optional;

/**
 * The copy of a command line. Immutable.
 *
 * @param server the remote server; between two servers, that of the destination
 * @param source the server of the source; empty unless the copy is between two servers
 * @param detach whether the servers go on without this command
 */
public record Copy(
    ServerAddress server,
    TransferRequest request,
    ClientAccess access,
    Optional<Server> source,
    FilterNames filters,
    CopyOutput output,
    boolean detach) {
  /** A server, and how to reach it. */
  public record Server(ServerAddress address, ClientAccess access) {}

  /** Whether no message may stand on standard output. */
  public boolean usesStandardOutput() {
    return request.output().isPresent() || output.usesStandardOutput();
  }

  /** The same with another request. */
  public Copy with(TransferRequest other) {
    return new Copy(server, other, access, source, filters, output, detach);
  }

  /** The same with another output. */
  public Copy with(CopyOutput other) {
    return new Copy(server, request, access, source, filters, other, detach);
  }

  /** The same with another access to its servers. */
  public Copy with(ClientAccess other, Optional<Server> otherSource) {
    return new Copy(server, request, other, otherSource, filters, output, detach);
  }
}
