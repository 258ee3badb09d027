package io.fdt.core.node;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Checks whether a server is reachable over UDP. Stateless. */
public final class UdpReach {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private UdpReach() {}

  /** Why a session needs another transport than UDP; empty when UDP works. */
  static Optional<FdtException> refusal(Dialer dialer) {
    return dialer.node().dialsServersOverUdp()
        ? Optional.of(
            new FdtException(
                ErrorCode.UNREACHABLE,
                dialer.host()
                    + " accepts no data over UDP: leave out "
                    + Setting.DATA_TRANSPORT
                    + ", or have its administrator start it without "
                    + Setting.WITHOUT_UDP))
        : Optional.empty();
  }

  /**
   * Probes the addresses of a server, until one answers. Blocks: not for an event loop.
   *
   * @param factory of a transport with data over UDP
   * @return the time of two round trips
   * @throws FdtException UNREACHABLE when none of them answers within a second
   */
  public static Duration ask(Dialer dialer, Transport.Factory factory)
      throws FdtException, InterruptedException {
    return ask(dialer, factory, PATIENCE);
  }

  /** Probes as {@link #ask(Dialer, Transport.Factory)}, with another time for each address. */
  static Duration ask(Dialer dialer, Transport.Factory factory, Duration patience)
      throws FdtException, InterruptedException {
    Node node = dialer.node();
    Transport udp = factory.create(node.loops(), node.allocator(), patience);
    try {
      AddressRace.Won<Answer> won =
          dialer.race(
              node.loops().next(), address -> answer(udp, address), late -> late.line().close());
      won.value().line().close();
      return won.value().delay();
    } catch (FdtException e) {
      throw e.code() == ErrorCode.UNREACHABLE
          ? e
          : new FdtException(ErrorCode.UNREACHABLE, e.getMessage(), e);
    }
  }

  private record Answer(DataConnection line, Duration delay) {}

  private static CompletableFuture<Answer> answer(Transport udp, InetSocketAddress server) {
    long start = System.nanoTime();
    return udp.dialData(server)
        .thenApply(line -> new Answer(line, Duration.ofNanos(System.nanoTime() - start)));
  }
}
