package io.fdt.storage.local.export;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.RemovalVisitor;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.destination.replace.Disposal;
import io.fdt.storage.local.destination.replace.RemoveTree;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Creates, renames and removes names within exports, relative to open directories and without
 * following links. Stateless; any thread.
 */
public final class ExportEdit {
  /** The mode of mkdir, reduced by the umask. */
  private static final int MODE = 0777;

  private static final int OPEN_FLAGS =
      Flags.O_RDONLY | Flags.O_NOFOLLOW | Flags.O_NONBLOCK | Flags.O_NOCTTY;

  /**
   * A name in a writable export.
   *
   * @param path as the client wrote it
   */
  private record Spot(Directory directory, FileName name, BytePath path) {
    String display() {
      return directory.pathOf(name);
    }
  }

  private ExportEdit() {}

  /**
   * Creates a directory.
   *
   * @param parents whether missing parents are created, and an existing directory is accepted
   * @throws FdtException FORBIDDEN, NOT_FOUND, WRONG_KIND for an existing name, BAD_NAME, ...
   */
  public static void makeDirectory(ExportedRoots exports, BytePath path, boolean parents)
      throws FdtException {
    try (DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      ExportedRoots.Start start = exports.startOfWriting(path);
      List<FileName> names = start.names();
      if (names.isEmpty() && !parents) {
        throw taken(path.toString());
      }
      Directory directory = start.root();
      for (int i = 0; i < names.size(); i++) {
        FileName name = names.get(i);
        boolean isLast = i == names.size() - 1;
        if (parents || isLast) {
          directory = make(directory, scope, name, parents);
        } else {
          directory = directory.child(scope, name);
        }
      }
    }
  }

  private static Directory make(
      Directory parent, DirectoryScope scope, FileName name, boolean mayExist) throws FdtException {
    TemporaryName.refuse(name, () -> parent.pathOf(name));
    MadeDirectory made = MadeDirectory.make(parent, scope, name, MODE);
    if (!mayExist && !made.isFresh()) {
      throw taken(parent.pathOf(name));
    }
    return made.directory();
  }

  /**
   * Renames within one file system.
   *
   * @param replace whether to replace a file, a link or an empty directory at the new path,
   *     atomically
   * @throws FdtException FORBIDDEN (also for an export itself), NOT_FOUND, WRONG_KIND when the new
   *     path exists, is in another file system, or lies within the old one
   */
  public static void rename(ExportedRoots exports, BytePath from, BytePath to, boolean replace)
      throws FdtException {
    try (DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      Spot source = spot(exports, scope, from, "renamed");
      checkNoExport(exports, source.directory().get(source.name()), source.path(), "renamed");
      TemporaryName.refuse(source.name(), source::display);
      if (exports.startOfWriting(to).names().isEmpty()) {
        throw taken(to.toString());
      }
      Spot target = spot(exports, scope, to, "replaced");
      TemporaryName.refuse(target.name(), target::display);
      Attributes replaced = replace ? target.directory().find(target.name()) : null;
      if (replaced != null) {
        checkNoExport(exports, replaced, target.path(), "replaced");
      }
      rename(source, target, replace);
    }
  }

  private static void rename(Spot source, Spot target, boolean replace) throws FdtException {
    int fromDirectory = source.directory().pin();
    try {
      int toDirectory = target.directory().pin();
      try {
        int result =
            replace
                ? Syscalls.rename(fromDirectory, source.name(), toDirectory, target.name())
                : Syscalls.renameToFree(fromDirectory, source.name(), toDirectory, target.name());
        if (!replace && result == -Errno.EINVAL && target.directory().find(target.name()) == null) {
          // For file systems without an atomic rename to a free name; also the last case of
          // renameFailure.
          result = Syscalls.rename(fromDirectory, source.name(), toDirectory, target.name());
        }
        if (result < 0) {
          throw renameFailure(-result, source, target);
        }
      } finally {
        target.directory().unpin();
      }
    } finally {
      source.directory().unpin();
    }
  }

  private static FdtException renameFailure(int errno, Spot source, Spot target) {
    return switch (errno) {
      case Errno.EEXIST, Errno.ENOTEMPTY -> taken(target.display());
      case Errno.EXDEV ->
          new FdtException(
              ErrorCode.WRONG_KIND,
              "'%s' and '%s' are on two file systems: copy it there and remove it here"
                  .formatted(source.display(), target.display()));
      case Errno.EINVAL ->
          new FdtException(
              ErrorCode.WRONG_KIND,
              "'%s' cannot be moved into itself: '%s'; choose another place"
                  .formatted(source.display(), target.display()));
      default -> Errno.ofName(errno, "rename", source.display());
    };
  }

  /**
   * Removes a path; a link itself is removed. Files of running transfers stay.
   *
   * @param recursive whether to remove a directory with its content
   * @throws FdtException FORBIDDEN (also for an export itself), NOT_FOUND, WRONG_KIND for a
   *     directory without {@code recursive}, and failures of {@code removal}
   */
  public static void remove(
      ExportedRoots exports, BytePath path, boolean recursive, RemovalVisitor removal)
      throws FdtException, InterruptedException {
    try (DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      Spot spot = spot(exports, scope, path, "removed");
      Attributes found = spot.directory().get(spot.name());
      if (found.is(EntryKind.DIRECTORY)) {
        if (!recursive) {
          throw isDirectory(spot.display());
        }
        checkNoExport(exports, found, path, "removed");
      }
      Remover remover = new Remover(exports, recursive, removal);
      try {
        new RemoveTree(scope, Disposal.REMOVE, false, remover)
            .remove(spot.directory(), spot.name(), List.of());
      } catch (InterruptedException e) {
        remover.rethrow();
        throw e;
      }
      for (BytePath kept : remover.kept) {
        BytePath shown = BytePath.of(spot.directory().path()).resolve(kept);
        removal.failed(
            shown.toString(),
            recursive ? exportItself(shown, "removed") : isDirectory(shown.toString()));
      }
    }
  }

  /**
   * Removes a file, a link or an empty directory.
   *
   * @return its attributes
   * @throws FdtException FORBIDDEN (also for an export itself), NOT_FOUND, WRONG_KIND for a
   *     directory that is not empty
   */
  public static Attributes removeOne(ExportedRoots exports, BytePath path) throws FdtException {
    try (DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      Spot spot = spot(exports, scope, path, "removed");
      Attributes found = spot.directory().get(spot.name());
      checkNoExport(exports, found, path, "removed");
      TemporaryName.refuse(spot.name(), spot::display);
      int pinned = spot.directory().pin();
      int result;
      try {
        result =
            found.is(EntryKind.DIRECTORY)
                ? Syscalls.rmdir(pinned, spot.name())
                : Syscalls.unlink(pinned, spot.name());
      } finally {
        spot.directory().unpin();
      }
      if (result == -Errno.ENOTEMPTY || result == -Errno.EEXIST) {
        throw new FdtException(
            ErrorCode.WRONG_KIND,
            "the directory '"
                + spot.display()
                + "' is not empty; add "
                + Setting.REMOVE_TREE
                + " to remove all that it holds");
      }
      if (result < 0) {
        throw Errno.ofName(-result, "remove", spot.display());
      }
      return found;
    }
  }

  /**
   * Changes the time or the permissions of a file or directory; the time also of a link itself.
   *
   * @param modified null to keep it
   * @param mode permission bits, at most 0777
   * @throws FdtException FORBIDDEN (also for an export itself), NOT_FOUND, PERMISSION, WRONG_KIND
   *     for permissions of a link
   */
  public static void changeAttributes(
      ExportedRoots exports, BytePath path, Timestamp modified, OptionalInt mode)
      throws FdtException {
    try (DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      Spot spot = spot(exports, scope, path, "changed");
      Attributes found = spot.directory().get(spot.name());
      checkNoExport(exports, found, path, "changed");
      TemporaryName.refuse(spot.name(), spot::display);
      if (mode.isPresent()) {
        changeMode(scope, spot, found, mode.getAsInt());
      }
      if (modified != null) {
        int pinned = spot.directory().pin();
        try {
          check(Syscalls.setModified(pinned, spot.name(), modified), "set the time of", spot);
        } finally {
          spot.directory().unpin();
        }
      }
    }
  }

  /** Uses a descriptor opened without following links, so that no link leads elsewhere. */
  private static void changeMode(DirectoryScope scope, Spot spot, Attributes found, int mode)
      throws FdtException {
    if (found.is(EntryKind.DIRECTORY)) {
      Directory directory = spot.directory().child(scope, spot.name());
      try {
        check(Syscalls.chmodDirectory(directory.pin(), mode), "set the permissions of", spot);
      } finally {
        directory.unpin();
      }
      return;
    }
    if (!found.is(EntryKind.FILE)) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'" + spot.display() + "' has no permissions to change; name a file or directory");
    }
    int pinned = spot.directory().pin();
    int descriptor;
    try {
      descriptor = Syscalls.open(pinned, spot.name(), OPEN_FLAGS, 0);
    } finally {
      spot.directory().unpin();
    }
    check(descriptor, "open", spot);
    try {
      check(Syscalls.chmod(descriptor, mode), "set the permissions of", spot);
    } finally {
      Syscalls.close(descriptor);
    }
  }

  private static void check(int result, String doing, Spot spot) throws FdtException {
    if (result < 0) {
      throw Errno.ofName(-result, doing, spot.display());
    }
  }

  private static FdtException isDirectory(String path) {
    return new FdtException(
        ErrorCode.WRONG_KIND,
        "'%s' is a directory; add %s to remove it with all that it holds"
            .formatted(path, Setting.REMOVE_TREE));
  }

  /** Checks each entry again: earlier attributes may be stale. */
  private static final class Remover implements RemoveTree.Visitor {
    private final ExportedRoots exports;
    private final boolean recursive;
    private final RemovalVisitor removal;
    private final List<BytePath> kept = new ArrayList<>();
    private FdtException ended;

    Remover(ExportedRoots exports, boolean recursive, RemovalVisitor removal) {
      this.exports = exports;
      this.recursive = recursive;
      this.removal = removal;
    }

    @Override
    public boolean keeps(List<FileName> way, FileName name, Attributes found) {
      boolean keeps = found.is(EntryKind.DIRECTORY) && (!recursive || exports.isExport(found));
      if (keeps) {
        BytePath path = BytePath.EMPTY;
        for (FileName above : way) {
          path = path.resolve(BytePath.of(above.bytes()));
        }
        kept.add(path.resolve(BytePath.of(name.bytes())));
      }
      return keeps;
    }

    @Override
    public void removed(String path, Attributes what) throws InterruptedException {
      report(() -> removal.removed(what));
    }

    @Override
    public void failed(String path, FdtException cause) throws InterruptedException {
      report(() -> removal.failed(path, cause));
    }

    private interface Report {
      void run() throws FdtException, InterruptedException;
    }

    private void report(Report report) throws InterruptedException {
      try {
        report.run();
      } catch (FdtException e) {
        ended = e;
        throw new InterruptedException("the removal was cancelled");
      }
    }

    void rethrow() throws FdtException {
      if (ended != null) {
        throw ended;
      }
    }
  }

  /** The last name of a path, with its directory open. */
  private static Spot spot(
      ExportedRoots exports, DirectoryScope scope, BytePath path, String whatWouldBeDone)
      throws FdtException {
    ExportedRoots.Start start = exports.startOfWriting(path);
    List<FileName> names = start.names();
    if (names.isEmpty()) {
      throw exportItself(path, whatWouldBeDone);
    }
    Directory directory = start.root();
    for (FileName name : names.subList(0, names.size() - 1)) {
      directory = directory.child(scope, name);
    }
    return new Spot(directory, names.get(names.size() - 1), path);
  }

  private static void checkNoExport(
      ExportedRoots exports, Attributes attributes, BytePath path, String whatWouldBeDone)
      throws FdtException {
    if (attributes.is(EntryKind.DIRECTORY) && exports.isExport(attributes)) {
      throw exportItself(path, whatWouldBeDone);
    }
  }

  private static FdtException exportItself(BytePath path, String whatWouldBeDone) {
    return new FdtException(
        ErrorCode.FORBIDDEN,
        "'%s' is an export itself, which is not %s; choose a path in it"
            .formatted(path, whatWouldBeDone));
  }

  private static FdtException taken(String path) {
    return new FdtException(
        ErrorCode.WRONG_KIND, "'" + path + "' exists; choose another name, or remove it first");
  }
}
