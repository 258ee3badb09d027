package io.fdt.core.storage.synthetic;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.PartialFile;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A destination without a disk, for measuring a network: drops everything unseen, keeps no names
 * and no journals, and can read nothing back. Any thread.
 */
public final class NullDestination implements DestinationTree {
  private static final DiskId MEMORY = new DiskId("memory");

  @Override
  public Base open(List<Root> roots) {
    return new Base(new Directory(""), null);
  }

  /** {@inheritDoc} Nothing was made, and nothing can be lost. */
  @Override
  public void force() {}

  /** {@inheritDoc} Nothing is here. */
  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules) {}

  @Override
  public boolean takesStreams() {
    return false;
  }

  @Override
  public void close() {}

  /** A directory of which only the path exists. */
  private record Directory(String path) implements DestinationDirectory {
    @Override
    public DiskId disk() {
      return MEMORY;
    }

    @Override
    public boolean isFresh() {
      return true;
    }

    @Override
    public Optional<Attributes> find(FileName name) {
      return Optional.empty();
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) {
      return new Directory(path.isEmpty() ? name.toString() : path + "/" + name);
    }

    @Override
    public DestinationDirectory replaceByDirectory(FileName name) {
      return makeDirectory(name);
    }

    @Override
    public ExistingFile openExisting(FileName name, Attributes seen) throws FdtException {
      throw new FdtException(ErrorCode.NOT_FOUND, path + "/" + name + ": nothing is kept here");
    }

    @Override
    public boolean agrees(Attributes seen, int mode, FileMetadata metadata) {
      return true;
    }

    @Override
    public void refresh(
        ExistingFile file,
        int mode,
        Timestamp modified,
        FileMetadata metadata,
        Consumer<FdtException> warnings) {}

    @Override
    public void makeLink(FileName name, BytePath target, Timestamp modified) {}

    @Override
    public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

    @Override
    public void setOwnerOfLink(FileName name, Owner owner) {}

    @Override
    public void makeHardLink(
        FileName name, DestinationDirectory first, FileName firstName, long size) {}

    @Override
    public PendingFile createFile(FileName name, long size) {
      return new Sink(size);
    }

    @Override
    public boolean putFile(
        FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata) {
      return false;
    }

    @Override
    public PartialFile findPartial(FileName name, SourceVersion version) {
      return PartialFile.NONE;
    }

    @Override
    public PendingFile createJournaledFile(
        FileName name, SourceVersion version, List<CheckedRange> kept) {
      return createFile(name, version.size());
    }

    @Override
    public PendingFile createSparseFile(
        FileName name, SourceVersion version, List<CheckedRange> kept) {
      return createFile(name, version.size());
    }

    @Override
    public void finish(int mode, Timestamp modified) {}

    @Override
    public void force() {}

    @Override
    public void finishDurably(int mode, Timestamp modified) {}

    @Override
    public void close() {}
  }

  /** A file that takes bytes and has none. */
  private record Sink(long size) implements DestinationDirectory.PendingFile {
    @Override
    public void write(ByteBuf source, long offset) {}

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      throw new FdtException(ErrorCode.IO, "nothing is kept here that could be read back");
    }

    @Override
    public void forget(LongConsumer forced) {
      forced.accept(size);
    }

    @Override
    public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

    @Override
    public void makeHole(Range range) {}

    @Override
    public void keep(CheckedRange range) {}

    @Override
    public void discard() {}

    @Override
    public void publish(int mode, Timestamp modified) {}

    @Override
    public void publishDurably(int mode, Timestamp modified, LongConsumer forced) {
      forced.accept(size);
    }

    @Override
    public void close() {}
  }
}
