package io.fdt.core.simulation;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.session.RandomDataset;
import io.fdt.core.session.RandomDataset.Fault;
import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.session.RandomDataset.Step;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree;
import io.netty.buffer.ByteBuf;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A dataset that exists nowhere, on two disks, with its planned faults. */
public final class SimulatedSource implements SourceTree {
  private static final int DISKS = 2;

  private final RandomDataset dataset;

  /** "id offset" of what was read. */
  private final Set<String> read = new HashSet<>();

  private int openFiles;

  public SimulatedSource(RandomDataset dataset) {
    this.dataset = dataset;
  }

  /** Files that are open now. */
  public int openFiles() {
    return openFiles;
  }

  @Override
  public List<Root> roots() {
    return List.of(new Root(null, EntryKind.DIRECTORY, 0755, new Timestamp(1_700_000_000L, 0)));
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    for (Step step : dataset.walk()) {
      if (step.item() == null) {
        visitor.directoryEnd(step.endedDirectory());
      } else {
        visitor.entry(step.item().entry(), step.item().isFile() ? new File(step.item()) : null);
      }
    }
  }

  @Override
  public List<BytePath> arrivals() {
    return List.of();
  }

  @Override
  public BitSet lacking(List<List<FileName>> paths) {
    throw new AssertionError("nobody asked for a deletion");
  }

  @Override
  public boolean isInOrder() {
    return false;
  }

  @Override
  public void close() {}

  private final class File implements SourceFile {
    private final Item item;

    File(Item item) {
      this.item = item;
    }

    @Override
    public DiskId disk() {
      return new DiskId("source" + item.entry().id() % DISKS);
    }

    @Override
    public String path() {
      return item.entry().name().toString();
    }

    @Override
    public BlockReader open() {
      openFiles++;
      return new BlockReader() {
        private boolean closed;

        @Override
        public int read(ByteBuf target, int length, long offset) throws FdtException {
          return readAt(target, length, offset);
        }

        @Override
        public void checkUnchanged() {}

        @Override
        public List<Range> holes(int most) {
          return List.of();
        }

        @Override
        public void close() {
          openFiles -= closed ? 0 : 1;
          closed = true;
        }
      };
    }

    /** A file that is empty is read all the same. */
    @Override
    public void readWhole(ByteBuf target, int size) throws FdtException {
      readAt(target, size, 0);
    }

    private int readAt(ByteBuf target, int length, long offset) throws FdtException {
      boolean again = !read.add(item.entry().id() + " " + offset);
      if ((item.fault() == Fault.READ && item.strikes(offset, length))
          || (item.fault() == Fault.READ_AGAIN && again)) {
        throw new FdtException(ErrorCode.SOURCE_CHANGED, "planned");
      }
      int version = item.fault() == Fault.CONTENT && again ? 1 : 0;
      target.writeBytes(item.content(offset, length, version));
      return length;
    }

    @Override
    public void release() {}
  }
}
