package io.fdt.core.storage.synthetic;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree;
import io.netty.buffer.ByteBuf;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/**
 * A source without a disk: one practically endless file of incompressible bytes, for network tests.
 * Any thread.
 */
public final class EndlessSource implements SourceTree {
  /** The size: 10 Tbit/s would take 10 days. */
  public static final long BYTES = 1L << 60;

  private static final DiskId MEMORY = new DiskId("memory");
  private static final int MODE = 0644;
  private static final Timestamp MODIFIED = new Timestamp(1_700_000_000L, 0);

  /**
   * Repeated content of the file. 64 KiB stay in the processor's cache, so that copying them costs
   * a fraction of sending them. Unwritten buffers would cost nothing, but may hold private data.
   */
  private static final byte[] NOISE = noise(64 << 10);

  private final FileName name;

  public EndlessSource(FileName name) {
    this.name = name;
  }

  private static byte[] noise(int length) {
    byte[] bytes = new byte[length];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  @Override
  public List<Root> roots() {
    return List.of(new Root(name, EntryKind.FILE, MODE, MODIFIED));
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    Entry entry =
        new Entry(1, Entry.ROOT, name, EntryKind.FILE, BYTES, MODE, MODIFIED, BytePath.EMPTY);
    visitor.entry(entry, new Noise());
  }

  /** {@inheritDoc} Empty: there are no directories. */
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
  public boolean isInOrder() {
    return false;
  }

  @Override
  public void close() {}

  private final class Noise implements SourceFile, BlockReader {
    @Override
    public DiskId disk() {
      return MEMORY;
    }

    @Override
    public String path() {
      return name.toString();
    }

    @Override
    public BlockReader open() {
      return this;
    }

    @Override
    public int read(ByteBuf target, int length, long offset) {
      int there = Math.toIntExact(Math.max(0, Math.min(length, BYTES - offset)));
      target.ensureWritable(there);
      for (int left = there; left > 0; ) {
        int part = Math.min(left, NOISE.length);
        target.writeBytes(NOISE, 0, part);
        left -= part;
      }
      return there;
    }

    @Override
    public void checkUnchanged() {}

    @Override
    public List<Range> holes(int most) {
      return List.of();
    }

    @Override
    public void release() {}

    @Override
    public void close() {}
  }
}
