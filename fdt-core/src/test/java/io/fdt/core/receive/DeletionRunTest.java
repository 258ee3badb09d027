package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.control.DeletionRoots;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeletionRunTest {
  private final TransferSpec spec =
      TransferSpec.builder().destination(BytePath.of("out")).recursive(true).delete(true).build();
  private final CheckMeter checks = new CheckMeter();
  private final DeletionRun run =
      new DeletionRun(
          "test", null, spec, message -> {}, null, checks, new Replacements(spec, checks));

  private static DeletionRoots roots(List<Integer> empty) {
    return DeletionRoots.newBuilder()
        .addPaths(ByteString.copyFromUtf8("a"))
        .addPaths(ByteString.copyFromUtf8("b"))
        .addAllEmpty(empty)
        .build();
  }

  @Test
  void aSenderCallsOnlyDirectoriesEmptyThatItSends() throws Exception {
    run.onRoots(roots(List.of(1)));
    run.onRoots(roots(List.of(0, 1)));
    for (List<Integer> empty : List.of(List.of(2), List.of(-1), Collections.nCopies(20, 0))) {
      assertThatThrownBy(() -> run.onRoots(roots(empty)))
          .isInstanceOf(FdtException.class)
          .hasMessageContaining("calls a directory empty that it does not send");
    }
  }
}
