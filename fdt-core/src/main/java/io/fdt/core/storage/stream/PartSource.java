package io.fdt.core.storage.stream;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
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
 * A part of the one file that another source has. As threads go it is like that.
 *
 * <p>The part is a file to everybody else: its size and its bytes are those of the part, its name,
 * mode and time those of the file. A range of a cut has the holes of the file, too.
 */
public final class PartSource implements SourceTree {
  private final SourceTree whole;
  private final FilePart part;
  private final boolean inOrder;

  /**
   * @param whole has one file
   * @param inOrder whether who receives it wants it in order
   */
  public PartSource(SourceTree whole, FilePart part, boolean inOrder) {
    this.whole = whole;
    this.part = part;
    this.inOrder = inOrder;
  }

  @Override
  public List<Root> roots() {
    return whole.roots();
  }

  @Override
  public boolean isInOrder() {
    return inOrder;
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    whole.walk(new PartVisitor(visitor));
  }

  @Override
  public String waitsFor() {
    return whole.waitsFor();
  }

  /** {@inheritDoc} None: a part is of a file. */
  @Override
  public List<BytePath> arrivals() {
    return List.of();
  }

  /** {@inheritDoc} Nothing: without a directory nothing is deleted. */
  @Override
  public BitSet lacking(List<List<FileName>> paths) {
    return new BitSet();
  }

  @Override
  public void close() {
    whole.close();
  }

  /** Passes the file on as its part; the id of what is left out is left out, too. */
  private final class PartVisitor implements Visitor {
    private final Visitor visitor;

    PartVisitor(Visitor visitor) {
      this.visitor = visitor;
    }

    @Override
    public void entry(Entry entry, SourceFile file) throws InterruptedException {
      if (entry.kind() == EntryKind.DIRECTORY && entry.modified() == null) {
        visitor.entry(entry, file); // only in the new name of the file
        return;
      }
      if (entry.kind() != EntryKind.FILE) {
        failed(
            entry.name().toString(),
            new FdtException(
                ErrorCode.WRONG_KIND,
                "'"
                    + entry.name()
                    + "' is not a file, and only a file has a range; leave out --offset and"
                    + " --length"));
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

  /** For a data node: a part of a file that it has found. */
  public static SourceFile part(SourceFile file, long start, long size) {
    return new PartFile(file, start, size);
  }

  /** A part of a file that data nodes can open, too. */
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

    /** {@inheritDoc} Asked for only where the entry says that it is sparse. */
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
