package io.fdt.core.node;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Asks a server whether data can go over UDP. Stateless. */
public final class UdpReach {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private UdpReach() {}

  /** Why a session cannot be with a server that takes no UDP; empty where it can. */
  static Optional<FdtException> refusal(Dialer dialer) {
    return dialer.node().dialsServersOverUdp()
        ? Optional.of(
            new FdtException(
                ErrorCode.UNREACHABLE,
                dialer.host()
                    + " takes no data over UDP: leave out --transport, or have its administrator"
                    + " start it without --no-udp"))
        : Optional.empty();
  }

  /**
   * Asks the first address of a server. Blocks: not for an event loop.
   *
   * @return how long two round trips took
   * @throws FdtException UNREACHABLE when it does not answer within a second
   */
  public static Duration ask(Dialer dialer) throws FdtException, InterruptedException {
    Node node = dialer.node();
    InetSocketAddress server = node.addresses(dialer.host(), dialer.port()).get(0);
    dialer.rule().check(server.getAddress());
    Transport udp = Node.UDT.create(node.loops(), node.allocator(), PATIENCE);
    long start = System.nanoTime();
    CompletableFuture<DataConnection> answer = udp.dialData(server);
    try {
      answer.get().close();
      return Duration.ofNanos(System.nanoTime() - start);
    } catch (ExecutionException e) {
      FdtException failure = Dialer.asFdtException(e.getCause());
      throw failure.code() == ErrorCode.UNREACHABLE
          ? failure
          : new FdtException(ErrorCode.UNREACHABLE, failure.getMessage(), failure);
    }
  }
}
