package io.fdt.core.send;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.HeldBlocks;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RecallsTest {
  @Test
  void whatIsNotWholeOrTooMuchIsRefused() throws Exception {
    Recalls recalls = new Recalls();
    recalls.held(held(4096));
    for (int bytes : new int[] {1, 7, 9, 8 * 4097}) {
      HeldBlocks bad =
          HeldBlocks.newBuilder().setBlocks(ByteString.copyFrom(new byte[bytes])).build();
      assertThatThrownBy(() -> recalls.held(bad))
          .isInstanceOf(FdtException.class)
          .hasMessage("held blocks in %d bytes", bytes);
    }
  }

  private static HeldBlocks held(int count) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * count);
    for (int i = 0; i < count; i++) {
      bytes.putInt(i).putInt(100);
    }
    return HeldBlocks.newBuilder().setBlocks(ByteString.copyFrom(bytes.flip())).build();
  }
}
