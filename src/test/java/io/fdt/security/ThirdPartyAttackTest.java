package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.Identity;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.AttachRun;
import io.fdt.core.wire.control.CancelRun;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Depth;
import io.fdt.core.wire.control.DetachRun;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.ListRuns;
import io.fdt.core.wire.control.Look;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.PeerAddress;
import io.fdt.core.wire.control.PeerProbed;
import io.fdt.core.wire.control.PrepareSession;
import io.fdt.core.wire.control.ProbePeer;
import io.fdt.core.wire.control.Request;
import io.fdt.core.wire.control.ResumeSession;
import io.fdt.core.wire.control.RunSession;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients and servers that want more of a transfer between servers than they may have. */
@Timeout(60)
class ThirdPartyAttackTest {
  private static final byte[] ID = new byte[16];
  private static final byte[] SECRET = new byte[32];

  @TempDir Path directory;

  private final Identity friend = Identity.generate();
  private final Identity thief = Identity.generate();
  private FdtServer server;

  @BeforeEach
  void start() throws Exception {
    server = serve("127.0.0.1");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private FdtServer serve(String address) throws Exception {
    FdtServer started =
        FdtServer.builder()
            .port(0)
            .bind(address)
            .export(Export.readOnly("data", Files.createDirectories(directory.resolve("data"))))
            .export(Export.readWrite("in", Files.createDirectories(directory.resolve("in"))))
            .build();
    started.start();
    return started;
  }

  private static OpenSession open(Direction direction, TransferSpec.Builder spec) {
    return OpenSession.newBuilder()
        .setDirection(direction)
        .setSpec(TransferSpecCoding.encode(spec.build()))
        .build();
  }

  private static OpenSession push(String destination) {
    return open(Direction.PUSH, TransferSpec.builder().destination(destination));
  }

  private static Control withId(OpenSession open) {
    return Control.newBuilder()
        .setOpenSession(
            open.toBuilder()
                .setSessionId(ByteString.copyFrom(ID))
                .setSessionSecret(ByteString.copyFrom(SECRET)))
        .build();
  }

  private static Control prepare(OpenSession open, Identity peer) {
    return Control.newBuilder()
        .setPrepareSession(
            PrepareSession.newBuilder()
                .setOpen(open)
                .setPeerKey(ByteString.copyFrom(peer.fingerprint().digest())))
        .build();
  }

  /** A ticket for the friend, as an honest client gets it. */
  private ByteString ticket() throws Exception {
    try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
      client.send(prepare(push("/in/there"), friend));
      return client.receiveAnswer().getSessionPrepared().getTicket();
    }
  }

  private RawPeer friend() throws Exception {
    return RawPeer.identified(server.address(), friend);
  }

  private static void assertAborted(RawPeer peer, ErrorCode code) throws Exception {
    Control answer = peer.receiveAnswer();
    assertThat(answer.hasAbort()).as("%s", answer).isTrue();
    assertThat(ErrorCode.ofWireCode(answer.getAbort().getCode())).isEqualTo(code);
  }

  @Test
  void aTicketIsGoodForNobodyElse() throws Exception {
    ByteString ticket = ticket();
    try (RawPeer nobody = RawPeer.control(server.address());
        RawPeer other = RawPeer.identified(server.address(), thief)) {
      nobody.send(RawPeer.ticket(ticket));
      assertAborted(nobody, ErrorCode.UNAUTHENTICATED);
      other.send(RawPeer.ticket(ticket));
      assertAborted(other, ErrorCode.UNAUTHENTICATED);
    }
    try (RawPeer friend = friend()) {
      friend.send(RawPeer.ticket(ticket));
      friend.send(withId(push("/in/there")));
      assertThat(friend.receiveAnswer().hasSessionOpened()).isTrue();
    }
  }

  @Test
  void aTicketThatWasNeverGivenIsGoodForNothing() throws Exception {
    try (RawPeer friend = friend()) {
      friend.send(RawPeer.ticket(ByteString.copyFrom(new byte[32])));
      assertAborted(friend, ErrorCode.UNAUTHENTICATED);
    }
  }

  @Test
  void aTicketIsUsedOnce() throws Exception {
    ByteString ticket = ticket();
    try (RawPeer first = friend();
        RawPeer second = friend()) {
      first.send(RawPeer.ticket(ticket));
      first.send(withId(push("/in/there")));
      assertThat(first.receiveAnswer().hasSessionOpened()).isTrue();
      second.send(RawPeer.ticket(ticket));
      second.send(withId(push("/in/there")));
      assertAborted(second, ErrorCode.FORBIDDEN);
    }
  }

  /** Whatever the server asks: it writes to the place that the client has named. */
  @Test
  void aServerCannotTurnItsTicketIntoAnotherSession() throws Exception {
    try (RawPeer friend = friend()) {
      friend.send(RawPeer.ticket(ticket()));
      friend.send(
          withId(open(Direction.PULL, TransferSpec.builder().source("/data").recursive(true))));
      assertThat(friend.receiveAnswer().hasSessionOpened()).isTrue();
      friend.send(Control.newBuilder().build());
      // As the receiver it is: a sender would have said what it has.
      assertAborted(friend, ErrorCode.PROTOCOL);
    }
  }

  @Test
  void aServerWithATicketAsksForNothingElse() throws Exception {
    Look look =
        Look.newBuilder()
            .setPath(ByteString.copyFromUtf8("/data"))
            .setDepth(Depth.CONTENTS)
            .build();
    Control list =
        Control.newBuilder().setRequest(Request.newBuilder().setId(1).setLook(look)).build();
    Control again = prepare(push("/in/elsewhere"), thief);
    Control runs = Control.newBuilder().setListRuns(ListRuns.getDefaultInstance()).build();
    for (Control request : new Control[] {list, again, runs, attach("0".repeat(32))}) {
      try (RawPeer friend = friend()) {
        friend.send(RawPeer.ticket(ticket()));
        friend.send(request);
        assertAborted(friend, ErrorCode.PROTOCOL);
      }
    }
  }

  /** The server knows its secret: it may have been the other end of that session, too. */
  @Test
  void aTicketResumesNoOtherSession() throws Exception {
    ByteString ticket = ticket();
    try (RawPeer client = RawPeer.greeted(server.address(), server.localToken());
        RawPeer friend = friend()) {
      client.send(withId(push("/in/private")));
      assertThat(client.receiveAnswer().hasSessionOpened()).isTrue();
      ByteBuf join = Unpooled.buffer();
      Join.prove(SessionId.of(ID), 1, SECRET).write(join);

      friend.send(RawPeer.ticket(ticket));
      friend.send(
          Control.newBuilder()
              .setResumeSession(
                  ResumeSession.newBuilder().setJoin(ByteString.copyFrom(join.nioBuffer())))
              .build());

      assertAborted(friend, ErrorCode.FORBIDDEN);
    }
  }

  private static Control attach(String id) {
    return Control.newBuilder().setAttachRun(AttachRun.newBuilder().setId(id)).build();
  }

  private static Control run(OpenSession own, PeerAddress peer) {
    return Control.newBuilder()
        .setRunSession(
            RunSession.newBuilder()
                .setOwn(withId(own).getOpenSession())
                .setPeer(push("/x"))
                .setAddress(peer)
                .setRetryTimeoutPlusOne(1))
        .build();
  }

  /** The server's own user has started it, and it has failed. */
  private void endedRun() throws Exception {
    PeerAddress nobody =
        PeerAddress.newBuilder()
            .setHost("127.0.0.1")
            .setPort(1)
            .setKey(ByteString.copyFrom(friend.fingerprint().digest()))
            .build();
    try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
      client.send(run(push("/in/there"), nobody));
      Control answer = client.receiveAnswer();
      while (!answer.hasRunEnded()) {
        answer = client.receiveAnswer();
      }
    }
  }

  @Test
  void whoeverHasNoTokenFindsNoSession() throws Exception {
    endedRun();
    for (Control request :
        new Control[] {
          attach("0".repeat(32)),
          Control.newBuilder().setListRuns(ListRuns.getDefaultInstance()).build()
        }) {
      try (RawPeer stranger = RawPeer.greeted(server.address(), "")) {
        stranger.send(request);
        assertAborted(stranger, ErrorCode.UNAUTHENTICATED);
      }
    }
  }

  @Test
  void whatIsNoIdIsRefusedAndFindsNothing() throws Exception {
    endedRun();
    for (String id :
        new String[] {"", "0000000", "0".repeat(33), "%".repeat(8), "0".repeat(5000)}) {
      try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
        client.send(attach(id));
        assertAborted(client, ErrorCode.USAGE);
      }
    }
    try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
      client.send(attach("1".repeat(32)));
      assertAborted(client, ErrorCode.NOT_FOUND);
    }
    try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
      client.send(attach("0".repeat(32)));
      assertThat(client.receiveAnswer().getRunAttached().getRun().getCode()).isNotZero();
      assertThat(client.receiveAnswer().hasRunEnded()).isTrue();
    }
  }

  /** One answer for each connection: nobody piles up answers that it does not read. */
  @Test
  void aConnectionAsksForOneListOnly() throws Exception {
    endedRun();
    try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
      Control list = Control.newBuilder().setListRuns(ListRuns.getDefaultInstance()).build();
      client.send(list);
      client.send(list);
      assertThat(client.receiveAnswer().getRunList().getRunsCount()).isEqualTo(1);
      assertThat(catchThrowable(client::receiveAnswer)).isInstanceOf(IOException.class);
    }
  }

  /** What belongs to a session that runs makes no sense without one. */
  @Test
  void nobodyLeavesWhatItDoesNotFollow() throws Exception {
    for (Control request :
        new Control[] {
          Control.newBuilder().setDetachRun(DetachRun.getDefaultInstance()).build(),
          Control.newBuilder().setCancelRun(CancelRun.getDefaultInstance()).build()
        }) {
      try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
        client.send(request);
        assertAborted(client, ErrorCode.PROTOCOL);
      }
    }
  }

  @Test
  void aHostWithoutEndIsNotRemembered() throws Exception {
    try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
      client.send(
          run(
              push("/in/there"),
              PeerAddress.newBuilder()
                  .setHost("h".repeat(100_000))
                  .setPort(1)
                  .setKey(ByteString.copyFrom(friend.fingerprint().digest()))
                  .build()));
      assertAborted(client, ErrorCode.PROTOCOL);
    }
  }

  @Test
  void nobodyPreparesWhatItMayNotDoItself() throws Exception {
    for (String destination : new String[] {"/data/x", "/nowhere", "/in/../data"}) {
      try (RawPeer client = RawPeer.greeted(server.address(), server.localToken())) {
        client.send(prepare(push(destination), friend));
        assertThat(client.receiveAnswer().hasAbort()).as(destination).isTrue();
      }
    }
    try (RawPeer stranger = RawPeer.greeted(server.address(), "")) {
      stranger.send(prepare(push("/in/there"), friend));
      assertAborted(stranger, ErrorCode.UNAUTHENTICATED);
    }
  }

  private PeerProbed probe(FdtServer asked, String keyOfPeer) throws Exception {
    PeerAddress peer =
        PeerAddress.newBuilder()
            .setHost("127.0.0.1")
            .setPort(server.address().getPort())
            .setKey(ByteString.copyFrom(Fingerprint.parse(keyOfPeer).digest()))
            .build();
    try (RawPeer client = RawPeer.greeted(asked.address(), asked.localToken())) {
      client.send(Control.newBuilder().setProbePeer(ProbePeer.newBuilder().setPeer(peer)).build());
      return client.receiveAnswer().getPeerProbed();
    }
  }

  /** Somebody else may answer at an address: the client says whose key it has seen there. */
  @Test
  void aServerThatDialsAnotherOneKnowsItByTheKeyThatTheClientSaw() throws Exception {
    assertThat(probe(server, server.fingerprint()).getCode()).isZero();
    PeerProbed other = probe(server, friend.fingerprint().toString());
    assertThat(ErrorCode.ofWireCode(other.getCode())).isEqualTo(ErrorCode.UNTRUSTED);
  }

  @Test
  void aServerWithoutThirdPartyTransfersDialsNobodyToProbe() throws Exception {
    try (FdtServer alone =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readOnly("data", directory.resolve("data")))
            .thirdParty(false)
            .build()) {
      alone.start();
      PeerProbed answer = probe(alone, server.fingerprint());
      assertThat(ErrorCode.ofWireCode(answer.getCode())).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(answer.getMessage()).contains("FdtServer.thirdParty(false)");
    }
  }

  /** A client that asks at once, and was given a ticket for the other server before. */
  @Test
  void aServerWithoutThirdPartyTransfersDialsNobodyToRunOne() throws Exception {
    PeerAddress address =
        PeerAddress.newBuilder()
            .setHost("127.0.0.1")
            .setPort(server.address().getPort())
            .setKey(ByteString.copyFrom(Fingerprint.parse(server.fingerprint()).digest()))
            .build();
    OpenSession own =
        open(Direction.PULL, TransferSpec.builder().source("/data")).toBuilder()
            .setSessionId(ByteString.copyFrom(ID))
            .setSessionSecret(ByteString.copyFrom(SECRET))
            .build();
    try (FdtServer alone =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readOnly("data", directory.resolve("data")))
            .thirdParty(false)
            .build()) {
      alone.start();
      try (RawPeer client = RawPeer.greeted(alone.address(), alone.localToken())) {
        client.send(
            Control.newBuilder()
                .setRunSession(
                    RunSession.newBuilder()
                        .setOwn(own)
                        .setPeer(push("/in/there"))
                        .setAddress(address)
                        .setTicket(ticket()))
                .build());
        Control answer = client.receiveAnswer();
        assertThat(answer.hasAbort()).as("%s", answer).isTrue();
        assertThat(answer.getAbort().getMessage()).contains("FdtServer.thirdParty(false)");
      }
    }
  }

  /** A service of the server's own host, that only that host reaches. */
  @Test
  void aServerThatOthersReachDoesNotConnectToItsOwnHost() throws Exception {
    try (ServerSocket secret = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        FdtServer open = serve("0.0.0.0")) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), open.address().getPort());
      for (String host : new String[] {"127.0.0.1", "localhost", "0.0.0.0", "::1"}) {
        PeerAddress peer =
            PeerAddress.newBuilder()
                .setHost(host)
                .setPort(secret.getLocalPort())
                .setKey(ByteString.copyFrom(friend.fingerprint().digest()))
                .build();
        try (RawPeer client = RawPeer.greeted(address, open.localToken())) {
          client.send(
              Control.newBuilder().setProbePeer(ProbePeer.newBuilder().setPeer(peer)).build());
          Control answer = client.receiveAnswer();
          assertThat(ErrorCode.ofWireCode(answer.getPeerProbed().getCode()))
              .as("%s", answer)
              .isEqualTo(ErrorCode.FORBIDDEN);
          client.send(
              Control.newBuilder()
                  .setRunSession(
                      RunSession.newBuilder()
                          .setOwn(withId(push("/in/there")).getOpenSession())
                          .setPeer(push("/x"))
                          .setAddress(peer))
                  .build());
          Control end = client.receiveAnswer();
          while (!end.hasRunEnded() && !end.hasAbort()) {
            end = client.receiveAnswer();
          }
          int code = end.hasAbort() ? end.getAbort().getCode() : end.getRunEnded().getCode();
          assertThat(ErrorCode.ofWireCode(code)).as("%s", end).isEqualTo(ErrorCode.FORBIDDEN);
        }
      }
      secret.setSoTimeout(1);
      assertThat(accepted(secret)).as("somebody has connected").isFalse();
    }
  }

  private static boolean accepted(ServerSocket socket) throws Exception {
    try {
      socket.accept().close();
      return true;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    }
  }
}
