package io.fdt.core.transport;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Join;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.Optional;

/** Takes connections that are to be relayed, and no others. */
public record OnlyRelay(Targets targets) implements Acceptor {
  /** Where connections go on. */
  @FunctionalInterface
  public interface Targets {
    RelayTarget of(Join join) throws FdtException;
  }

  @Override
  public Optional<ErrorCode> refusal(InetAddress address) {
    return Optional.empty();
  }

  @Override
  public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
    throw new AssertionError("no control connection is dialed here");
  }

  @Override
  public StreamSlot join(Join join, String peer, boolean encrypted) {
    throw new AssertionError("no stream is dialed here");
  }

  @Override
  public RelayTarget relay(Join join, String peer) throws FdtException {
    return targets.of(join);
  }
}
