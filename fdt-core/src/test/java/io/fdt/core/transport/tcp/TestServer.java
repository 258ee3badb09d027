package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.awaitility.Awaitility;

/** A listening transport with one session, on a free port, and all memory that it takes. */
final class TestServer implements TcpServer.Acceptor, AutoCloseable {
  static final SessionId SESSION = new SessionId(1, 2);
  static final byte[] SECRET =
      "a secret of whatever length".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  static final StreamSettings SETTINGS = new StreamSettings(1 << 20, 0);

  private static final ServerTls TLS = new ServerTls(Identity.generate(), List.of());
  private static final ClientTls CLIENT_TLS = new ClientTls(List.of(), Optional.empty());

  private final EventLoops loops = new EventLoops("test-server");
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final Set<Integer> joined = new HashSet<>();
  private final Function<ControlConnection, ControlConnection.Handler> controls;
  private final Function<DataStream, DataStream.Handler> streams;
  private final TcpServer server;

  /** Joins are decided on when this is complete. */
  volatile CompletableFuture<Void> beforeSeats = CompletableFuture.completedFuture(null);

  /** What joins are told instead of getting a place. */
  volatile FdtException refusal;

  /** What every connection is told. */
  volatile Optional<ErrorCode> notTaken = Optional.empty();

  final Queue<ErrorCode> refused = new ConcurrentLinkedQueue<>();

  final Queue<ControlConnection> connections = new ConcurrentLinkedQueue<>();

  TestServer(
      Duration handshakeDeadline,
      Function<ControlConnection, ControlConnection.Handler> controls,
      Function<DataStream, DataStream.Handler> streams)
      throws FdtException {
    this(handshakeDeadline, TLS, controls, streams);
  }

  TestServer(
      Duration handshakeDeadline,
      ServerTls tls,
      Function<ControlConnection, ControlConnection.Handler> controls,
      Function<DataStream, DataStream.Handler> streams)
      throws FdtException {
    this.controls = controls;
    this.streams = streams;
    this.server =
        new TcpServer(
            loops, allocator, CompletableFuture.completedFuture(tls), this, 512, handshakeDeadline);
    server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** Opens a control connection to any server, and trusts it. */
  static CompletableFuture<ControlConnection> connect(
      TcpClient client,
      EventLoop loop,
      InetSocketAddress address,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    return client
        .connectControl(loop, address, CLIENT_TLS, "localhost", roundTrip -> {}, handlers)
        .thenApply(
            secured -> {
              secured.begin().run();
              return secured.control();
            });
  }

  InetSocketAddress address() {
    return server.address();
  }

  @Override
  public Optional<ErrorCode> refusal(InetAddress address) {
    return notTaken;
  }

  @Override
  public void refused(ErrorCode why) {
    refused.add(why);
  }

  @Override
  public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
    connections.add(connection);
    connection.peerIsKnown();
    return controls.apply(connection);
  }

  @Override
  public CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
    return beforeSeats;
  }

  @Override
  public synchronized TcpServer.Seat join(Join join, String peer, boolean encrypted)
      throws FdtException {
    if (!join.session().equals(SESSION) || !join.isProvenBy(SECRET) || !joined.add(join.stream())) {
      throw new FdtException(ErrorCode.FORBIDDEN, "no such session");
    }
    if (refusal != null) {
      throw refusal;
    }
    return new TcpServer.Seat(SETTINGS, streams, () -> {});
  }

  /** How many data streams have had a place. */
  synchronized int seats() {
    return joined.size();
  }

  /** Closes everything, and checks that no buffer is left. */
  @Override
  public void close() {
    server.close();
    loops.close();
    awaitEmpty(allocator);
  }

  static void awaitEmpty(UnpooledByteBufAllocator allocator) {
    Awaitility.await("memory given back")
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () -> {
              assertThat(allocator.metric().usedDirectMemory()).isZero();
              assertThat(allocator.metric().usedHeapMemory()).isZero();
            });
  }
}
