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
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.LibC;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.Nesting;
import io.fdt.storage.local.os.TrustedPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A place in the file system of this machine that a transfer writes to.
 *
 * <p>{@link #open} is called once, first; the directories that it leads to may be used on any
 * thread. {@link #close} may be called at any time, from any thread.
 */
public final class LocalDestination implements DestinationTree {
  /**
   * Directories that lead to the destination are made as mkdir makes them: all that the mask
   * allows.
   */
  private static final int PATH_MODE = 0777;

  private final LocalTree tree;
  private final DirectoryScope scope;
  private final ExportedRoots exports;
  private final BytePath destination;
  private final boolean mustBeDirectory;
  private final Optional<BytePath> backupPath;
  private Directory pinnedBase;

  /** Stands in when no source was found: nothing comes then, and nothing is made. */
  private volatile DryRunDestination untouched;

  /** Directories in which others were made on the way to the destination; by the one opener. */
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
   * A destination that the user of this machine named: relative to the working directory, links in
   * it followed.
   *
   * @param mustBeDirectory whether the user said that it is a directory even where none is yet
   * @param kept what files get besides names and bytes
   * @param backups where what is overwritten or deleted goes, relative to the destination; empty
   *     when it is not kept
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

  /** The same without a limit of open files. */
  public static LocalDestination trusted(
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups) {
    return trusted(destination, mustBeDirectory, kept, backups, OpenFileLimit.NONE);
  }

  /** The same that keeps what is kept when nobody has said anything. */
  public static LocalDestination trusted(BytePath destination, boolean mustBeDirectory) {
    return trusted(destination, mustBeDirectory, Preservation.DEFAULT, Optional.empty());
  }

  /** The same with other resources. */
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
   * A destination that a client named: in a writable export, no link followed, ".." refused.
   *
   * @param mustBeDirectory whether the client said that it is a directory even where none is yet
   * @param kept what files get besides names and bytes
   * @param backups where what is overwritten or deleted goes, relative to the destination or, from
   *     a slash on, in its export; empty when it is not kept
   */
  public static LocalDestination confined(
      ExportedRoots exports,
      BytePath destination,
      boolean mustBeDirectory,
      Preservation kept,
      Optional<BytePath> backups) {
    return confined(exports, destination, mustBeDirectory, kept, backups, OpenFileLimit.NONE);
  }

  /** The same, with a limit of the files that are open at once. */
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

  /** {@inheritDoc} Without any root the destination stays as it is. */
  @Override
  public Base open(List<Root> roots) throws FdtException {
    LibC.require();
    if (roots.isEmpty()) {
      untouched =
          exports == null
              ? DryRunDestination.trusted(
                  destination, mustBeDirectory, Preservation.DEFAULT, backupPath)
              : DryRunDestination.confined(
                  exports, destination, mustBeDirectory, Preservation.DEFAULT, backupPath);
      if (scope.isClosed()) {
        untouched.close();
      }
      return untouched.open(roots);
    }
    tree.metadataWriter().require();
    FileName last = PathNames.split(destination).last();
    boolean isDirectoryByName = mustBeDirectory || last == null;
    DestinationRule.requireName(roots, !isDirectoryByName, destination);
    Base base =
        exports == null
            ? openTrusted(roots, last, isDirectoryByName)
            : openConfined(roots, isDirectoryByName);
    Directory directory = ((LocalDestinationDirectory) base.directory()).directory();
    Nesting.refuse(roots, directory, base.newName(), destination.toString());
    if (backupPath.isPresent()) {
      openBackups(directory, base.newName());
    }
    return base;
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

  /** The base stays open, so that moving it aside does not split a transfer. */
  private synchronized Base base(MadeDirectory made, FileName newName) throws FdtException {
    made.directory().pin();
    pinnedBase = made.directory();
    return new Base(new LocalDestinationDirectory(made, scope, tree), newName);
  }

  /**
   * {@inheritDoc} Only what clients send: no server chooses what its clients have not asked for.
   */
  @Override
  public boolean takesStreams() {
    return exports != null;
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

  /** {@inheritDoc} Files that were not published are removed. */
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
