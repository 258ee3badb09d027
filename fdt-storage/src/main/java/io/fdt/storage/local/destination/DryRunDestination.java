package io.fdt.storage.local.destination;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.DestinationRule;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Root;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationTree;
import io.fdt.storage.local.destination.partial.FreeSpace;
import io.fdt.storage.local.destination.replace.BackupFinder;
import io.fdt.storage.local.destination.replace.BackupPlace;
import io.fdt.storage.local.destination.replace.DeletionWalk;
import io.fdt.storage.local.destination.replace.Disposal;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.Nesting;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.local.os.TrustedPath;
import java.util.List;
import java.util.Optional;

/**
 * A local destination that is never changed: where {@link LocalDestination} would create a
 * directory, this one continues without.
 *
 * <p>Confined to one thread, except for {@link #close}.
 */
public final class DryRunDestination implements DestinationTree {
  private final DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS);
  private final ExportedRoots exports;
  private final BytePath destination;
  private final boolean mustBeDirectory;
  private final Optional<BytePath> backupPath;
  private final MetadataWriter metadataWriter;

  /** Null for none. */
  private BackupPlace backups;

  /** The directory of the destination; null if it does not exist. */
  private Directory base;

  /** The base, or the last existing directory on the way to it. */
  private Directory nearest;

  private DryRunDestination(
      ExportedRoots exports,
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backupPath) {
    this.metadataWriter = new MetadataWriter(kept, false);
    this.backupPath = backupPath;
    this.exports = exports;
    this.destination = destination;
    this.mustBeDirectory = mustBeDirectory;
  }

  /** As {@link LocalDestination#trusted}. */
  public static DryRunDestination trusted(
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups) {
    return new DryRunDestination(null, destination, mustBeDirectory, kept, backups);
  }

  /** As {@link LocalDestination#confined}. */
  public static DryRunDestination confined(
      ExportedRoots exports,
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups) {
    return new DryRunDestination(exports, destination, mustBeDirectory, kept, backups);
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    Base opened = find(roots);
    base = ((DryRunDirectory) opened.directory()).directory();
    boolean isItself = base != null && opened.newName() == null;
    Nesting.refuse(roots, nearest, isItself, destination.toString());
    if (backupPath.isPresent()) {
      BackupFinder finder = new BackupFinder(scope, backupPath.get(), false);
      backups =
          exports == null
              ? finder.trusted(base, PathNames.ofBase(destination, opened.newName()))
              : finder.confined(base, exports, exports.startOfWriting(destination));
    }
    return opened;
  }

  private Base find(List<Root> roots) throws FdtException {
    FileName last = PathNames.split(destination).last();
    boolean isDirectoryByName = mustBeDirectory || last == null;
    return exports == null
        ? openTrusted(roots, last, isDirectoryByName)
        : openConfined(roots, isDirectoryByName);
  }

  private Base openTrusted(List<Root> roots, FileName last, boolean isDirectoryByName)
      throws FdtException {
    TrustedPath path = new TrustedPath(scope, destination);
    if (!DestinationRule.isNewName(roots, path.isDirectory(), isDirectoryByName)) {
      return new Base(directory(path), null);
    }
    DryRunDirectory parent =
        directory(new TrustedPath(scope, PathNames.split(destination).directory()));
    if (parent.directory() != null) {
      SpecialFile.refuseBehindLinks(parent.directory(), last);
    }
    return new Base(parent, last);
  }

  private DryRunDirectory directory(TrustedPath path) throws FdtException {
    TrustedPath.Nearest found = path.nearest();
    nearest = found.directory();
    return new DryRunDirectory(found.whole(), path.path().toString(), scope, metadataWriter);
  }

  private Base openConfined(List<Root> roots, boolean isDirectoryByName) throws FdtException {
    ExportedRoots.Start start = exports.startOfWriting(destination);
    nearest = start.root();
    DryRunDirectory current = new DryRunDirectory(nearest, nearest.path(), scope, metadataWriter);
    List<FileName> names = start.names();
    for (int i = 0; i < names.size(); i++) {
      FileName name = names.get(i);
      if (i == names.size() - 1) {
        Attributes there = current.find(name).orElse(null);
        Directory linked =
            LinkedDestination.directory(scope, start, current.directory(), name, there);
        boolean isDirectory = linked != null || (there != null && there.is(EntryKind.DIRECTORY));
        if (DestinationRule.isNewName(roots, isDirectory, isDirectoryByName)) {
          SpecialFile.refuse(current.directory(), name, there);
          return new Base(current, name);
        }
        if (linked != null) {
          nearest = linked;
          current = new DryRunDirectory(linked, linked.path(), scope, metadataWriter);
          break;
        }
      }
      current = current.makeDirectory(name);
      nearest = current.directory() == null ? nearest : current.directory();
    }
    return new Base(current, null);
  }

  /** {@inheritDoc} Nothing to sync. */
  @Override
  public void force() {}

  @Override
  public String shortage(long bytes) {
    return base == null ? "" : FreeSpace.shortage(base, destination.toString(), bytes);
  }

  @Override
  public Capabilities capabilities() {
    return Syscalls.capabilities();
  }

  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules)
      throws InterruptedException {
    if (base == null) {
      return;
    }
    DeletionWalk walk = new DeletionWalk(base, scope, rules, Disposal.PRETEND, backups);
    for (List<FileName> root : roots) {
      walk.run(root);
    }
  }

  @Override
  public void close() {
    scope.close();
  }
}
