package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.node.DialRule;
import io.fdt.core.security.Grant;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.OnlyRelay;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.Recall;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.DescribeRoute;
import io.fdt.core.wire.control.OpenRoute;
import io.fdt.core.wire.control.Route;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks that a relay holds when its target goes away are not sent to it again. */
class RelayedRecallTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final int MIB = 1 << 20;
  private static final int BLOCK = 200_000;
  private static final int BLOCKS = 200;
  private static final Grant GRANT = Grant.unlimited("alice", Instant.EPOCH);

  private final EventLoops loops = new EventLoops("test-relay");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final ServerSocket target = new ServerSocket();
  private final ServerTls tls = new ServerTls(Identity.generate(), List.of());
  private @TempDir Path directory;
  private SpoolQuota quota;
  private PassingSpool passing;
  private Relay routes;
  private Transport.Listener relay;

  RelayedRecallTest() throws IOException {}

  @BeforeEach
  void start() throws Exception {
    target.setReceiveBufferSize(4096);
    target.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    startRelay();
  }

  private void startRelay() throws Exception {
    Spool spool = new Spool(directory, ByteSize.ofBytes(200L * MIB));
    spool.open().close();
    quota = new SpoolQuota(spool.size());
    passing = new PassingSpool(spool, quota, System::nanoTime, 1 << 30, Duration.ofHours(1));
    passing.open();
    ServerRates rates = new ServerRates(RateSchedule.NONE, RateSchedule.NONE);
    routes =
        new Relay(
            true,
            DialRule.ANYWHERE,
            rates,
            RelayParts.PLAIN,
            Optional.of(passing),
            System::nanoTime);
    relay =
        new TcpTransport(loops, allocator, DEADLINE)
            .listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ListenSettings(CompletableFuture.completedFuture(tls), 512, DEADLINE),
                new OnlyRelay(routes::connect));
  }

  private void endRelay() {
    await().atMost(DEADLINE).until(() -> routes.connections() == 0);
    await().atMost(DEADLINE).until(() -> quota.passing() == 0 && passing.memory() == 0);
    relay.close();
    passing.close();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    endRelay();
    tls.close();
    loops.close();
    target.close();
    await().atMost(DEADLINE).until(() -> allocator.metric().usedDirectMemory() == 0);
  }

  private Route route() throws IOException {
    OpenRoute wanted =
        OpenRoute.newBuilder()
            .setHost(target.getInetAddress().getHostAddress())
            .setPort(target.getLocalPort())
            .build();
    return routes.open(wanted, GRANT, InetAddress.getLoopbackAddress());
  }

  private Socket connect(Route route) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), relay.address().getPort());
    socket.setSoTimeout(Math.toIntExact(DEADLINE.toMillis()));
    SessionId id = SessionId.of(route.getId().toByteArray());
    ByteBuf hello = Unpooled.buffer();
    Preface.of(Preface.Kind.RELAY).write(hello);
    Join.prove(id, 0, route.getDataSecret().toByteArray()).write(hello);
    hello.readBytes(socket.getOutputStream(), hello.readableBytes());
    byte[] answers = socket.getInputStream().readNBytes(Preface.LENGTH + JoinAnswer.LENGTH);
    assertThat(answers).endsWith(0, 0, 0, 0);
    return socket;
  }

  private Socket accept() throws IOException {
    Socket socket = target.accept();
    socket.setSoTimeout(Math.toIntExact(DEADLINE.toMillis()));
    return socket;
  }

  private static ByteBuf joined() {
    ByteBuf out = Unpooled.buffer();
    Preface.of(Preface.Kind.DATA).write(out);
    Join.prove(new SessionId(3, 4), 0, new byte[] {5}).write(out);
    return out;
  }

  private static byte[] payload(int number) {
    byte[] bytes = new byte[BLOCK];
    new Random(number).nextBytes(bytes);
    return bytes;
  }

  private static FrameHeader header(int number, byte[] payload) {
    int crc = Crc32c.of(Unpooled.wrappedBuffer(payload), 0, BLOCK);
    return FrameHeader.block(number, 1, (long) number * BLOCK, BLOCK, crc);
  }

  private static ByteBuf frame(int number) {
    byte[] payload = payload(number);
    ByteBuf out = Unpooled.buffer();
    header(number, payload).write(out);
    return out.writeBytes(payload);
  }

  private static ByteBuf name(int number) {
    byte[] payload = payload(number);
    ByteBuf out = Unpooled.buffer();
    byte[] digest = Recall.digest(Unpooled.wrappedBuffer(payload), 0, BLOCK);
    new Recall(header(number, payload), digest).write(out);
    return out;
  }

  private static long key(int number) {
    return (long) header(number, payload(number)).payloadCrc() << 32 | BLOCK;
  }

  private static void send(Socket socket, ByteBuf bytes) throws IOException {
    bytes.readBytes(socket.getOutputStream(), bytes.readableBytes());
  }

  /** Sends blocks until enough of them are in the spool; then the target dies. */
  private void hold() throws IOException {
    try (Socket client = connect(route());
        Socket far = accept()) {
      send(client, joined());
      for (int number = 0; number < BLOCKS && quota.passing() < 2 * MIB; number++) {
        send(client, frame(number));
      }
      await().atMost(DEADLINE).until(() -> quota.passing() >= 2 * MIB);
      far.setSoLinger(true, 0);
    }
    await().atMost(DEADLINE).until(() -> routes.connections() == 0 && quota.passing() == 0);
    assertThat(quota.remains()).isPositive();
  }

  private static Set<Long> held(Route route) {
    Set<Long> keys = new HashSet<>();
    ByteBuffer blocks = route.getHeld().getBlocks().asReadOnlyByteBuffer();
    while (blocks.hasRemaining()) {
      keys.add(blocks.getLong());
    }
    return keys;
  }

  @Test
  void whatItHoldsIsNamedAndArrives() throws Exception {
    hold();
    assertNamedBlocksArrive();
  }

  @Test
  void theNextProcessHoldsItToo() throws Exception {
    hold();
    endRelay();
    startRelay();
    assertNamedBlocksArrive();
  }

  private void assertNamedBlocksArrive() throws Exception {
    Route route = route();
    Set<Long> held = held(route);
    assertThat(held).hasSizeGreaterThan(5);
    ByteBuf names = joined();
    ByteBuf expected = joined();
    int named = 0;
    for (int number = 0; number < BLOCKS; number++) {
      boolean isHeld = held.contains(key(number));
      named += isHeld ? 1 : 0;
      names.writeBytes(isHeld ? name(number) : frame(number));
      expected.writeBytes(frame(number));
    }
    names.writeBytes(name(BLOCKS));
    expected.writeBytes(name(BLOCKS)); // it has never seen it
    try (Socket client = connect(route);
        Socket far = accept()) {
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  send(client, names);
                  client.shutdownOutput();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      byte[] got = far.getInputStream().readNBytes(expected.readableBytes());
      assertThat(got).isEqualTo(ByteBufUtil.getBytes(expected));
      sent.get();
    }
    DescribeRoute question = DescribeRoute.newBuilder().setId(route.getId()).build();
    assertThat(named).isEqualTo(held.size());
    assertThat(routes.describe(question, GRANT).getToTarget().getRecalled())
        .isEqualTo((long) named * BLOCK);
  }
}
