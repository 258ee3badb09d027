package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Collected;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.TestServer;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Peers that speak something else, another version, or nothing at all. */
class StrangerTest {
  private static final int DEADLINE_SECONDS = 20;
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final Duration IMPATIENT = Duration.ofMillis(300);
  private static final byte[] HTTP = ascii("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n");
  private static final byte[] SSH = ascii("SSH-2.0-OpenSSH_9.2\r\n");

  private final EventLoops loops = new EventLoops("test-client");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  @AfterEach
  void nothingIsLeft() {
    loops.close();
    TestServer.awaitEmpty(allocator);
  }

  @Test
  void aServerClosesOnAnHttpRequestWithoutAWord() throws Exception {
    assertThat(answerTo(PATIENT, HTTP)).isEmpty();
  }

  @Test
  void aServerClosesOnAnSshBannerWithoutAWord() throws Exception {
    assertThat(answerTo(PATIENT, SSH)).isEmpty();
  }

  @Test
  void aServerClosesOnSilence() throws Exception {
    assertThat(answerTo(IMPATIENT, new byte[0])).isEmpty();
  }

  @Test
  void aServerClosesOnHalfAPrefaceThatIsNeverCompleted() throws Exception {
    assertThat(answerTo(IMPATIENT, Arrays.copyOf(preface(Preface.VERSION, 1), 8))).isEmpty();
  }

  @Test
  void aServerClosesOnADataConnectionThatNeverJoins() throws Exception {
    byte[] half = Arrays.copyOf(preface(Preface.VERSION, 2), Preface.LENGTH + Join.LENGTH / 2);
    byte[] timeout = {0, 0, 0, (byte) ErrorCode.TIMEOUT.wireCode()};
    assertThat(answerTo(IMPATIENT, half)).isEqualTo(concat(preface(Preface.VERSION, 0), timeout));
  }

  @Test
  void aServerTellsAClientOfAnotherVersionItsOwn() throws Exception {
    assertThat(answerTo(PATIENT, preface(Preface.VERSION + 1, 1)))
        .isEqualTo(preface(Preface.VERSION, 0));
  }

  @Test
  void aServerRefusesAClientThatCallsItselfAServer() throws Exception {
    assertThat(answerTo(PATIENT, preface(Preface.VERSION, 0)))
        .isEqualTo(preface(Preface.VERSION, 0));
  }

  @Test
  void aServerSurvivesClientsThatLeaveInTheMiddle() throws Exception {
    try (TestServer server = server(PATIENT)) {
      byte[] whole = concat(preface(Preface.VERSION, 2), new byte[Join.LENGTH]);
      for (int length = 0; length < whole.length; length += 5) {
        try (Socket socket = dial(server)) {
          socket.getOutputStream().write(whole, 0, length);
        }
      }
      Collected answers = new Collected();
      TestServer.connect(client(PATIENT), loops.next(), server.address(), c -> answers)
          .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      Awaitility.await()
          .atMost(Duration.ofSeconds(DEADLINE_SECONDS))
          .until(() -> server.connections.size() == 1);
    }
  }

  /** A client opens several connections; it says on one of them what it wants. */
  @Test
  void aClientThatIsNotTakenCountsOnce() throws Exception {
    try (TestServer server = server(PATIENT)) {
      server.notTaken = Optional.of(ErrorCode.FORBIDDEN);
      byte[] no = preface(Preface.VERSION, 0);
      no[15] = (byte) ErrorCode.FORBIDDEN.wireCode();
      for (int i = 0; i < 3; i++) {
        try (Socket silent = dial(server)) {
          assertThat(silent.getInputStream().readNBytes(Preface.LENGTH)).isEqualTo(no);
        }
      }
      try (Socket socket = dial(server)) {
        socket.getOutputStream().write(preface(Preface.VERSION, 1));
        assertThat(socket.getInputStream().readNBytes(Preface.LENGTH)).isEqualTo(no);
        Awaitility.await()
            .atMost(Duration.ofSeconds(DEADLINE_SECONDS))
            .until(() -> !server.refused.isEmpty());
      }
      assertThat(server.refused).containsExactly(ErrorCode.FORBIDDEN);
    }
  }

  @Test
  void aClientKnowsAServerOfAnotherVersion() throws Exception {
    assertThat(failureWith(PATIENT, preface(Preface.VERSION + 1, 0), false))
        .isEqualTo(ErrorCode.VERSION);
  }

  @Test
  void aClientKnowsAnHttpServerAndAnSshServer() throws Exception {
    byte[] http = ascii("HTTP/1.1 400 Bad Request\r\n\r\n");
    assertThat(failureWith(PATIENT, http, false)).isEqualTo(ErrorCode.NOT_FDT);
    assertThat(failureWith(PATIENT, SSH, false)).isEqualTo(ErrorCode.NOT_FDT);
  }

  @Test
  void aClientGivesASilentServerUp() throws Exception {
    assertThat(failureWith(IMPATIENT, new byte[0], false)).isEqualTo(ErrorCode.TIMEOUT);
  }

  @Test
  void aClientGivesAServerUpThatStopsWithinItsPreface() throws Exception {
    byte[] half = Arrays.copyOf(preface(Preface.VERSION, 0), 11);
    assertThat(failureWith(IMPATIENT, half, false)).isEqualTo(ErrorCode.TIMEOUT);
  }

  @Test
  void aServerThatHangsUpIsUnreachable() throws Exception {
    assertThat(failureWith(PATIENT, new byte[0], true)).isEqualTo(ErrorCode.UNREACHABLE);
    byte[] half = Arrays.copyOf(preface(Preface.VERSION, 0), 11);
    assertThat(failureWith(PATIENT, half, true)).isEqualTo(ErrorCode.UNREACHABLE);
  }

  /** Small packets pass and large ones get lost: an end waits in vain, or closes. */
  @ParameterizedTest
  @CsvSource({"0, false", "0, true", "16, false", "16, true"})
  void whereLargePacketsMayGetLostTheMtuIsNamed(int answered, boolean hangsUp) throws Exception {
    byte[] answer = Arrays.copyOf(preface(Preface.VERSION, 0), answered);
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      listener.setSoTimeout(DEADLINE_SECONDS * 1000);
      InetSocketAddress address = (InetSocketAddress) listener.getLocalSocketAddress();
      CompletableFuture<ControlConnection> control =
          TestServer.connect(
              client(hangsUp ? PATIENT : IMPATIENT),
              loops.next(),
              address,
              connection -> new Collected());
      try (Socket accepted = greet(listener, answer, hangsUp)) {
        assertThatThrownBy(() -> control.get(DEADLINE_SECONDS, TimeUnit.SECONDS))
            .hasMessageContaining("large packets pass on the way (MTU)");
        assertThat(accepted.isBound()).isTrue();
      }
    }
  }

  /** Closing takes a time, where the server does not close too; nobody waits for that. */
  @Test
  void aClientKnowsAtOnceThatAServerSpeaksNoTls() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      listener.setSoTimeout(DEADLINE_SECONDS * 1000);
      InetSocketAddress address = (InetSocketAddress) listener.getLocalSocketAddress();
      CompletableFuture<ControlConnection> control =
          TestServer.connect(client(PATIENT), loops.next(), address, connection -> new Collected());
      try (Socket accepted = greet(listener, concat(preface(Preface.VERSION, 0), HTTP), false)) {
        assertThat(failureOf(control)).isEqualTo(ErrorCode.UNTRUSTED);
        for (int i = 0; i < 1000; i++) {
          accepted.getOutputStream().write('x'); // fails when the client has closed
        }
      }
    }
  }

  @Test
  void aPortWhereNobodyListensIsUnreachable() throws Exception {
    InetSocketAddress free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = (InetSocketAddress) socket.getLocalSocketAddress();
    }
    CompletableFuture<ControlConnection> connection =
        TestServer.connect(client(PATIENT), loops.next(), free, c -> new Collected());
    assertThat(failureOf(connection)).isEqualTo(ErrorCode.UNREACHABLE);
  }

  /** All that a server answers to these bytes until it closes the connection. */
  private byte[] answerTo(Duration handshake, byte[] bytes) throws Exception {
    try (TestServer server = server(handshake);
        Socket socket = dial(server)) {
      socket.getOutputStream().write(bytes);
      byte[] answer;
      try {
        answer = socket.getInputStream().readAllBytes();
      } catch (java.net.SocketException reset) {
        answer = new byte[0]; // it closed with bytes unread
      }
      assertThat(server.connections).isEmpty();
      return answer;
    }
  }

  private TestServer server(Duration handshake) throws FdtException {
    return new TestServer(
        TcpTransport::new,
        handshake,
        connection -> new Collected(),
        stream -> {
          throw new AssertionError("nobody knows the secret");
        });
  }

  private static Socket dial(TestServer server) throws IOException {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.setSoTimeout(DEADLINE_SECONDS * 1000);
    return socket;
  }

  private Transport client(Duration timeout) {
    return new TcpTransport(loops, allocator, timeout);
  }

  /**
   * How a control connection and a data connection fail, which must be the same, with a server that
   * says this.
   */
  private ErrorCode failureWith(Duration timeout, byte[] greeting, boolean hangUp)
      throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      listener.setSoTimeout(DEADLINE_SECONDS * 1000);
      InetSocketAddress address = (InetSocketAddress) listener.getLocalSocketAddress();
      CompletableFuture<ControlConnection> control =
          TestServer.connect(client(timeout), loops.next(), address, connection -> new Collected());
      ErrorCode ofControl;
      try (Socket accepted = greet(listener, greeting, hangUp)) {
        ofControl = failureOf(control);
        assertThat(accepted.isBound()).isTrue();
      }
      var stream =
          client(timeout)
              .dialData(address)
              .thenCompose(
                  line ->
                      line.join(
                          Join.prove(TestServer.SESSION, 0, TestServer.SECRET),
                          TestServer.SETTINGS,
                          Optional.empty(),
                          false,
                          s -> new NoFrames()));
      try (Socket accepted = greet(listener, greeting, hangUp)) {
        assertThat(failureOf(stream)).isEqualTo(ofControl);
        assertThat(accepted.isBound()).isTrue();
      }
      return ofControl;
    }
  }

  /** A stream that was begun before its server was known. */
  private static final class NoFrames implements DataStream.Handler {
    @Override
    public void frame(ReceivedFrame frame) {
      throw new AssertionError("a frame of a stranger: " + frame.header());
    }

    @Override
    public void writable() {}

    @Override
    public void closed(FdtException cause) {}
  }

  private static Socket greet(ServerSocket listener, byte[] greeting, boolean hangUp)
      throws IOException {
    Socket socket = listener.accept();
    socket.getInputStream().readNBytes(Preface.LENGTH);
    OutputStream out = socket.getOutputStream();
    out.write(greeting);
    out.flush();
    if (hangUp) {
      socket.shutdownOutput();
    }
    return socket;
  }

  private static ErrorCode failureOf(CompletableFuture<?> future) throws Exception {
    Throwable failure = future.handle((value, e) -> e).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    if (failure instanceof CompletionException) {
      failure = failure.getCause();
    }
    assertThat(failure).isInstanceOf(FdtException.class);
    return ((FdtException) failure).code();
  }

  private static byte[] preface(int version, int kind) {
    ByteBuf bytes = Unpooled.buffer();
    Preface.of(Preface.Kind.ANSWER).write(bytes);
    bytes.setShort(8, version).setByte(10, kind);
    return ByteBufUtil.getBytes(bytes);
  }

  private static byte[] concat(byte[]... parts) {
    return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(parts));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
