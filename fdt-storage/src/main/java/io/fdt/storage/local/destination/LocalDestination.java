package io.fdt.storage.local.destination;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.DestinationRule;
import io.fdt.core.model.DirectIo;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Root;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.storage.local.destination.replace.BackupFinder;
import io.fdt.storage.local.destination.replace.BackupPlace;
import io.fdt.storage.local.destination.replace.Backups;
import io.fdt.storage.local.destination.replace.DeletionWalk;
import io.fdt.storage.local.os.CachePolicy;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.Nesting;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.local.os.TrustedPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A local destination of a transfer.
 *
 * <p>{@link #open} is called once, first; its directories may be used on any thread. {@link #close}
 * may be called at any time, from any thread.
 */
public final class LocalDestination implements DestinationTree {
  /** Mode of directories above the destination: as with mkdir, reduced by the mask. */
  private static final int PATH_MODE = 0777;

  private final LocalTree tree;
  private final DirectoryScope scope;
  private final ExportedRoots exports;
  private final BytePath destination;
  private final boolean mustBeDirectory;
  private final Optional<BytePath> backupPath;
  private Optional<BytePath> olderPath = Optional.empty();
  private Directory pinnedBase;

  /** Stands in when no source was found, so that nothing is created. */
  private volatile DryRunDestination untouched;

  /** Directories above the destination in which others were created; confined to the opener. */
  private final List<Directory> parentsOfMade = new ArrayList<>();

  private LocalDestination(
      ExportedRoots exports,
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backupPath,
      LocalTree.Resources resources) {
    this.backupPath = backupPath;
    this.tree = new LocalTree(kept, resources);
    this.scope = tree.scope();
    this.exports = exports;
    this.destination = destination;
    this.mustBeDirectory = mustBeDirectory;
  }

  /**
   * For the user of this machine: relative to the working directory, following links.
   *
   * @param mustBeDirectory whether the user said that it is a directory, existing or not
   * @param kept attributes besides names and bytes
   * @param backups directory for overwritten and deleted files, relative to the destination; empty
   *     for none
   */
  public static LocalDestination trusted(
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups,
      OpenFileLimit openFiles) {
    return new LocalDestination(
        null, destination, mustBeDirectory, kept, backups, LocalTree.Resources.of(openFiles));
  }

  /** A destination without a limit on open files. */
  public static LocalDestination trusted(
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups) {
    return trusted(destination, mustBeDirectory, kept, backups, OpenFileLimit.NONE);
  }

  /** A destination with the default attributes. */
  public static LocalDestination trusted(BytePath destination, boolean mustBeDirectory) {
    return trusted(destination, mustBeDirectory, Preservation.DEFAULT, Optional.empty());
  }

  /** A destination with other resources. */
  static LocalDestination trusted(
      BytePath destination, boolean mustBeDirectory, LocalTree.Resources resources) {
    return trusted(destination, mustBeDirectory, Preservation.DEFAULT, Optional.empty(), resources);
  }

  static LocalDestination trusted(
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups,
      LocalTree.Resources resources) {
    return new LocalDestination(null, destination, mustBeDirectory, kept, backups, resources);
  }

  /**
   * A destination for a client: in a writable export, no link followed, ".." refused.
   *
   * @param mustBeDirectory whether the client said that it is a directory, existing or not
   * @param kept attributes besides names and bytes
   * @param backups directory for overwritten and deleted files, relative to the destination or, if
   *     absolute, in its export; empty for none
   */
  public static LocalDestination confined(
      ExportedRoots exports,
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups) {
    return confined(exports, destination, mustBeDirectory, kept, backups, OpenFileLimit.NONE);
  }

  /** A destination for a client, with a limit on open files. */
  public static LocalDestination confined(
      ExportedRoots exports,
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups,
      OpenFileLimit openFiles) {
    return new LocalDestination(
        exports, destination, mustBeDirectory, kept, backups, LocalTree.Resources.of(openFiles));
  }

  /**
   * Looks for bytes in an older file or tree: relative to the destination, or absolute. Called
   * before {@link #open}.
   */
  public LocalDestination withOlder(Optional<BytePath> path) {
    olderPath = path;
    return this;
  }

  /** Sets how large files pass the page cache, before opening. Default: they stay there. */
  public LocalDestination directIo(DirectIo rule) {
    tree.pass(new CachePolicy(rule));
    return this;
  }

  /** {@inheritDoc} Without any root, the destination is unchanged. */
  @Override
  public Base open(List<Root> roots) throws FdtException {
    Syscalls.require();
    if (roots.isEmpty()) {
      untouched = untouched();
      if (scope.isClosed()) {
        untouched.close();
      }
      return untouched.open(roots);
    }
    tree.metadataWriter().require();
    FileName last = PathNames.split(destination).last();
    boolean isDirectoryByName = mustBeDirectory || last == null;
    DestinationRule.requireName(roots, !isDirectoryByName, destination);
    if (Nesting.isPossible(roots)) {
      try (DryRunDestination before = untouched()) {
        before.open(roots); // refuses before anything is made
      }
    }
    Base base =
        exports == null
            ? openTrusted(roots, last, isDirectoryByName)
            : openConfined(roots, isDirectoryByName);
    Directory directory = ((LocalDestinationDirectory) base.directory()).directory();
    if (backupPath.isPresent()) {
      openBackups(directory, base.newName());
    }
    return olderPath.isEmpty()
        ? base
        : new Base(base.directory(), base.newName(), findOlder(directory, base.newName()));
  }

  private DryRunDestination untouched() {
    return exports == null
        ? DryRunDestination.trusted(destination, mustBeDirectory, Preservation.DEFAULT, backupPath)
        : DryRunDestination.confined(
            exports, destination, mustBeDirectory, Preservation.DEFAULT, backupPath);
  }

  private Older findOlder(Directory base, FileName newName) throws FdtException {
    OlderFinder finder = new OlderFinder(scope, tree.metadataWriter(), olderPath.get());
    return exports == null
        ? finder.trusted(PathNames.ofBase(destination, newName))
        : finder.confined(base, exports);
  }

  private void openBackups(Directory base, FileName newName) throws FdtException {
    BackupFinder finder = new BackupFinder(scope, backupPath.get(), true);
    BackupPlace place =
        exports == null
            ? finder.trusted(base, PathNames.ofBase(destination, newName))
            : finder.confined(base, exports, exports.startOfWriting(destination));
    tree.replacer().keepIn(new Backups(scope, tree.calls(), base, place));
  }

  private Base openTrusted(List<Root> roots, FileName last, boolean isDirectoryByName)
      throws FdtException {
    TrustedPath path = new TrustedPath(scope, destination);
    boolean isDirectory = path.isDirectory();
    if (DestinationRule.isNewName(roots, isDirectory, isDirectoryByName)) {
      TrustedPath parent = new TrustedPath(scope, PathNames.split(destination).directory());
      MadeDirectory made = parent.openOrMake(PATH_MODE, parentsOfMade);
      SpecialFile.refuseBehindLinks(made.directory(), last);
      return base(made, last);
    }
    return base(path.openOrMake(PATH_MODE, parentsOfMade), null);
  }

  private Base openConfined(List<Root> roots, boolean isDirectoryByName) throws FdtException {
    ExportedRoots.Start start = exports.startOfWriting(destination);
    MadeDirectory current = new MadeDirectory(start.root(), false);
    List<FileName> names = start.names();
    for (int i = 0; i < names.size(); i++) {
      FileName name = names.get(i);
      if (i == names.size() - 1) {
        Attributes there = current.directory().find(name);
        Directory linked =
            LinkedDestination.directory(scope, start, current.directory(), name, there);
        boolean isDirectory = linked != null || (there != null && there.is(EntryKind.DIRECTORY));
        if (DestinationRule.isNewName(roots, isDirectory, isDirectoryByName)) {
          SpecialFile.refuse(current.directory(), name, there);
          return base(current, name);
        }
        if (linked != null) {
          current = new MadeDirectory(linked, false);
          break;
        }
      }
      Directory parent = current.directory();
      current = MadeDirectory.make(parent, scope, name, PATH_MODE);
      if (current.isFresh()) {
        parentsOfMade.add(parent);
      }
    }
    DestinationRule.requireName(roots, false, destination);
    return base(current, null);
  }

  /** Keeps the base open, so that moving it aside does not split a transfer. */
  private synchronized Base base(MadeDirectory made, FileName newName) throws FdtException {
    made.directory().pin();
    pinnedBase = made.directory();
    return new Base(new LocalDestinationDirectory(made, scope, tree), newName);
  }

  /**
   * {@inheritDoc} Only for sending clients: a server must not choose files that its clients have
   * not requested.
   */
  @Override
  public Capabilities capabilities() {
    return Syscalls.capabilities().withUnknownSizes(exports != null);
  }

  @Override
  public void force() throws FdtException {
    for (Directory parent : parentsOfMade) {
      parent.force();
    }
  }

  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules)
      throws InterruptedException {
    Directory base;
    synchronized (this) {
      base = pinnedBase;
    }
    if (base == null) {
      return;
    }
    DeletionWalk walk =
        new DeletionWalk(
            base, scope, rules, tree.replacer().disposal(pretend), tree.replacer().backupPlace());
    try {
      for (List<FileName> root : roots) {
        walk.run(root);
      }
    } finally {
      tree.modes().restore();
    }
  }

  /** {@inheritDoc} Removes unpublished files. */
  @Override
  public void close() {
    tree.closeUnfinished();
    tree.modes().close();
    Directory base;
    synchronized (this) {
      base = pinnedBase;
      pinnedBase = null;
    }
    scope.close();
    if (untouched != null) {
      untouched.close();
    }
    if (base != null) {
      base.unpin();
    }
  }
}
