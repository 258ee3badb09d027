package io.fdt.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.OpenSession;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a client may ask of a session, beyond what the description of a transfer checks itself. */
class SessionRequestTest {
  private static final FilePart PART = new FilePart(7, OptionalLong.of(0));

  private static TransferSpec.Builder sources(int count) {
    TransferSpec.Builder spec = TransferSpec.builder();
    for (int i = 0; i < count; i++) {
      spec.source("/data/" + i);
    }
    return spec;
  }

  private static OpenSession.Builder open(Direction direction, TransferSpec.Builder spec) {
    return OpenSession.newBuilder()
        .setSessionId(ByteString.copyFrom(new byte[16]))
        .setSessionSecret(ByteString.copyFrom(new byte[32]))
        .setDirection(direction)
        .setSpec(TransferSpecCoding.encode(spec.build()));
  }

  @Test
  void aPartOfOneFileMayBeAskedForInOrder() throws FdtException {
    SessionRequest request =
        SessionRequest.of(open(Direction.PULL, sources(1).part(PART)).setInOrder(true).build());
    assertThat(request.spec().part()).isEqualTo(PART);
    assertThat(request.inOrder()).isTrue();
  }

  /** It decides how many streams begin, and nothing else. */
  @Test
  void aRoundTripIsBelievedIfItCanBeOne() throws FdtException {
    OpenSession.Builder open = open(Direction.PULL, sources(1));
    assertThat(SessionRequest.of(open.build()).roundTrip()).isZero();
    open.setRoundTripMicros(150_000);
    assertThat(SessionRequest.of(open.build()).roundTrip()).isEqualTo(Duration.ofMillis(150));
    open.setRoundTripMicros(-1);
    assertThat(SessionRequest.of(open.build()).roundTrip()).isZero();
  }

  @Test
  void whatGivesRightsOfTheServerIsTakenOnlyWhereItIsAllowed() throws FdtException {
    for (Aspect aspect : List.of(Aspect.OWNER, Aspect.SPECIAL_BITS, Aspect.ALL_XATTRS)) {
      SessionRequest push = keeping(Direction.PUSH, 0, aspect);
      push.checkRights(true);
      assertForbidden(push);
    }
    keeping(Direction.PUSH, 0, Aspect.XATTRS).checkRights(false);
    keeping(Direction.PULL, 1, Aspect.OWNER).checkRights(false);
    assertForbidden(keeping(Direction.PULL, 1, Aspect.ALL_XATTRS));
  }

  private static SessionRequest keeping(Direction direction, int sources, Aspect aspect)
      throws FdtException {
    Preservation kept = Preservation.of(Set.of(aspect));
    return SessionRequest.of(open(direction, sources(sources).preservation(kept)).build());
  }

  private static void assertForbidden(SessionRequest request) {
    assertThatThrownBy(() -> request.checkRights(false))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }

  static List<OpenSession> wrong() {
    return List.of(
        open(Direction.PULL, sources(0)).build(),
        open(Direction.PULL, sources(0).part(PART)).setNettest(true).build(),
        open(Direction.PUSH, sources(0).part(PART)).build(),
        open(Direction.PUSH, sources(0)).setInOrder(true).build(),
        open(Direction.PUSH, sources(1)).setInOrder(true).build(),
        open(Direction.PULL, sources(2)).setInOrder(true).build(),
        open(Direction.PULL, sources(1).recursive(true)).setInOrder(true).build(),
        open(Direction.PULL, sources(0)).setInOrder(true).setNettest(true).build(),
        open(Direction.PULL, sources(1).backups(BytePath.of("old"))).build(),
        open(Direction.PULL, sources(1).deltaFrom(BytePath.of("old"))).build(),
        open(Direction.PUSH, sources(0).backups(BytePath.of("old"))).setNettest(true).build(),
        open(Direction.PUSH, sources(0)).setRateLimit(-1).build(),
        open(Direction.PUSH, sources(0)).setSessionSecret(ByteString.EMPTY).build(),
        open(Direction.PUSH, sources(0)).setSessionId(ByteString.EMPTY).build(),
        open(Direction.DIRECTION_UNSET, sources(0)).build(),
        open(Direction.PUSH, sources(0)).clearSpec().build());
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void whatNoClientMaySendIsRefused(OpenSession request) {
    assertThatThrownBy(() -> SessionRequest.of(request))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }
}
