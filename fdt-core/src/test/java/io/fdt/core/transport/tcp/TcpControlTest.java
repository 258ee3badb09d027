package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.Ping;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Control connections over loopback; each test ends with all buffers released at both ends. */
class TcpControlTest {
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final EventLoops loops = new EventLoops("test-client");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final TcpClient client = new TcpClient(loops, allocator, DEADLINE);
  private final Collected answers = new Collected();
  private TestServer server;

  @AfterEach
  void nothingIsLeft() {
    server.close();
    loops.close();
    TestServer.awaitEmpty(allocator);
  }

  @Test
  void messagesArriveBothWaysInOrder() throws Exception {
    ControlConnection connection = connect(TcpControlTest::echo);
    int messages = 2000;
    for (int i = 1; i <= messages; i++) {
      connection.send(ping(i));
    }
    for (int i = 1; i <= messages; i++) {
      assertThat(answers.next()).isEqualTo(ping(i));
    }
  }

  @Test
  void aLongMessageArrives() throws Exception {
    ControlConnection connection = connect(TcpControlTest::echo);
    Control hello =
        Control.newBuilder()
            .setHello(Hello.newBuilder().setSoftware("x".repeat(1_000_000)))
            .build();
    connection.send(hello);
    assertThat(answers.next()).isEqualTo(hello);
  }

  @Test
  void whatWasSentBeforeClosingStillArrives() throws Exception {
    connect(
            connection ->
                handler(
                    message -> {
                      for (int i = 1; i <= 100; i++) {
                        connection.send(ping(i));
                      }
                      connection.close();
                    }))
        .send(ping(1));
    for (int i = 1; i <= 100; i++) {
      assertThat(answers.next()).isEqualTo(ping(i));
    }
    assertThat(answers.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  /** More than the system takes at once: it waits in memory when the connection is closed. */
  @Test
  void muchThatWasSentBeforeClosingStillArrives() throws Exception {
    Control hello =
        Control.newBuilder()
            .setHello(Hello.newBuilder().setSoftware("x".repeat(1_000_000)))
            .build();
    int messages = 30;
    connect(
            connection ->
                handler(
                    message -> {
                      for (int i = 1; i <= messages; i++) {
                        connection.send(hello);
                      }
                      connection.close();
                    }))
        .send(ping(1));
    for (int i = 1; i <= messages; i++) {
      assertThat(answers.next()).isEqualTo(hello);
    }
    assertThat(answers.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void aPeerThatIsRefusedIsToldWhy() throws Exception {
    connect(
            connection ->
                handler(
                    message -> {
                      throw new FdtException(ErrorCode.PROTOCOL, "not now");
                    }))
        .send(ping(1));
    Control last = answers.next();
    assertThat(last.getAbort().getCode()).isEqualTo(ErrorCode.PROTOCOL.wireCode());
    assertThat(last.getAbort().getMessage()).isEqualTo("not now");
    assertThat(answers.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void theOtherSideHearsOfAClose() throws Exception {
    Collected atServer = new Collected();
    ControlConnection connection = connect(c -> atServer);
    connection.send(ping(1));
    atServer.next();
    connection.close();
    connection.close();
    assertThat(atServer.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(answers.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
    connection.send(ping(2));
  }

  private interface OnMessage {
    void message(Control message) throws FdtException;
  }

  private static ControlConnection.Handler handler(OnMessage onMessage) {
    return new ControlConnection.Handler() {
      @Override
      public void message(Control message) throws FdtException {
        onMessage.message(message);
      }

      @Override
      public void closed(FdtException cause) {
        assertThat(cause).isNotNull();
      }
    };
  }

  private static ControlConnection.Handler echo(ControlConnection connection) {
    return handler(connection::send);
  }

  private ControlConnection connect(Function<ControlConnection, ControlConnection.Handler> atServer)
      throws Exception {
    server =
        new TestServer(
            DEADLINE,
            atServer,
            stream -> {
              throw new AssertionError("no stream is dialed here");
            });
    InetSocketAddress address = server.address();
    return TestServer.connect(client, loops.next(), address, connection -> answers)
        .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  private static Control ping(long nonce) {
    return Control.newBuilder().setPing(Ping.newBuilder().setNonce(nonce)).build();
  }
}
