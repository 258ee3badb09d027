package io.fdt.core.storage.forward;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.PartialFile;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A destination without names and metadata: a sink for bytes. Methods that sync, delete, resume or
 * describe files do nothing.
 *
 * <p>A destination that keeps files implements the interfaces itself, so that the compiler requires
 * each of these methods.
 */
public abstract class DisklessDestination implements DestinationTree {
  /** {@inheritDoc} Nothing to sync. */
  @Override
  public void force() {}

  /** {@inheritDoc} Nothing to delete. */
  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules) {}

  @Override
  public Capabilities capabilities() {
    return Capabilities.ALL;
  }

  @Override
  public void close() {}

  /** An empty directory. */
  protected abstract static class Directory implements DestinationDirectory {
    @Override
    public boolean isFresh() {
      return true;
    }

    @Override
    public Optional<Attributes> find(FileName name) {
      return Optional.empty();
    }

    @Override
    public DestinationDirectory replaceByDirectory(FileName name) throws FdtException {
      return makeDirectory(name);
    }

    @Override
    public boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules) {
      return true;
    }

    @Override
    public void letReplace(FileName name, List<FileName> way, DeletionRules rules) {}

    @Override
    public ExistingFile openExisting(FileName name, Attributes seen) throws FdtException {
      throw new FdtException(
          ErrorCode.NOT_FOUND,
          "'"
              + path()
              + "/"
              + name
              + "' cannot be read: the destination does not keep files; name another one");
    }

    @Override
    public boolean agrees(Attributes seen, int mode, Timestamp modified, FileMetadata metadata) {
      return true;
    }

    /** {@inheritDoc} There is no earlier state. */
    @Override
    public boolean wouldChange(int mode, Timestamp modified, Owner owner) {
      return false;
    }

    @Override
    public void refresh(
        ExistingFile file,
        int mode,
        Timestamp modified,
        FileMetadata metadata,
        Consumer<FdtException> warnings) {}

    @Override
    public boolean makeLink(
        FileName name,
        BytePath target,
        Timestamp modified,
        Owner owner,
        Consumer<FdtException> warnings)
        throws FdtException {
      return true;
    }

    @Override
    public boolean makeHardLink(
        FileName name, DestinationDirectory first, FileName firstName, long size)
        throws FdtException {
      return true;
    }

    @Override
    public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

    @Override
    public PartialFile findPartial(FileName name, SourceVersion version) {
      return PartialFile.NONE;
    }

    @Override
    public List<FdtException> finish(int mode, Timestamp modified, Durability durability) {
      return List.of();
    }

    @Override
    public void force() {}

    @Override
    public void close() {}
  }

  /** A file that cannot be read back. */
  protected abstract static class File implements DestinationDirectory.PendingFile {
    @Override
    public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

    @Override
    public void keep(CheckedRange range) {}

    @Override
    public void discard() {
      close();
    }

    @Override
    public void close() {}
  }
}
