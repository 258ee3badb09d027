package io.fdt.core.engine;

import io.fdt.core.compress.Decompressor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.receive.ReceiverPipeline;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.send.SenderPipeline;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/**
 * A send path and a receive path joined through real TCP on a free port. The session's messages and
 * its streams have different event loops at the client and the same one at the server, so that both
 * cases are there.
 */
public final class TestTransfer implements AutoCloseable {
  static final Duration DEADLINE = Duration.ofSeconds(60);
  public static final SessionDeadlines DEADLINES =
      SessionDeadlines.DEFAULT
          .withIdleTimeout(Duration.ofSeconds(20))
          .withRetryTimeout(Duration.ZERO);
  private static final SessionId ID = new SessionId(7, 8);
  private static final byte[] SECRET = {1, 2, 3};
  private static final ServerTls TLS = new ServerTls(Identity.generate(), List.of());

  /** One end: its session, its path, and what it reported. */
  static final class End implements TransferEvents, Session.Listener {
    final Map<String, ErrorCode> problems = new ConcurrentHashMap<>();
    final Map<String, String> digests = new ConcurrentHashMap<>();
    final CompletableFuture<Optional<FdtException>> ended = new CompletableFuture<>();
    private final List<Runnable> early = new ArrayList<>();
    private boolean begun;
    private volatile boolean over;
    private volatile boolean diesBeforeFinished;
    private final CompletableFuture<Void> limitTold = new CompletableFuture<>();
    private ControlConnection connection;
    private EventLoop eventLoop;
    private Session session;
    private DataPath path;

    Session session() {
      return session;
    }

    private void begin() {
      session.start(path);
      begun = true;
      early.forEach(Runnable::run);
    }

    /** Its connection breaks just before it says that all is finished. */
    void dieBeforeFinished() {
      diesBeforeFinished = true;
    }

    private void say(Control.Builder message) {
      if (message.hasRateLimit()) {
        limitTold.complete(null);
      }
      if (diesBeforeFinished && message.hasFinished()) {
        connection.close();
      } else {
        session.send(message);
      }
    }

    public DataPath path() {
      return path;
    }

    @Override
    public void problem(String name, boolean skipped, ErrorCode code, String message) {
      problems.put(name.isEmpty() ? message : name, code);
    }

    @Override
    public void fileDone(Supplier<String> name, long size, boolean resumed, byte[] digest) {
      digests.put(name.get(), HexFormat.of().formatHex(digest));
    }

    @Override
    public void finished() {
      over = true;
      session.finish();
    }

    @Override
    public void failed(FdtException cause) {
      over = true;
      session.abort(cause);
    }

    @Override
    public void notice(String message) {
      problems.put(message, ErrorCode.INTERNAL);
    }

    @Override
    public void detached(Session ignored, FdtException cause) {
      session.abort(cause);
    }

    @Override
    public void ended(Session ignored, FdtException failure) {
      ended.complete(Optional.ofNullable(failure));
    }

    /** Runs something on its event loop, and waits for it. */
    void onLoop(Runnable task) throws Exception {
      eventLoop.submit(task).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    FdtException end() throws Exception {
      return ended.get(DEADLINE.toSeconds(), TimeUnit.SECONDS).orElse(null);
    }
  }

  private interface PathMaker {
    DataPath make(End end, SessionLoop loop, String name);
  }

  public final End sender = new End();
  public final End receiver = new End();
  final Map<Integer, DataStream> streams = new ConcurrentHashMap<>();

  /** Of the client, those that have ended too. */
  final List<DataStream> all = new CopyOnWriteArrayList<>();

  private final TransferSpec spec;
  private final SessionDeadlines deadlines;
  private final EventLoops serverLoops = new EventLoops("test-server");
  private final EventLoops controlLoops = new EventLoops("test-client-control");
  private final EventLoops dataLoops = new EventLoops("test-client-data");
  private final Transport.Listener server;
  private final Transport client;
  private final CompletableFuture<End> atServer = new CompletableFuture<>();
  private final End atClient;
  private final AtomicInteger nextStream = new AtomicInteger();
  private volatile boolean over;
  private volatile boolean started;

  /**
   * @param push whether the client sends
   */
  public TestTransfer(
      boolean push,
      TransferSpec spec,
      ByteBufAllocator allocator,
      SourceTree source,
      DestinationTree destination)
      throws Exception {
    this(push, spec, allocator, source, destination, RateSource.NONE, true, DEADLINES);
  }

  /**
   * @param limit what the receiver allows
   * @param obeys whether the sender keeps to it; otherwise it does not although it was told in the
   *     request
   */
  public TestTransfer(
      boolean push,
      TransferSpec spec,
      ByteBufAllocator allocator,
      SourceTree source,
      DestinationTree destination,
      RateSource limit,
      boolean obeys,
      SessionDeadlines deadlines)
      throws Exception {
    this.spec = spec;
    this.deadlines = deadlines;
    PathMaker sends =
        (end, loop, name) ->
            new SenderPipeline(
                new SessionRuntime(name, loop), allocator, spec, source, end::say, end);
    PathMaker receives =
        (end, loop, name) ->
            new ReceiverPipeline(new SessionRuntime(name, loop), spec, destination, end::say, end);
    server =
        new TcpTransport(serverLoops, allocator, DEADLINE)
            .listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ListenSettings(CompletableFuture.completedFuture(TLS), 512, DEADLINE),
                new Server(push ? receiver : sender, push ? receives : sends));
    client = new TcpTransport(dataLoops, allocator, DEADLINE);
    atClient = push ? sender : receiver;
    PathMaker maker = push ? sends : receives;
    EventLoop controlLoop = controlLoops.next();
    client
        .dialControl(
            controlLoop,
            server.address(),
            new ClientTls(List.of(), Optional.empty()),
            "localhost",
            roundTrip -> {},
            connection -> open(connection, controlLoop, atClient, maker))
        .get(DEADLINE.toSeconds(), TimeUnit.SECONDS)
        .begin()
        .run();
    atServer.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    controlLoop.submit(() -> {}).get(DEADLINE.toSeconds(), TimeUnit.SECONDS); // it has begun
    if (obeys) {
      receiver.path.limit(() -> started ? limit.bytesPerSecond() : 0, 0);
    } else {
      receiver.path.limit(limit, limit.bytesPerSecond());
      receiver.limitTold.complete(null);
    }
    for (End end : List.of(receiver, sender)) { // who says nothing before it is spoken to, first
      end.onLoop(end::begin);
    }
    started = true;
  }

  private StreamSettings streamSettings() {
    return new StreamSettings(
        spec.blockSize(), spec.socketBuffer(), Decompressor.of(spec.compression()));
  }

  /** Waits until the receiver holds its limit. */
  public void awaitLimit() throws Exception {
    receiver.limitTold.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  private ControlConnection.Handler open(
      ControlConnection connection, EventLoop eventLoop, End end, PathMaker maker) {
    SessionLoop loop = new NettySessionLoop(eventLoop, end::failed);
    end.connection = connection;
    end.eventLoop = eventLoop;
    end.session = new Session(ID, loop, connection, deadlines, end);
    end.path = maker.make(end, loop, "test");
    return new ControlConnection.Handler() {
      @Override
      public void message(Control message) {
        if (!end.begun) { // the other end has begun, and a second may have passed
          end.early.add(() -> message(message));
          return;
        }
        try {
          end.session.onMessage(connection, message);
        } catch (FdtException e) {
          end.session.abort(e);
        }
      }

      @Override
      public void closed(FdtException cause) {
        end.session.onControlClosed(connection, cause);
      }
    };
  }

  private final class Server implements Acceptor {
    private final End end;
    private final PathMaker maker;

    Server(End end, PathMaker maker) {
      this.end = end;
      this.maker = maker;
    }

    @Override
    public Optional<ErrorCode> refusal(InetAddress address) {
      return Optional.empty();
    }

    @Override
    public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
      connection.peerIsKnown();
      ControlConnection.Handler handler = open(connection, loop, end, maker);
      atServer.complete(end);
      return handler;
    }

    @Override
    public StreamSlot join(Join join, String peer, boolean encrypted) {
      return new StreamSlot(streamSettings(), stream -> end.session.attach(stream), () -> {});
    }
  }

  /** Opens data streams; each that dies is replaced under a new number. */
  public void dial(int count) {
    dial(count, client);
  }

  /** The same from somewhere else, for the same session; those that die are replaced from here. */
  void dial(int count, Transport from) {
    for (int i = 0; i < count; i++) {
      int number = nextStream.getAndIncrement();
      Join join = Join.prove(ID, number, SECRET);
      from.dialData(server.address())
          .thenCompose(
              line -> line.join(join, streamSettings(), Optional.empty(), false, this::watched));
    }
  }

  private DataStream.Handler watched(DataStream stream) {
    streams.put(stream.number(), stream);
    all.add(stream);
    return atClient
        .session
        .attach(stream)
        .whenClosed(
            cause -> {
              streams.remove(stream.number());
              if (!over && !atClient.over) {
                dial(1);
              }
            });
  }

  /** Waits until both ends have come to their end, which must be a good one. */
  public void awaitGoodEnd() throws Exception {
    FdtException atSender = sender.end();
    over = true;
    FdtException atReceiver = receiver.end();
    for (FdtException failure : new FdtException[] {atReceiver, atSender}) {
      if (failure != null) {
        throw new AssertionError("sender: " + atSender + ", receiver: " + atReceiver, failure);
      }
    }
    checkReleased();
  }

  /** Whatever the end: the sender holds no block. */
  void checkReleased() {
    over = true;
    Awaitility.await("blocks of the sender released")
        .atMost(DEADLINE)
        .until(() -> bytesWaitingAtSender() == 0);
  }

  /** Memory of the blocks that the sender has read, and that have not left. */
  long bytesWaitingAtSender() throws Exception {
    AtomicLong waiting = new AtomicLong();
    sender.onLoop(() -> waiting.set(sender.path.progress().bytesWaiting()));
    return waiting.get();
  }

  /** The path of a file of a synthetic tree, by its number from 1 on. */
  public static String path(int fileNumber) {
    int directory = (fileNumber - 1) / SyntheticSource.FILES_PER_DIRECTORY + 1;
    return SyntheticSource.directoryName(directory) + "/" + SyntheticSource.fileName(fileNumber);
  }

  @Override
  public void close() {
    over = true;
    server.close();
    dataLoops.close();
    controlLoops.close();
    serverLoops.close();
  }
}
