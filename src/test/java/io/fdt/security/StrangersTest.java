package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Depth;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.Look;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.Request;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that speak wrong on purpose, at each step of a connection. */
class StrangersTest {
  private static final byte[] ID = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SECRET = new byte[32];

  @TempDir Path directory;

  private FdtServer server;
  private InetSocketAddress address;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(directory.resolve("file"), "content");
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readWrite("data", directory))
            .build();
    server.start();
    address = server.address();
  }

  /** Whatever was done to it, it still serves. */
  @AfterEach
  void stillServes() throws Exception {
    try (RawPeer peer = RawPeer.greeted(address, server.localToken())) {
      assertThat(peer.receive().hasWelcome()).isTrue();
    }
    server.close();
  }

  @Test
  void controlWithoutTlsIsClosedAndNothingIsAnswered() throws Exception {
    try (RawPeer peer = RawPeer.connect(address)) {
      peer.write(RawPeer.preface(Preface.VERSION, RawPeer.CONTROL, 0));
      peer.send(RawPeer.hello(server.localToken()));

      byte[] answer = peer.readUntilClosed();

      assertThat(new String(answer, StandardCharsets.ISO_8859_1)).doesNotContain("fdt ");
      assertThat(answer.length).isLessThanOrEqualTo(16 + 7); // a preface, a TLS alert
    }
  }

  @Test
  void olderTlsIsRefused() throws Exception {
    try (RawPeer peer = RawPeer.connect(address)) {
      peer.write(RawPeer.preface(Preface.VERSION, RawPeer.CONTROL, 0));

      assertThatThrownBy(() -> peer.secure("TLSv1.2", "fdt-control/1"))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void tlsForAnotherPurposeIsClosed() throws Exception {
    for (String protocol : new String[] {null, "fdt-data/1", "h2", "fdt-control/2"}) {
      try (RawPeer peer = RawPeer.connect(address)) {
        peer.write(RawPeer.preface(Preface.VERSION, RawPeer.CONTROL, 0));
        try {
          peer.secure("TLSv1.3", protocol);
          peer.send(RawPeer.hello(server.localToken()));
        } catch (IOException e) {
          continue; // so soon
        }
        assertThat(peer.readUntilClosed()).as("ALPN %s", protocol).isEmpty();
      }
    }
  }

  @Test
  void withoutAGoodTokenNothingIsAnswered() throws Exception {
    String good = server.localToken();
    List<String> tokens =
        new ArrayList<>(List.of("", "x", "fdt_", good + "x", good.toUpperCase(Locale.ROOT)));
    tokens.add(good.substring(0, good.length() - 1));
    for (String token : tokens) {
      try (RawPeer peer = RawPeer.greeted(address, token)) {
        peer.send(list("/data"));

        assertThat(abortCode(peer.receive())).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(peer.readUntilClosed()).isEmpty();
      }
    }
  }

  @Test
  void requestsBeforeTheHelloAreAgainstTheRules() throws Exception {
    for (Control early : List.of(list("/data"), open(Direction.PULL))) {
      try (RawPeer peer = RawPeer.control(address)) {
        peer.send(early);

        assertThat(abortCode(peer.receive())).isEqualTo(ErrorCode.PROTOCOL);
      }
    }
  }

  @Test
  void whoIsNotKnownMaySendShortMessagesOnly() throws Exception {
    try (RawPeer peer = RawPeer.control(address)) {
      peer.send(
          Control.newBuilder().setHello(Hello.newBuilder().setSoftware("x".repeat(5000))).build());

      assertThat(abortCode(peer.receive())).isEqualTo(ErrorCode.PROTOCOL);
    }
    try (RawPeer peer = RawPeer.control(address)) {
      peer.write(new byte[] {0x7f, -1, -1, -1});

      assertThat(abortCode(peer.receive())).isEqualTo(ErrorCode.PROTOCOL);
    }
  }

  @Test
  void aSecondHelloIsAgainstTheRules() throws Exception {
    try (RawPeer peer = RawPeer.greeted(address, server.localToken())) {
      peer.send(RawPeer.hello(server.localToken()));

      assertThat(abortCode(peer.receiveAnswer())).isEqualTo(ErrorCode.PROTOCOL);
    }
  }

  @Test
  void rubbishWithinTlsIsRefused() throws Exception {
    Random random = new Random(4);
    for (int i = 0; i < 20; i++) {
      byte[] rubbish = new byte[200];
      random.nextBytes(rubbish);
      ByteBuffer.wrap(rubbish).putInt(0, rubbish.length - 4);
      try (RawPeer peer = RawPeer.control(address)) {
        peer.write(rubbish);

        assertThat(abortCode(peer.receive())).isEqualTo(ErrorCode.PROTOCOL);
      }
    }
  }

  @Test
  void aJoinIsGoodOnceAndEveryFlawLooksTheSame() throws Exception {
    try (RawPeer peer = RawPeer.greeted(address, server.localToken())) {
      peer.send(open(Direction.PULL));
      assertThat(peer.receiveAnswer().hasSessionOpened()).isTrue();
      byte[] good = join(ID, 0, SECRET);
      byte[] otherSession = join("fedcba9876543210".getBytes(StandardCharsets.US_ASCII), 1, SECRET);
      byte[] wrongSecret =
          join(ID, 2, "another secret of 32 bytes......".getBytes(StandardCharsets.US_ASCII));
      byte[] movedNumber = join(ID, 3, SECRET);
      movedNumber[19] = 4;

      try (RawPeer stream = joined(good)) {
        assertThat(stream.read(20)).endsWith(0, 0, 0, 0);
        for (byte[] bad : List.of(good, otherSession, wrongSecret, movedNumber)) {
          try (RawPeer attacker = joined(bad)) {
            byte[] answer = attacker.readUntilClosed();
            assertThat(answer).hasSize(20).endsWith(0, 0, 0, ErrorCode.FORBIDDEN.wireCode());
          }
        }
      }
    }
  }

  @Test
  void clearAndEncryptedStreamsStayApart() throws Exception {
    for (boolean encrypted : new boolean[] {true, false}) {
      try (RawPeer peer = RawPeer.greeted(address, server.localToken())) {
        Control clear = open(Direction.PULL);
        byte[] id = ID.clone();
        id[0] = (byte) (encrypted ? 1 : 2);
        peer.send(
            Control.newBuilder()
                .setOpenSession(
                    clear.getOpenSession().toBuilder()
                        .setSessionId(ByteString.copyFrom(id))
                        .setEncrypted(encrypted))
                .build());
        assertThat(peer.receiveAnswer().hasSessionOpened()).isTrue();
        try (RawPeer stream = RawPeer.connect(address)) {
          stream.write(RawPeer.preface(Preface.VERSION, RawPeer.DATA, encrypted ? 0 : 1));
          if (encrypted) {
            stream.read(16);
          } else {
            stream.secure("TLSv1.3", "fdt-data/1");
          }
          stream.write(join(id, 0, SECRET));
          assertThat(stream.readUntilClosed())
              .as("session encrypted: %s", encrypted)
              .containsExactly(0, 0, 0, ErrorCode.FORBIDDEN.wireCode());
        }
      }
    }
  }

  /** Half a frame costs the stream and its place, and nobody else anything. */
  @Test
  void halfAFrameHoldsUpNobody() throws Exception {
    try (RawPeer peer = RawPeer.greeted(address, server.localToken())) {
      peer.send(open(Direction.PUSH));
      assertThat(peer.receiveAnswer().hasSessionOpened()).isTrue();
      for (int number = 0; number < 20; number++) {
        try (RawPeer stream = joined(join(ID, number, SECRET))) {
          assertThat(stream.read(20)).endsWith(0, 0, 0, 0);
          stream.write(new byte[] {1, 0, 0, 0, 0, 16});
        }
      }
      try (RawPeer stream = joined(join(ID, 20, SECRET))) {
        assertThat(stream.read(20)).endsWith(0, 0, 0, 0);
        stream.write(new byte[FrameHeader.LENGTH]);
        assertThat(stream.readUntilClosed()).as("a header that is none").isEmpty();
      }
    }
  }

  /** Bytes of a control connection that somebody sends on as data, or the other way round. */
  @ParameterizedTest
  @ValueSource(strings = {"fdt-control/1", "h2"})
  void noStreamIsJoinedWithinTlsOfAnotherPurpose(String purpose) throws Exception {
    try (RawPeer stream = RawPeer.connect(address)) {
      stream.write(RawPeer.preface(Preface.VERSION, RawPeer.DATA, 1));
      stream.secure("TLSv1.3", purpose);
      stream.write(join(ID, 0, SECRET));
      assertThat(stream.readUntilClosed())
          .as("not FORBIDDEN, as of a session that is not there")
          .containsExactly(0, 0, 0, ErrorCode.PROTOCOL.wireCode());
    }
  }

  private RawPeer joined(byte[] join) throws IOException {
    RawPeer stream = RawPeer.connect(address);
    stream.write(RawPeer.preface(Preface.VERSION, RawPeer.DATA, 0));
    stream.write(join);
    return stream;
  }

  private static byte[] join(byte[] id, int number, byte[] secret) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    mac.update("FDT join 1".getBytes(StandardCharsets.US_ASCII));
    byte[] start = ByteBuffer.allocate(20).put(id).putInt(number).array();
    return ByteBuffer.allocate(52).put(start).put(mac.doFinal(start)).array();
  }

  private static Control list(String path) {
    return Control.newBuilder()
        .setRequest(
            Request.newBuilder()
                .setId(1)
                .setLook(
                    Look.newBuilder()
                        .setPath(ByteString.copyFromUtf8(path))
                        .setDepth(Depth.CONTENTS)))
        .build();
  }

  private static Control open(Direction direction) {
    return Control.newBuilder()
        .setOpenSession(
            OpenSession.newBuilder()
                .setSessionId(ByteString.copyFrom(ID))
                .setSessionSecret(ByteString.copyFrom(SECRET))
                .setDirection(direction)
                .setNettest(true)
                .setSpec(TransferSpecCoding.encode(TransferSpec.builder().streams(1).build())))
        .build();
  }

  private static ErrorCode abortCode(Control message) {
    assertThat(message.hasAbort()).as("%s", message).isTrue();
    return ErrorCode.ofWireCode(message.getAbort().getCode());
  }
}
