package io.fdt.core.storage.synthetic;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A source without a disk: one file, or a tree of files, of {@link SyntheticContent}.
 *
 * <p>The walk is confined to one thread; files may be opened and read on any.
 */
public final class SyntheticSource implements SourceTree {
  /** Size of the endless file: 10 Tbit/s would take 10 days. */
  public static final long ENDLESS_BYTES = 1L << 60;

  /** Files in each directory of a tree. */
  public static final int FILES_PER_DIRECTORY = 1000;

  /** When everything in here was last modified. */
  public static final Timestamp MODIFIED = new Timestamp(1_700_000_000L, 123_456_789);

  private static final DiskId MEMORY = new DiskId("memory");
  private static final int FILE_MODE = 0644;
  private static final int DIRECTORY_MODE = 0755;

  private final FileName onlyFile;
  private final int fileCount;
  private final long fileSize;
  private final List<SyntheticFault> faults;
  private final AtomicInteger openReaders = new AtomicInteger();

  private SyntheticSource(
      FileName onlyFile, int fileCount, long fileSize, List<SyntheticFault> faults) {
    this.onlyFile = onlyFile;
    this.fileCount = fileCount;
    this.fileSize = fileSize;
    this.faults = List.copyOf(faults);
  }

  /** One file of {@link #ENDLESS_BYTES}. */
  public static SyntheticSource endless(FileName name) {
    return new SyntheticSource(name, 1, ENDLESS_BYTES, List.of());
  }

  /** One file of {@link SyntheticContent}. */
  public static SyntheticSource file(FileName name, long size, List<SyntheticFault> faults) {
    return new SyntheticSource(name, 1, size, faults);
  }

  /**
   * The contents of a directory: files of {@link SyntheticContent}, file000001 and so on, 1,000 in
   * each of the directories directory000001 and so on.
   */
  public static SyntheticSource tree(int fileCount, long fileSize, List<SyntheticFault> faults) {
    return new SyntheticSource(null, fileCount, fileSize, faults);
  }

  /** The name of the file with this number, from 1. */
  public static FileName fileName(int number) {
    return FileName.of(String.format("file%06d", number));
  }

  /** The name of the directory with this number, from 1. */
  public static FileName directoryName(int number) {
    return FileName.of(String.format("directory%06d", number));
  }

  /** How many files are open. */
  public int openReaders() {
    return openReaders.get();
  }

  @Override
  public List<Root> roots() {
    return onlyFile == null
        ? List.of(new Root(null, EntryKind.DIRECTORY, DIRECTORY_MODE, MODIFIED))
        : List.of(new Root(onlyFile, EntryKind.FILE, FILE_MODE, MODIFIED));
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    if (onlyFile != null) {
      visitFile(visitor, 1, Entry.ROOT, onlyFile, onlyFile.toString());
      return;
    }
    long id = 0;
    int number = 1;
    for (int directory = 1; number <= fileCount; directory++) {
      FileName directoryName = directoryName(directory);
      long directoryId = ++id;
      visitor.entry(
          new Entry(
              directoryId,
              Entry.ROOT,
              directoryName,
              EntryKind.DIRECTORY,
              0,
              DIRECTORY_MODE,
              MODIFIED,
              BytePath.EMPTY),
          null);
      int last = Math.min(fileCount, directory * FILES_PER_DIRECTORY);
      for (; number <= last; number++) {
        FileName name = fileName(number);
        visitFile(visitor, ++id, directoryId, name, directoryName + "/" + name);
      }
      visitor.directoryEnd(directoryId);
    }
  }

  private void visitFile(Visitor visitor, long id, long parent, FileName name, String path)
      throws InterruptedException {
    Entry entry =
        new Entry(id, parent, name, EntryKind.FILE, fileSize, FILE_MODE, MODIFIED, BytePath.EMPTY);
    visitor.entry(entry, new File(name, path));
  }

  /** {@inheritDoc} Tests that delete have real directories. */
  @Override
  public List<BytePath> arrivals() {
    return List.of();
  }

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

  /** A file that exists nowhere. */
  private final class File implements SourceFile {
    private final FileName name;
    private final String path;

    File(FileName name, String path) {
      this.name = name;
      this.path = path;
    }

    @Override
    public DiskId disk() {
      return MEMORY;
    }

    @Override
    public String path() {
      return path;
    }

    @Override
    public BlockReader open() throws FdtException {
      SyntheticFault.hit(faults, name, SyntheticFault.Point.OPEN, 0, 0);
      openReaders.incrementAndGet();
      return new Reader(name, path);
    }

    @Override
    public void release() {}
  }

  /** Makes what it reads. */
  private final class Reader implements BlockReader {
    private final FileName name;
    private final String path;
    private final SyntheticContent content;
    private final AtomicBoolean closed = new AtomicBoolean();

    Reader(FileName name, String path) {
      this.name = name;
      this.path = path;
      this.content = SyntheticContent.of(name);
    }

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      if (closed.get()) {
        throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was closed before it was done");
      }
      int available = (int) Math.max(0, Math.min(length, fileSize - offset));
      SyntheticFault.hit(faults, name, SyntheticFault.Point.READ, offset, available);
      target.ensureWritable(available);
      content.appendTo(target, available, offset);
      return available;
    }

    @Override
    public void checkUnchanged() throws FdtException {
      SyntheticFault.hit(faults, name, SyntheticFault.Point.CHECK_UNCHANGED, 0, 0);
    }

    @Override
    public List<Range> holes(int most) {
      return List.of();
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        openReaders.decrementAndGet();
      }
    }
  }
}
