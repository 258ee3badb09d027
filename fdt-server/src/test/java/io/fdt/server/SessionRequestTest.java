package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.FilePart;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.Source;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a client may ask of a session as to a part of a file, and its order. */
class SessionRequestTest {
  private static OpenSession.Builder open(Direction direction, int sources) {
    OpenSession.Builder open =
        OpenSession.newBuilder()
            .setSessionId(ByteString.copyFrom(new byte[16]))
            .setSessionSecret(ByteString.copyFrom(new byte[32]))
            .setDirection(direction)
            .setStreams(4)
            .setReadersPerDisk(2)
            .setWritersPerDisk(1)
            .setBlockSize(1 << 20);
    for (int i = 0; i < sources; i++) {
      open.addSources(Source.newBuilder().setPath(ByteString.copyFromUtf8("/data/" + i)));
    }
    return open;
  }

  private static FilePart.Builder part(long offset, long lengthPlusOne) {
    return FilePart.newBuilder().setOffset(offset).setLengthPlusOne(lengthPlusOne);
  }

  @Test
  void aPartOfOneFileMayBeAskedForInOrder() throws FdtException {
    SessionRequest request =
        SessionRequest.of(open(Direction.PULL, 1).setPart(part(7, 1)).setInOrder(true).build());
    assertThat(request.part()).isEqualTo(new io.fdt.core.model.FilePart(7, OptionalLong.of(0)));
    assertThat(request.inOrder()).isTrue();
    SessionRequest rest = SessionRequest.of(open(Direction.PULL, 1).setPart(part(7, 0)).build());
    assertThat(rest.part()).isEqualTo(new io.fdt.core.model.FilePart(7, OptionalLong.empty()));
    assertThat(SessionRequest.of(open(Direction.PULL, 1).build()).part().isWhole()).isTrue();
  }

  static List<OpenSession> wrong() {
    return List.of(
        open(Direction.PULL, 1).setPart(part(-1, 0)).build(),
        open(Direction.PULL, 1).setPart(part(Long.MIN_VALUE, 1)).build(),
        open(Direction.PULL, 1).setPart(part(0, -1)).build(),
        open(Direction.PULL, 1).setPart(part(Long.MAX_VALUE, Long.MAX_VALUE)).build(),
        open(Direction.PULL, 2).setPart(part(1, 0)).build(),
        open(Direction.PULL, 1).setPart(part(1, 0)).setRecursive(true).build(),
        open(Direction.PULL, 0).setPart(part(1, 0)).setNettest(true).build(),
        open(Direction.PUSH, 0).setPart(part(1, 0)).build(),
        open(Direction.PUSH, 0).setInOrder(true).build(),
        open(Direction.PUSH, 1).setInOrder(true).build(),
        open(Direction.PULL, 2).setInOrder(true).build(),
        open(Direction.PULL, 1).setInOrder(true).setRecursive(true).build(),
        open(Direction.PULL, 0).setInOrder(true).setNettest(true).build());
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void nothingElseHasAPartOrAnOrder(OpenSession request) {
    assertThatThrownBy(() -> SessionRequest.of(request))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }
}
