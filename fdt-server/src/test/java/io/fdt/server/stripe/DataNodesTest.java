package io.fdt.server.stripe;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Range;
import io.fdt.core.node.Stripe;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.server.session.SessionRequest;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** In which sessions data nodes take part. */
class DataNodesTest {
  private static final FileCut CUT = new FileCut(4 << 20, 1 << 20);

  private static OpenSession.Builder open(Direction direction, TransferSpec.Builder spec) {
    return OpenSession.newBuilder()
        .setSessionId(ByteString.copyFrom(new byte[16]))
        .setSessionSecret(ByteString.copyFrom(new byte[32]))
        .setDirection(direction)
        .setSpec(TransferSpecCoding.encode(spec.build()));
  }

  private static boolean takePart(OpenSession.Builder open) throws FdtException {
    return new DataNodes((connection, some) -> null).of(SessionRequest.of(open.build()))
        != Stripe.NONE;
  }

  @Test
  void nodesReadRangesOfAFileAndWriteNone() throws FdtException {
    Range range = CUT.range(1);
    FilePart part = new FilePart(range.start(), OptionalLong.of(range.length()), Optional.of(CUT));

    assertThat(takePart(open(Direction.PUSH, TransferSpec.builder()))).isTrue();
    assertThat(takePart(open(Direction.PUSH, TransferSpec.builder().part(part)))).isFalse();
    assertThat(takePart(open(Direction.PULL, TransferSpec.builder().source("/a").part(part))))
        .isTrue();
  }
}
