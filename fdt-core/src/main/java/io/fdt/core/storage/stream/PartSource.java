package io.fdt.core.storage.stream;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SharedFile;
import io.fdt.core.storage.SourceTree;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A part of the single file of another source. Threads as that source.
 *
 * <p>The part appears as a file of its own: size and bytes are those of the part; name, mode and
 * time those of the file. A range of a cut also has the holes of the file.
 */
public final class PartSource implements SourceTree {
  private final SourceTree whole;
  private final FilePart part;

  /**
   * @param whole a source with a single file
   */
  public PartSource(SourceTree whole, FilePart part) {
    this.whole = whole;
    this.part = part;
  }

  @Override
  public List<Root> roots() {
    return whole.roots();
  }

  @Override
  public boolean isInOrder() {
    return whole.isInOrder();
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    whole.walk(new PartVisitor(visitor));
  }

  @Override
  public String waitsFor() {
    return whole.waitsFor();
  }

  /** {@inheritDoc} Empty: a part is not a directory. */
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
  public void close() {
    whole.close();
  }

  /** Replaces the file by its part, and skips the ids of excluded entries. */
  private final class PartVisitor implements Visitor {
    private final Visitor visitor;

    PartVisitor(Visitor visitor) {
      this.visitor = visitor;
    }

    @Override
    public void entry(Entry entry, SourceFile file) throws InterruptedException {
      if (entry.kind() == EntryKind.DIRECTORY && entry.modified() == null) {
        visitor.entry(entry, file); // a directory in the new name of the file
        return;
      }
      if (entry.kind() != EntryKind.FILE) {
        failed(
            entry.name().toString(),
            new FdtException(
                ErrorCode.WRONG_KIND,
                "'"
                    + entry.name()
                    + "' is not a file, and only a file has a range; leave out "
                    + Setting.PART));
        return;
      }
      try {
        long length = part.lengthIn(entry.size(), file.path());
        visitor.entry(
            new Entry(
                entry.id(),
                entry.parentId(),
                entry.name(),
                entry.kind(),
                length,
                entry.mode(),
                entry.modified(),
                entry.linkTarget(),
                entry.stamp().withIdentity(part.identity(entry.identity())),
                FileMetadata.NONE.withSparse(part.cut().isPresent() && entry.metadata().sparse())),
            file instanceof SharedFile shared
                ? new SharedPart(new PartFile(file, part.offset(), length), shared, entry.size())
                : new PartFile(file, part.offset(), length));
      } catch (FdtException e) {
        file.release();
        failed(file.path(), e);
      }
    }

    @Override
    public void directoryEnd(long id) throws InterruptedException {
      visitor.directoryEnd(id);
    }

    @Override
    public void skipped(String path, String reason) {
      visitor.skipped(path, reason);
    }

    @Override
    public void failed(String path, FdtException reason) {
      visitor.failed(path, reason);
    }
  }

  /** For a data node: the part of a file. */
  public static SourceFile part(SourceFile file, long start, long size) {
    return new PartFile(file, start, size);
  }

  /** A part of a file that data nodes can also open. */
  private record SharedPart(PartFile part, SharedFile whole, long fileSize)
      implements SourceFile, SharedFile {
    @Override
    public Shared share() throws FdtException {
      Shared shared = whole.share();
      return new Shared(shared.path(), shared.inode(), part.start(), fileSize);
    }

    @Override
    public DiskId disk() {
      return part.disk();
    }

    @Override
    public String path() {
      return part.path();
    }

    @Override
    public String change() {
      return part.change();
    }

    @Override
    public BlockReader open() throws FdtException {
      return part.open();
    }

    @Override
    public void release() {
      part.release();
    }
  }

  private record PartFile(SourceFile file, long start, long size) implements SourceFile {
    @Override
    public DiskId disk() {
      return file.disk();
    }

    @Override
    public String path() {
      return file.path();
    }

    @Override
    public String change() {
      return file.change();
    }

    @Override
    public BlockReader open() throws FdtException {
      return new PartReader(file.open(), start, size);
    }

    @Override
    public void release() {
      file.release();
    }
  }

  private record PartReader(BlockReader reader, long start, long size) implements BlockReader {
    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      int there = Math.toIntExact(Math.max(0, Math.min(length, size - offset)));
      return there == 0 ? 0 : reader.read(target, there, start + offset);
    }

    @Override
    public void checkUnchanged() throws FdtException {
      reader.checkUnchanged();
    }

    /** {@inheritDoc} Called only for entries marked as sparse. */
    @Override
    public List<Range> holes(int most) throws FdtException {
      List<Range> holes = new ArrayList<>();
      for (Range hole : reader.holes(most)) {
        long from = Math.max(0, hole.start() - start);
        long to = Math.min(size, hole.end() - start);
        if (from < to) {
          holes.add(new Range(from, to));
        }
      }
      return holes;
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
