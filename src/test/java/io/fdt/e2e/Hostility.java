package io.fdt.e2e;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;

/** What a relay does to some of the frames that it passes on. */
public enum Hostility {
  /** Nothing. */
  NONE {
    @Override
    public void harm(Way way, byte[] frame) {
      way.onward().accept(frame);
    }
  },
  /** A bit of it arrives as another one. */
  FLIP {
    @Override
    public void harm(Way way, byte[] frame) {
      way.onward().accept(flipped(way.random(), frame, 0));
    }
  },
  /** It arrives twice. */
  REPLAY {
    @Override
    public void harm(Way way, byte[] frame) {
      way.onward().accept(frame);
      way.onward().accept(frame);
    }
  },
  /** Others overtake it. */
  REORDER {
    @Override
    public void harm(Way way, byte[] frame) {
      way.later().accept(() -> way.onward().accept(frame));
    }
  },
  /** It never arrives. */
  SWALLOW {
    @Override
    public void harm(Way way, byte[] frame) {}
  },
  /** Its end is missing, and the stream goes on. */
  TRUNCATE {
    @Override
    public void harm(Way way, byte[] frame) {
      way.onward().accept(Arrays.copyOf(frame, way.random().nextInt(frame.length)));
    }
  },
  /** Its end is missing, and so is all that follows. */
  CUT {
    @Override
    public void harm(Way way, byte[] frame) {
      way.onward().accept(Arrays.copyOf(frame, way.random().nextInt(frame.length)));
      way.stream().close();
    }
  },
  /**
   * Its payload is another one, and its checksums are those of that: what only a cryptographic
   * digest finds.
   */
  FORGE {
    @Override
    public Checksum checksum() {
      return Checksum.SHA256;
    }

    @Override
    public void harm(Way way, byte[] frame) {
      way.onward().accept(forged(way.random(), frame));
    }
  },
  /** Nothing arrives from the first one on. */
  HOLD {
    @Override
    public void harm(Way way, byte[] frame) {}

    @Override
    public double rate() {
      return 1;
    }
  };

  private static final double RATE = 0.1;

  /** Passes a frame on, or harms it. */
  public final void frame(Way way, byte[] frame) {
    if (way.random().nextDouble() < rate()) {
      harm(way, frame);
    } else {
      way.onward().accept(frame);
    }
  }

  /**
   * Where a frame is.
   *
   * @param stream the end that has sent it
   * @param onward takes what arrives at the other end
   * @param later has something done after a while
   */
  public record Way(
      Random random, DataStream stream, Consumer<byte[]> onward, Consumer<Runnable> later) {}

  public abstract void harm(Way way, byte[] frame);

  /** By which files are compared. */
  public Checksum checksum() {
    return Checksum.CRC32C;
  }

  /** How many of the frames it harms, 0 to 1. */
  public double rate() {
    return RATE;
  }

  private static byte[] flipped(Random random, byte[] frame, int from) {
    byte[] other = frame.clone();
    other[from + random.nextInt(frame.length - from)] ^= (byte) (1 << random.nextInt(8));
    return other;
  }

  private static byte[] forged(Random random, byte[] frame) {
    if (frame.length <= FrameHeader.LENGTH) {
      return frame;
    }
    byte[] other = flipped(random, frame, FrameHeader.LENGTH);
    ByteBuf bytes = Unpooled.wrappedBuffer(other);
    try {
      FrameHeader said = FrameHeader.read(bytes, other.length);
      int crc = Crc32c.of(bytes, bytes.readerIndex(), bytes.readableBytes());
      ByteBuf header = Unpooled.wrappedBuffer(other).writerIndex(0);
      new FrameHeader(
              said.type(),
              said.encoding(),
              said.wireLength(),
              said.length(),
              said.number(),
              said.fileId(),
              said.offset(),
              crc)
          .write(header);
      return other;
    } catch (FdtException e) {
      throw new AssertionError("an end that keeps the rules sends bad frames", e);
    }
  }
}
