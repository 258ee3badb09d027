package io.fdt.e2e;

import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.ForwardingTransport;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.Join;
import io.fdt.udt.transport.LossyForwarder;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * A client's transport to a server that seems far: TCP goes through a network of the test, and its
 * streams say what the system says of a path of 20 ms with losses, which loopback has not. UDP goes
 * through forwarders.
 */
public final class FarTransport extends ForwardingTransport implements AutoCloseable {
  private static final long ROUND_TRIP_MICROS = 20_000;
  private static final int SEGMENT = 1448;

  private final Transport inner;
  private final int tcpPort;
  private volatile long mostUdpData = Long.MAX_VALUE;
  private volatile long cutAfter = Long.MAX_VALUE;
  private final List<LossyForwarder> forwarders = new CopyOnWriteArrayList<>();

  /**
   * @param inner that goes over both
   * @param tcpPort where data streams over TCP find the server
   */
  public FarTransport(Transport inner, int tcpPort) {
    super(inner);
    this.inner = inner;
    this.tcpPort = tcpPort;
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    return super.dialData(at(tcpPort)).thenApply(FarConnection::new);
  }

  @Override
  public Optional<DataDialer> udp() {
    return inner.udp().map(udp -> peer -> forwarded(udp, peer));
  }

  private CompletableFuture<DataConnection> forwarded(DataDialer udp, InetSocketAddress peer) {
    try {
      LossyForwarder forwarder = new LossyForwarder(peer.getPort(), 0, 42);
      forwarder.dropDataAfter(mostUdpData);
      forwarder.cutWhen(this::udpIsCut);
      forwarders.add(forwarder);
      return udp.dialData(at(forwarder.port()));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Bytes of packets of data that went over UDP. */
  public long udpBytes() {
    return forwarders.stream().mapToLong(LossyForwarder::dataBytes).sum();
  }

  /** Over connections that follow so many bytes of data pass and no more. */
  public void dropUdpDataAfter(long bytes) {
    mostUdpData = bytes;
  }

  /** No packet passes over UDP any more once so many bytes of data have. */
  public void cutUdpAfter(long bytes) {
    cutAfter = bytes;
  }

  public boolean udpIsCut() {
    return udpBytes() >= cutAfter;
  }

  @Override
  public void close() {
    forwarders.forEach(LossyForwarder::close);
  }

  private record FarConnection(DataConnection inner) implements DataConnection {
    @Override
    public CompletableFuture<DataStream> join(
        Join join,
        StreamSettings settings,
        Optional<DataTls> tls,
        boolean waits,
        Function<DataStream, DataStream.Handler> handlers) {
      return inner
          .join(join, settings, tls, waits, stream -> handlers.apply(new FarStream(stream)))
          .thenApply(FarStream::new);
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  /** Equal to each other one of the same stream. */
  private record FarStream(DataStream inner) implements DataStream {
    @Override
    public Optional<PathState> pathState() {
      long segments = inner.wireBytes() / SEGMENT;
      return Optional.of(
          new PathState(
              ROUND_TRIP_MICROS, ROUND_TRIP_MICROS, segments, segments / 100, 0, 0, 0, 0, 0, 0, 0));
    }

    @Override
    public int number() {
      return inner.number();
    }

    @Override
    public String path() {
      return inner.path();
    }

    @Override
    public boolean isWritable() {
      return inner.isWritable();
    }

    @Override
    public void sendAndRelease(ByteBuf frame, Runnable released) {
      inner.sendAndRelease(frame, released);
    }

    @Override
    public void setReading(boolean reading) {
      inner.setReading(reading);
    }

    @Override
    public long wireBytes() {
      return inner.wireBytes();
    }

    @Override
    public long payloadBytes() {
      return inner.payloadBytes();
    }

    @Override
    public long segmentsRepeated() {
      return inner.segmentsRepeated();
    }

    @Override
    public boolean setCongestion(String name) {
      return inner.setCongestion(name);
    }

    @Override
    public void limitUnsent(long bytes) {
      inner.limitUnsent(bytes);
    }

    @Override
    public String congestion() {
      return inner.congestion();
    }

    @Override
    public void close() {
      inner.close();
    }
  }
}
