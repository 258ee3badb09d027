package io.fdt.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.OpenSession;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A ticket is good for one session, from one server, for a short time. */
class PreparedSessionsTest {
  private static final OpenSession WANTED =
      OpenSession.newBuilder().setDirection(Direction.PUSH).setEncrypted(true).build();
  private static final Grant GRANT = Grant.unlimited("alice", Instant.EPOCH);
  private static final Fingerprint PEER = Fingerprint.ofDigest(new byte[32]);
  private static final InetAddress CLIENT = InetAddress.getLoopbackAddress();

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1);
  private final PreparedSessions sessions = new PreparedSessions(clock::get);

  private byte[] prepare() throws FdtException {
    return sessions.prepare(WANTED, GRANT, CLIENT, PEER);
  }

  private static OpenSession asked(int id) {
    byte[] bytes = new byte[SessionId.LENGTH];
    bytes[0] = (byte) id;
    return OpenSession.newBuilder()
        .setSessionId(ByteString.copyFrom(bytes))
        .setSessionSecret(ByteString.copyFrom(new byte[32]))
        .setDirection(Direction.PULL)
        .build();
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(FdtException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void whatIsOpenedIsWhatWasPreparedWhateverTheServerAsks() throws FdtException {
    PreparedSessions.Prepared prepared = sessions.admit(prepare(), Optional.of(PEER));

    OpenSession open = sessions.begin(prepared, asked(1));

    assertThat(open.getDirection()).isEqualTo(Direction.PUSH);
    assertThat(open.getEncrypted()).isTrue();
    assertThat(open.getSessionId()).isEqualTo(asked(1).getSessionId());
    assertThat(prepared.grant()).isEqualTo(GRANT);
  }

  @Test
  void aTicketOpensOneSessionAndResumesThatOneOnly() throws FdtException {
    byte[] ticket = prepare();
    PreparedSessions.Prepared prepared = sessions.admit(ticket, Optional.of(PEER));
    sessions.begin(prepared, asked(1));

    PreparedSessions.Prepared again = sessions.admit(ticket, Optional.of(PEER));

    assertRefused(ErrorCode.FORBIDDEN, () -> sessions.begin(again, asked(2)));
    sessions.checkResumes(again, SessionId.of(asked(1).getSessionId().toByteArray()));
    assertRefused(
        ErrorCode.FORBIDDEN,
        () -> sessions.checkResumes(again, SessionId.of(asked(2).getSessionId().toByteArray())));
  }

  @Test
  void nobodyElseMayUseIt() throws FdtException {
    byte[] ticket = prepare();
    byte[] otherKey = new byte[32];
    otherKey[31] = 1;

    assertRefused(ErrorCode.UNAUTHENTICATED, () -> sessions.admit(ticket, Optional.empty()));
    assertRefused(
        ErrorCode.UNAUTHENTICATED,
        () -> sessions.admit(ticket, Optional.of(Fingerprint.ofDigest(otherKey))));
    assertRefused(ErrorCode.UNAUTHENTICATED, () -> sessions.admit(new byte[32], Optional.of(PEER)));
    assertThat(sessions.admit(ticket, Optional.of(PEER))).as("and it is still good").isNotNull();
  }

  /** The clock may pass the largest number. */
  @Test
  void itBeginsWithinAMinuteOrNever() throws FdtException {
    byte[] early = prepare();
    byte[] late = prepare();
    clock.addAndGet(PreparedSessions.GOOD_FOR.toNanos());
    PreparedSessions.Prepared prepared = sessions.admit(early, Optional.of(PEER));
    sessions.begin(prepared, asked(1));
    clock.addAndGet(1);

    assertRefused(ErrorCode.UNAUTHENTICATED, () -> sessions.admit(late, Optional.of(PEER)));
    clock.addAndGet(Duration.ofHours(20).toNanos());
    assertThat(sessions.admit(early, Optional.of(PEER))).as("a session that runs").isNotNull();
    sessions.forget(prepared);
    assertRefused(ErrorCode.UNAUTHENTICATED, () -> sessions.admit(early, Optional.of(PEER)));
  }

  @Test
  void thereAreNeverMoreThanSoManyAndOldOnesMakeRoom() throws FdtException {
    assertRefused(
        ErrorCode.BUSY,
        () -> {
          for (int i = 0; i <= PreparedSessions.MOST; i++) {
            prepare();
          }
        });
    clock.addAndGet(PreparedSessions.GOOD_FOR.toNanos() + 1);

    assertThat(prepare()).hasSize(32);
  }

  @Test
  void longListsOfSourcesAreFewer() throws FdtException {
    TransferSpec spec = TransferSpec.builder().source("x".repeat(1 << 20)).build();
    OpenSession large = WANTED.toBuilder().setSpec(TransferSpecCoding.encode(spec)).build();
    int taken = 0;
    try {
      while (taken <= PreparedSessions.MOST) {
        sessions.prepare(large, GRANT, CLIENT, PEER);
        taken++;
      }
    } catch (FdtException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
    }
    assertThat(taken).as("half of what there is, for one client").isEqualTo(31);
  }
}
