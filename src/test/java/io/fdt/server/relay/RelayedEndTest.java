package io.fdt.server.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.model.Grant;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.OnlyRelay;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.OpenRoute;
import io.fdt.core.wire.control.Route;
import io.fdt.server.limits.ServerRates;
import io.fdt.server.spool.PassingSpool;
import io.fdt.server.spool.Spool;
import io.fdt.server.spool.SpoolQuota;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the end of a relayed connection gets to the other side, at a relay with a spool. */
class RelayedEndTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final long MIB = 1 << 20;

  private static final int CHUNK = 256 << 10;

  private final EventLoops loops = new EventLoops("test-relay");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final SpoolQuota quota = new SpoolQuota(ByteSize.ofBytes(100 * MIB));
  private final ServerSocket target = new ServerSocket();
  private PassingSpool passing;
  private Relay routes;
  private final ServerTls tls = new ServerTls(Identity.generate(), List.of());
  private Transport.Listener relay;
  private Route route;

  RelayedEndTest() throws IOException {}

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    target.setReceiveBufferSize(4096);
    target.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Spool spool = new Spool(directory, ByteSize.ofBytes(100 * MIB));
    spool.open().close();
    passing = new PassingSpool(spool, quota, System::nanoTime);
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
    OpenRoute wanted =
        OpenRoute.newBuilder()
            .setHost(target.getInetAddress().getHostAddress())
            .setPort(target.getLocalPort())
            .build();
    Grant grant = Grant.unlimited("alice", Instant.EPOCH);
    route = routes.open(wanted, grant, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    await().atMost(DEADLINE).until(() -> routes.connections() == 0);
    await().atMost(DEADLINE).until(() -> quota.passing() == 0);
    relay.close();
    passing.close();
    tls.close();
    loops.close();
    target.close();
    await().atMost(DEADLINE).until(() -> allocator.metric().usedDirectMemory() == 0);
  }

  private Socket data(int number) throws IOException {
    return connect(number, route.getDataSecret().toByteArray());
  }

  private Socket connect(int number, byte[] secret) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), relay.address().getPort());
    socket.setSoTimeout(Math.toIntExact(DEADLINE.toMillis()));
    ByteBuf hello = Unpooled.buffer();
    Preface.of(Preface.Kind.RELAY).write(hello);
    Join.prove(SessionId.of(route.getId().toByteArray()), number, secret).write(hello);
    hello.readBytes(socket.getOutputStream(), hello.readableBytes());
    byte[] answers = socket.getInputStream().readNBytes(Preface.LENGTH + JoinAnswer.LENGTH);
    assertThat(answers).hasSize(Preface.LENGTH + JoinAnswer.LENGTH).endsWith(0, 0, 0, 0);
    return socket;
  }

  private Socket accept() throws IOException {
    Socket socket = target.accept();
    socket.setSoTimeout(Math.toIntExact(DEADLINE.toMillis()));
    return socket;
  }

  /**
   * Sends until the sockets are full and something stays in the spool: at first the relay may only
   * be slower than the sender.
   *
   * @return how many bytes
   */
  private int hold(Socket client) throws IOException {
    int sent = 0;
    for (int looks = 0; looks < 20; looks++) {
      while (quota.passing() == 0) {
        client.getOutputStream().write(new byte[CHUNK]);
        sent += CHUNK;
        looks = 0;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return sent;
  }

  private static void end(Socket client) throws IOException {
    client.close();
  }

  private static void assertTakes(Socket far, int count) throws IOException {
    InputStream in = far.getInputStream();
    assertThat(in.readNBytes(count)).hasSize(count);
    assertThat(in.read()).as("the end").isEqualTo(-1);
  }

  @Test
  void anEndIsPassedOnAtOnceWhileAnotherConnectionOfTheRouteIsHeld() throws Exception {
    try (Socket held = data(0);
        Socket heldFar = accept();
        Socket ended = data(1);
        Socket endedFar = accept()) {
      int sent = hold(held);
      ended.getOutputStream().write(7);
      end(ended);

      assertThat(endedFar.getInputStream().read()).isEqualTo(7);
      assertThat(endedFar.getInputStream().read()).as("within less than 30 s").isEqualTo(-1);
      assertThat(quota.passing()).as("the other one waits").isPositive();
      end(held);
      assertTakes(heldFar, sent);
    }
  }

  @Test
  void theEndOfControlComesAfterTheDataOfItsRoute() throws Exception {
    try (Socket control = connect(0, route.getSecret().toByteArray());
        Socket controlFar = accept();
        Socket held = data(0);
        Socket heldFar = accept()) {
      int sent = hold(held);
      end(held);
      end(control);

      CompletableFuture<Long> ended =
          CompletableFuture.supplyAsync(
              () -> {
                assertEnd(controlFar);
                return quota.passing();
              });
      assertTakes(heldFar, sent);
      assertThat(ended.get()).as("in the spool when control ended").isZero();
    }
  }

  private static void assertEnd(Socket far) {
    try {
      assertThat(far.getInputStream().read()).isEqualTo(-1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
