package io.fdt.core.storage.stream;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A stream of bytes as a single file without a name or a size.
 *
 * <p>A stream cannot be read again, so bytes are held until they are known to be written. The
 * session keeps its blocks within a window: when a block ends at e, all bytes before e less the
 * window are written.
 *
 * <pre>
 *   |--- written, forgotten ---|--- held ---|--- being read ---)
 *                              ^ e - window                    ^ e
 * </pre>
 *
 * <p>Any thread, but only one at a time reads new bytes.
 */
public final class StreamSource implements SourceTree {
  private static final DiskId STREAM = new DiskId("stream");
  private static final FileName NAME = FileName.of("-");

  private final InputStream in;
  private final long window;
  private final int mode;
  private final Timestamp started;

  /**
   * @param in stays open; a read is interrupted when the session ends first
   * @param window most bytes held
   * @param mode permission bits of the file
   */
  public StreamSource(InputStream in, long window, int mode) {
    this.in = in;
    this.mode = mode;
    this.window = window;
    Instant now = Instant.now();
    this.started = new Timestamp(now.getEpochSecond(), now.getNano());
  }

  @Override
  public List<Root> roots() {
    return List.of(new Root(null, EntryKind.FILE, mode, started));
  }

  @Override
  public boolean isInOrder() {
    return true;
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    Entry entry =
        new Entry(
            1,
            Entry.ROOT,
            NAME,
            EntryKind.FILE,
            0,
            mode,
            started,
            BytePath.EMPTY,
            FileStamp.NONE,
            FileMetadata.OF_STREAM);
    visitor.entry(entry, new Stream());
  }

  /** {@inheritDoc} Empty: a stream is not a directory. */
  @Override
  public List<BytePath> arrivals() {
    return List.of();
  }

  /** {@inheritDoc} Empty: nothing is deleted without a directory. */
  @Override
  public BitSet lacking(List<List<FileName>> paths) {
    return new BitSet();
  }

  @Override
  public void close() {}

  /** The file of unread and held bytes. */
  private final class Stream implements SourceFile, BlockReader {
    // Guarded by this.
    private final TreeMap<Long, byte[]> held = new TreeMap<>();
    private volatile Thread reading;
    private volatile boolean released;

    /** Confined to the thread that reads new bytes. */
    private long next;

    private boolean ended;

    @Override
    public DiskId disk() {
      return STREAM;
    }

    @Override
    public String path() {
      return NAME.toString();
    }

    @Override
    public BlockReader open() {
      return this;
    }

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      byte[] block = heldAt(offset);
      if (block == null) {
        block = readOn(length, offset);
      }
      target.writeBytes(block);
      return block.length;
    }

    private synchronized byte[] heldAt(long offset) {
      return held.get(offset);
    }

    private byte[] readOn(int length, long offset) throws FdtException {
      if (ended) {
        return new byte[0];
      }
      if (offset != next) {
        throw new FdtException(
            ErrorCode.INTERNAL, "input at offset=%d, expected offset=%d".formatted(next, offset));
      }
      forgetBefore(offset + length - window);
      byte[] block = nextBytes(length);
      ended = block.length < length;
      next += block.length;
      synchronized (this) {
        held.put(offset, block);
      }
      return block;
    }

    private synchronized void forgetBefore(long written) {
      for (Map.Entry<Long, byte[]> first = held.firstEntry();
          first != null && first.getKey() + first.getValue().length <= written;
          first = held.firstEntry()) {
        held.pollFirstEntry();
      }
    }

    private byte[] nextBytes(int length) throws FdtException {
      reading = Thread.currentThread();
      try {
        if (released) {
          throw new FdtException(ErrorCode.CANCELLED, "the session ended before the input");
        }
        // Not readNBytes(length), which may query the size of a file, which is 0 in /proc.
        byte[] block = new byte[length];
        int read = in.readNBytes(block, 0, length);
        return read < length ? Arrays.copyOf(block, read) : block;
      } catch (IOException e) {
        throw new FdtException(ErrorCode.IO, "the input cannot be read: " + IoReason.of(e), e);
      } finally {
        reading = null;
      }
    }

    @Override
    public void checkUnchanged() {}

    @Override
    public List<Range> holes(int most) {
      return List.of();
    }

    /** {@inheritDoc} Wakes threads that wait for more of it. */
    @Override
    public void release() {
      released = true;
      Thread waiting = reading;
      if (waiting != null) {
        waiting.interrupt();
      }
    }

    @Override
    public void close() {}
  }
}
