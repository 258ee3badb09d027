package io.fdt.nio;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.nio.server.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Copies and moves between paths of servers. Stateless. */
final class Moves {
  private Moves() {}

  private static Remote remote(FdtPath path) {
    return path.getFileSystem().remote();
  }

  /** Copies a file, through this machine, or makes a directory. */
  static void copy(FdtPath source, FdtPath target, Set<CopyOption> options) throws IOException {
    check(options, StandardCopyOption.COPY_ATTRIBUTES, "a copy");
    Remote.Found found = remote(source).find(source, !options.contains(LinkOption.NOFOLLOW_LINKS));
    if (isSame(found, target)) {
      return;
    }
    boolean replace = options.contains(StandardCopyOption.REPLACE_EXISTING);
    if (found.file().is(EntryKind.SYMLINK)) {
      throw new UnsupportedOperationException(
          "'" + source + "' is a symbolic link: FDT cannot make links at a server");
    }
    makeRoom(target, replace, found.file().is(EntryKind.FILE));
    if (found.file().is(EntryKind.DIRECTORY)) {
      remote(target).createDirectory(target);
    } else {
      copyBytes(source, target, replace, found.file().mode() & 0777);
    }
    if (options.contains(StandardCopyOption.COPY_ATTRIBUTES)) {
      remote(target)
          .change(
              target,
              Optional.of(found.file().modified()),
              OptionalInt.of(found.file().mode() & 0777));
    }
  }

  /**
   * Refuses unsupported options.
   *
   * @param own the option that only this operation has
   */
  private static void check(Set<CopyOption> options, CopyOption own, String what) {
    for (CopyOption option : options) {
      if (option != own
          && option != StandardCopyOption.REPLACE_EXISTING
          && option != LinkOption.NOFOLLOW_LINKS) {
        throw new UnsupportedOperationException(option + " is not an option of " + what);
      }
    }
  }

  private static boolean isSame(Remote.Found source, FdtPath target) throws IOException {
    if (!source.path().getFileSystem().equals(target.getFileSystem())) {
      return false;
    }
    Optional<Remote.Found> there = remote(target).findIfThere(target, true);
    return there.isPresent()
        && (there.get().path().equals(source.path())
            || (source.file().identity() != 0
                && source.file().identity() == there.get().file().identity()));
  }

  /** Removes the old target, unless a file can replace it in one step. */
  private static void makeRoom(FdtPath target, boolean replace, boolean withFile)
      throws IOException {
    Optional<Remote.Found> there = remote(target).findIfThere(target, false);
    if (there.isEmpty()) {
      return;
    }
    if (!replace) {
      throw new FileAlreadyExistsException(target.toString());
    }
    if (!(withFile && there.get().file().is(EntryKind.FILE))) {
      remote(target).delete(target);
    }
  }

  /** Copies the bytes. The copy of a private file is private from the start, as in the JDK. */
  private static void copyBytes(FdtPath source, FdtPath target, boolean replace, int mode)
      throws IOException {
    StandardOpenOption[] how =
        replace
            ? new StandardOpenOption[] {
              StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING
            }
            : new StandardOpenOption[] {StandardOpenOption.CREATE_NEW};
    try (InputStream in = Opening.input(source)) {
      OptionalInt kept = Publication.isPrivate(mode) ? OptionalInt.of(mode) : OptionalInt.empty();
      OutputStream out = Opening.output(target, kept, how);
      try {
        in.transferTo(out);
      } catch (IOException | RuntimeException e) {
        if (out instanceof Abandonable unfinished) {
          unfinished.abandon(new IOException("the copy has failed", e)); // closing would publish it
        }
        throw e;
      }
      out.close();
    }
  }

  /** Renames, or copies a file and deletes it when the server cannot rename it. */
  static void move(FdtPath source, FdtPath target, Set<CopyOption> options) throws IOException {
    check(options, StandardCopyOption.ATOMIC_MOVE, "a move");
    boolean replace = options.contains(StandardCopyOption.REPLACE_EXISTING);
    boolean atomic = options.contains(StandardCopyOption.ATOMIC_MOVE);
    Remote.Found found = remote(source).find(source, false);
    if (!source.getFileSystem().equals(target.getFileSystem())) {
      if (atomic) {
        throw new AtomicMoveNotSupportedException(
            source.toString(), target.toString(), "they are on two servers");
      }
      copyAndDelete(found, source, target, options);
      return;
    }
    if (isSameName(found, target)) {
      return;
    }
    if (!atomic && !replace && remote(target).findIfThere(target, false).isPresent()) {
      throw new FileAlreadyExistsException(target.toString());
    }
    try {
      remote(source).rename(source, target, replace || atomic);
    } catch (FdtException e) {
      renameFailed(e, found, source, target, options);
    }
  }

  private static boolean isSameName(Remote.Found source, FdtPath target) throws IOException {
    Optional<Remote.Found> there = remote(target).findIfThere(target, false);
    return there.isPresent() && there.get().path().equals(source.path());
  }

  private static void renameFailed(
      FdtException cause,
      Remote.Found found,
      FdtPath source,
      FdtPath target,
      Set<CopyOption> options)
      throws IOException {
    Optional<Remote.Found> there = remote(target).findIfThere(target, false);
    boolean atomic = options.contains(StandardCopyOption.ATOMIC_MOVE);
    if (cause.code() != ErrorCode.WRONG_KIND || atomic) {
      throw FileErrors.of(cause, source);
    }
    if (there.isPresent()) {
      if (!options.contains(StandardCopyOption.REPLACE_EXISTING)) {
        throw new FileAlreadyExistsException(target.toString());
      }
      boolean bothDirectories =
          there.get().file().is(EntryKind.DIRECTORY) && found.file().is(EntryKind.DIRECTORY);
      if (bothDirectories && !remote(target).list(target).isEmpty()) {
        throw new DirectoryNotEmptyException(target.toString());
      }
      remote(target).delete(target); // of another kind: no single step replaces it
      try {
        remote(source).rename(source, target, false);
      } catch (FdtException e) {
        throw FileErrors.of(e, source);
      }
      return;
    }
    if (!found.file().is(EntryKind.FILE)) {
      throw FileErrors.of(cause, source);
    }
    copyAndDelete(found, source, target, options); // to another file system of the server
  }

  private static void copyAndDelete(
      Remote.Found found, FdtPath source, FdtPath target, Set<CopyOption> options)
      throws IOException {
    if (found.file().is(EntryKind.DIRECTORY) && !remote(source).list(source).isEmpty()) {
      throw new DirectoryNotEmptyException(source.toString());
    }
    boolean replace = options.contains(StandardCopyOption.REPLACE_EXISTING);
    copy(
        source,
        target,
        replace
            ? Set.of(
                StandardCopyOption.COPY_ATTRIBUTES,
                LinkOption.NOFOLLOW_LINKS,
                StandardCopyOption.REPLACE_EXISTING)
            : Set.of(StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS));
    remote(source).delete(source);
  }
}
