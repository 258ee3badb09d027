package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.CheckedRange;
import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.Root;
import io.fdt.core.manifest.SourceVersion;
import io.fdt.core.manifest.Timestamp;
import java.util.List;
import java.util.Optional;

/**
 * A destination in which files are always replaced: of a part of a file, size and time do not tell
 * which part it is. As threads go it is like the one beneath it.
 */
public final class ReplacingDestination implements DestinationTree {
  private final DestinationTree tree;

  public ReplacingDestination(DestinationTree tree) {
    this.tree = tree;
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    Base base = tree.open(roots);
    return new Base(new Replacing(base.directory()), base.newName());
  }

  @Override
  public void force() throws FdtException {
    tree.force();
  }

  @Override
  public void close() {
    tree.close();
  }

  private record Replacing(DestinationDirectory directory) implements DestinationDirectory {
    @Override
    public DiskId disk() {
      return directory.disk();
    }

    @Override
    public boolean isFresh() {
      return directory.isFresh();
    }

    @Override
    public String path() {
      return directory.path();
    }

    /** A file that is there is as good as none. */
    @Override
    public Optional<Attributes> find(FileName name) throws FdtException {
      return directory.find(name).filter(found -> !found.is(EntryKind.FILE));
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) throws FdtException {
      return new Replacing(directory.makeDirectory(name));
    }

    @Override
    public void makeLink(FileName name, BytePath target, Timestamp modified) throws FdtException {
      directory.makeLink(name, target, modified);
    }

    @Override
    public PendingFile createFile(FileName name, long size) throws FdtException {
      return directory.createFile(name, size);
    }

    @Override
    public PartialFile findPartial(FileName name, SourceVersion version) throws FdtException {
      return directory.findPartial(name, version);
    }

    @Override
    public PendingFile createJournaledFile(
        FileName name, SourceVersion version, List<CheckedRange> kept) throws FdtException {
      return directory.createJournaledFile(name, version, kept);
    }

    @Override
    public void finish(int mode, Timestamp modified) throws FdtException {
      directory.finish(mode, modified);
    }

    @Override
    public void force() throws FdtException {
      directory.force();
    }

    @Override
    public void finishDurably(int mode, Timestamp modified) throws FdtException {
      directory.finishDurably(mode, modified);
    }

    @Override
    public void close() {
      directory.close();
    }
  }
}
