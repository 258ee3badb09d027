package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.storage.forward.ForwardingFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SparseWriterTest {
  private static final int PAGE = SparseWriter.PAGE;

  private final List<String> calls = new ArrayList<>();

  @Test
  void pagesOfZerosBecomeHoles() throws FdtException {
    byte[] block = new byte[5 * PAGE];
    block[PAGE] = 1;
    block[3 * PAGE - 1] = 1;
    write(block, 0);
    assertThat(calls).containsExactly("hole 0+4096", "write 4096+8192", "hole 12288+8192");
  }

  @Test
  void pagesAreThoseOfTheFileNotOfTheBlock() throws FdtException {
    byte[] block = new byte[2 * PAGE];
    block[0] = 1;
    write(block, PAGE - 1);
    assertThat(calls).containsExactly("write 4095+1", "hole 4096+8191");
  }

  @Test
  void aBlockOfDataIsOneWrite() throws FdtException {
    byte[] block = new byte[3 * PAGE + 5];
    java.util.Arrays.fill(block, (byte) 7);
    write(block, 100);
    assertThat(calls).containsExactly("write 100+12293");
  }

  private void write(byte[] bytes, long offset) throws FdtException {
    ByteBuf block = Unpooled.wrappedBuffer(new byte[3], bytes).skipBytes(3);
    SparseWriter.write(new Calls(), block, offset);
    assertThat(block.readableBytes()).isEqualTo(bytes.length);
  }

  private final class Calls extends ForwardingFile {
    Calls() {
      super(null); // what is called is here
    }

    @Override
    public void write(ByteBuf source, long offset) {
      calls.add("write " + offset + "+" + source.readableBytes());
    }

    @Override
    public void makeHole(Range range) {
      calls.add("hole " + range.start() + "+" + range.length());
    }
  }
}
