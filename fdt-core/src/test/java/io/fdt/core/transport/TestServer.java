package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.awaitility.Awaitility;

/** A listening transport with one session, on a free port, and all memory that it takes. */
public final class TestServer implements Acceptor, AutoCloseable {
  public static final SessionId SESSION = new SessionId(1, 2);
  public static final byte[] SECRET =
      "a secret of whatever length".getBytes(StandardCharsets.US_ASCII);
  public static final StreamSettings SETTINGS = new StreamSettings(1 << 20, 0);

  static final Identity IDENTITY = Identity.generate();
  static final ServerTls TLS = new ServerTls(IDENTITY, List.of());
  static final ClientTls CLIENT_TLS = new ClientTls(List.of(), Optional.empty());

  private final EventLoops loops;
  private final Function<ControlConnection, ControlConnection.Handler> controls;
  private final Function<DataStream, DataStream.Handler> streams;
  private final Transport transport;
  private final Transport.Listener listener;
  public final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  /** Joins are decided on when this is complete. */
  public volatile CompletableFuture<Void> beforeJoins = CompletableFuture.completedFuture(null);

  /** Joins that were read and wait, or waited, for {@link #beforeJoins}. */
  public final AtomicInteger joinsRead = new AtomicInteger();

  /** What joins are told instead of getting a place. */
  public volatile FdtException refusal;

  /** What every connection is told. */
  public volatile Optional<ErrorCode> notTaken = Optional.empty();

  /** Whether peers of control connections are known at once. */
  public volatile boolean knowsPeers = true;

  /** What peers were told that were not taken. */
  public final Queue<ErrorCode> refused = new ConcurrentLinkedQueue<>();

  public final Queue<ControlConnection> connections = new ConcurrentLinkedQueue<>();

  /** For each stream that was joined whether it was encrypted. */
  public final Map<Integer, Boolean> joined = new ConcurrentHashMap<>();

  /** Places that had no stream. */
  public final AtomicInteger givenBack = new AtomicInteger();

  /**
   * @param handshakeDeadline for peers, and of the transport for what it dials
   */
  public TestServer(
      Transport.Factory factory,
      Duration handshakeDeadline,
      Function<ControlConnection, ControlConnection.Handler> controls,
      Function<DataStream, DataStream.Handler> streams)
      throws FdtException {
    this(factory, handshakeDeadline, CompletableFuture.completedFuture(TLS), controls, streams);
  }

  /** One with event loops of its own choice, which it closes. */
  public TestServer(
      EventLoops loops,
      Transport.Factory factory,
      Duration handshakeDeadline,
      Function<ControlConnection, ControlConnection.Handler> controls,
      Function<DataStream, DataStream.Handler> streams)
      throws FdtException {
    this(
        loops,
        factory,
        handshakeDeadline,
        CompletableFuture.completedFuture(TLS),
        controls,
        streams);
  }

  /**
   * @param tls may become complete later
   */
  public TestServer(
      Transport.Factory factory,
      Duration handshakeDeadline,
      CompletableFuture<ServerTls> tls,
      Function<ControlConnection, ControlConnection.Handler> controls,
      Function<DataStream, DataStream.Handler> streams)
      throws FdtException {
    this(new EventLoops("test-server"), factory, handshakeDeadline, tls, controls, streams);
  }

  private TestServer(
      EventLoops loops,
      Transport.Factory factory,
      Duration handshakeDeadline,
      CompletableFuture<ServerTls> tls,
      Function<ControlConnection, ControlConnection.Handler> controls,
      Function<DataStream, DataStream.Handler> streams)
      throws FdtException {
    this.loops = loops;
    this.controls = controls;
    this.streams = streams;
    this.transport = factory.create(loops, allocator, handshakeDeadline);
    this.listener =
        transport.listen(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new ListenSettings(tls, 512, handshakeDeadline),
            this);
  }

  /** Opens a control connection to any server, and trusts it. */
  public static CompletableFuture<ControlConnection> connect(
      Transport client,
      EventLoop loop,
      InetSocketAddress address,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    return client
        .dialControl(loop, address, CLIENT_TLS, "localhost", roundTrip -> {}, handlers)
        .thenApply(
            secured -> {
              secured.begin().run();
              return secured.control();
            });
  }

  public InetSocketAddress address() {
    return listener.address();
  }

  public Transport.Listener listener() {
    return listener;
  }

  public Transport transport() {
    return transport;
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
    if (knowsPeers) {
      connection.peerIsKnown();
    }
    ControlConnection.Handler handler = controls.apply(connection);
    connections.add(connection);
    return handler;
  }

  @Override
  public CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
    joinsRead.incrementAndGet();
    return beforeJoins;
  }

  @Override
  public StreamSlot join(Join join, String peer, boolean encrypted) throws FdtException {
    if (refusal != null) {
      throw refusal;
    }
    if (!join.session().equals(SESSION)
        || !join.isProvenBy(SECRET)
        || joined.putIfAbsent(join.stream(), encrypted) != null) {
      throw new FdtException(ErrorCode.FORBIDDEN, "no such session");
    }
    return new StreamSlot(SETTINGS, streams, givenBack::incrementAndGet);
  }

  /** Closes everything, and checks that no buffer is left. */
  @Override
  public void close() {
    listener.close();
    loops.close();
    awaitEmpty(allocator);
  }

  /** Fails unless all memory of the allocator is given back soon. */
  public static void awaitEmpty(UnpooledByteBufAllocator allocator) {
    Awaitility.await("memory given back")
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(allocator.metric().usedDirectMemory()).isZero();
              assertThat(allocator.metric().usedHeapMemory()).isZero();
            });
  }
}
