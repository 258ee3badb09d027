package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.PathState;
import io.fdt.core.wire.Deflate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The seam of compression: payloads are encoded on their way, and neither end's machine, disk work
 * or digests know of it.
 */
class EncodedPayloadTest {
  private static final TransferSpec SPEC = Specs.blocks(64 << 10);

  @Test
  void filesWhoseFramesAreEncodedHaveTheDigestsOfTheirPlainBytes() throws Exception {
    AtomicLong changed = new AtomicLong();
    var encoded = digests(new TestTransfer.Encoding(s -> new Encoding(s, changed), new Deflate()));
    var plain = digests(TestTransfer.Encoding.PLAIN);
    assertThat(encoded).isEqualTo(plain).isNotEmpty();
    assertThat(changed.get()).as("bytes that were encoded").isNotZero();
  }

  private static Map<String, String> digests(TestTransfer.Encoding encoding) throws Exception {
    var source = SyntheticSource.tree(40, 100_000, List.of());
    try (TestTransfer transfer =
        new TestTransfer(
            SPEC,
            BlockAllocator.create(1),
            source,
            SyntheticDestination.verifying(List.of()),
            encoding)) {
      transfer.dial(3);
      transfer.awaitGoodEnd();
      assertThat(transfer.receiver.problems).isEmpty();
      return Map.copyOf(transfer.receiver.digests);
    }
  }

  /** A stream that encodes what is sent on it. */
  private record Encoding(DataStream inner, AtomicLong changed) implements DataStream {
    @Override
    public void sendAndRelease(ByteBuf frame, Runnable released) {
      byte[] plain = ByteBufUtil.getBytes(frame);
      frame.release();
      byte[] encoded = Deflate.encoded(plain);
      changed.addAndGet(encoded.length);
      inner.sendAndRelease(Unpooled.wrappedBuffer(encoded), released);
    }

    @Override
    public int number() {
      return inner.number();
    }

    @Override
    public boolean isWritable() {
      return inner.isWritable();
    }

    @Override
    public void setReading(boolean reading) {
      inner.setReading(reading);
    }

    @Override
    public long wireBytes() {
      return inner.wireBytes();
    }

    @Override
    public long payloadBytes() {
      return inner.payloadBytes();
    }

    @Override
    public long segmentsRepeated() {
      return inner.segmentsRepeated();
    }

    @Override
    public Optional<PathState> pathState() {
      return inner.pathState();
    }

    @Override
    public boolean setCongestion(String name) {
      return inner.setCongestion(name);
    }

    @Override
    public void limitUnsent(long bytes) {
      inner.limitUnsent(bytes);
    }

    @Override
    public String congestion() {
      return inner.congestion();
    }

    @Override
    public void close() {
      inner.close();
    }
  }
}
