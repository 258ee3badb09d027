package io.fdt.nio;

import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteHost;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.nio.server.Connections;
import io.fdt.nio.server.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The requests of one file system, with the exceptions that programs expect. The server follows no
 * links; this class does, by reading their targets. Any thread.
 */
final class Remote {
  /**
   * A file that exists.
   *
   * @param path absolute, without links on the way
   * @param file its description
   */
  record Found(FdtPath path, RemoteFile file) {}

  private final FdtFileSystem fileSystem;

  /** Changes made here; they invalidate earlier listings. */
  private final AtomicLong changes = new AtomicLong();

  /** How long rights are cached; the server checks every request anyway. */
  private static final long HOST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private record SeenHost(RemoteHost host, long nanos) {}

  private volatile SeenHost seenHost;

  Remote(FdtFileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  /** Runs a request that changes nothing. */
  private <T> T ask(FdtPath path, Connections.Use<T> use) throws FdtException, IOException {
    try {
      return fileSystem.connections(path).call(true, use);
    } catch (InterruptedException e) {
      throw FileErrors.interrupted(e, path);
    }
  }

  private interface Change {
    void make(RemoteFiles files, BytePath path) throws FdtException, InterruptedException;
  }

  /** Changes a path; if there are links on the way to it, retries with the resolved path. */
  private void change(FdtPath path, Change change) throws FdtException, IOException {
    changes.incrementAndGet();
    try {
      changeOnce(path, change);
    } catch (FdtException e) {
      FdtPath real = e.code() == ErrorCode.WRONG_KIND ? realParent(path, new int[1]) : path;
      if (real.bytes().equals(path.bytes())) {
        throw e;
      }
      changeOnce(real, change);
    } finally {
      changes.incrementAndGet();
    }
  }

  private void changeOnce(FdtPath path, Change change) throws FdtException, IOException {
    try {
      fileSystem
          .connections(path)
          .call(
              false,
              files -> {
                change.make(files, path.bytes());
                return path;
              });
    } catch (InterruptedException e) {
      throw FileErrors.interrupted(e, path);
    }
  }

  /** Records a change made elsewhere in this program. */
  void changed() {
    changes.incrementAndGet();
  }

  /**
   * The file at a path.
   *
   * @param follow whether a link at its end is followed, too
   */
  Found find(FdtPath path, boolean follow) throws IOException {
    return find(path, follow, new int[1]);
  }

  /** The file at a path; empty if missing. */
  Optional<Found> findIfThere(FdtPath path, boolean follow) throws IOException {
    try {
      return Optional.of(find(path, follow));
    } catch (java.nio.file.NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private Found find(FdtPath path, boolean follow, int[] followed) throws IOException {
    fileSystem.checkOpen(); // also without a request
    SeenFile seen = path.seen();
    if (seen != null
        && seen.isGood(System.nanoTime(), changes.get())
        && !(follow && seen.file().is(EntryKind.SYMLINK))) {
      return new Found(seen.real(), seen.file());
    }
    FdtPath at = path.toAbsolutePath().normalize();
    while (true) {
      RemoteFile file;
      try {
        file = stat(at);
      } catch (FdtException e) {
        if (e.code() != ErrorCode.WRONG_KIND) {
          throw FileErrors.of(e, path);
        }
        FdtPath real = realParent(at, followed);
        if (real.equals(at)) {
          throw notDirectory(path, e);
        }
        at = real;
        continue;
      }
      if (!follow || !file.is(EntryKind.SYMLINK)) {
        return new Found(at, file);
      }
      at = target(path, at, file, followed);
    }
  }

  private RemoteFile stat(FdtPath at) throws FdtException, IOException {
    return ask(at, files -> files.stat(at.bytes()));
  }

  private FdtPath target(FdtPath asked, FdtPath link, RemoteFile file, int[] followed)
      throws IOException {
    if (++followed[0] > LinkOptions.MOST) {
      throw new FileSystemLoopException(asked + ": more than " + LinkOptions.MOST + " links");
    }
    FdtPath target = FdtPath.of(fileSystem, ByteText.decode(file.linkTarget().bytes()));
    return link.getParent().resolve(target).normalize();
  }

  /** The path with all links on the way to its last name followed. */
  private FdtPath realParent(FdtPath path, int[] followed) throws IOException {
    FdtPath whole = path.toAbsolutePath().normalize();
    if (whole.getParent() == null) {
      return whole;
    }
    FdtPath at = whole.getRoot();
    for (int i = 0; i < whole.getNameCount() - 1; i++) {
      Found found = find(at.resolve(whole.getName(i)), true, followed);
      if (!found.file().is(EntryKind.DIRECTORY)) {
        throw notDirectory(path, null);
      }
      at = found.path();
    }
    return at.resolve(whole.getFileName());
  }

  private static IOException notDirectory(FdtPath path, FdtException cause) {
    NotDirectoryException error = new NotDirectoryException(path.toString());
    error.initCause(cause);
    return error;
  }

  /** The names in a directory, in no order, each with its attributes. */
  List<FdtPath> list(FdtPath directory) throws IOException {
    long before = changes.get();
    Found found = find(directory, true);
    if (!found.file().is(EntryKind.DIRECTORY)) {
      throw notDirectory(directory, null);
    }
    try {
      List<RemoteFile> files = ask(directory, remote -> remote.list(found.path().bytes()));
      long nowNanos = System.nanoTime();
      List<FdtPath> paths = new ArrayList<>(files.size());
      for (RemoteFile file : files) {
        FdtPath name = name(directory, file);
        FdtPath real = found.path().resolve(name);
        paths.add(directory.resolve(name).seenAs(new SeenFile(real, file, nowNanos, before)));
      }
      return paths;
    } catch (FdtException e) {
      throw FileErrors.of(e, directory);
    }
  }

  /**
   * The path of a listed entry.
   *
   * @throws NotDirectoryException the listing shows the path itself, which is no longer a directory
   */
  static FdtPath name(FdtPath directory, RemoteFile file) throws NotDirectoryException {
    if (FileName.flawOf(file.name().bytes()) != null) {
      throw new NotDirectoryException(directory.toString());
    }
    return FdtPath.of(directory.getFileSystem(), ByteText.decode(file.name().bytes()));
  }

  /**
   * Reads a range of a file; see {@link RemoteFiles#read}.
   *
   * @param found the file, which must still have the path
   */
  int read(Found found, long offset, ByteBuffer target) throws IOException {
    int start = target.position();
    try {
      return ask(
          found.path(),
          files -> {
            target.position(start); // when it is asked again
            return files.read(found.path().bytes(), found.file().identity(), offset, target);
          });
    } catch (FdtException e) {
      throw FileErrors.of(e, found.path());
    }
  }

  void createDirectory(FdtPath path) throws IOException {
    try {
      change(path, (files, bytes) -> files.makeDirectory(bytes, false));
    } catch (FdtException e) {
      if (isThere(e, path)) {
        throw new FileAlreadyExistsException(path.toString());
      }
      throw e.code() == ErrorCode.WRONG_KIND ? notDirectory(path, e) : FileErrors.of(e, path);
    }
  }

  private boolean isThere(FdtException cause, FdtPath path) throws IOException {
    boolean mayBe =
        cause.code() == ErrorCode.WRONG_KIND
            || cause.code() == ErrorCode.FORBIDDEN
            || cause.code() == ErrorCode.PERMISSION;
    return mayBe && findIfThere(path, false).isPresent();
  }

  void delete(FdtPath path) throws IOException {
    try {
      change(path, RemoteFiles::removeOne);
    } catch (FdtException e) {
      boolean isDirectory =
          e.code() == ErrorCode.WRONG_KIND && find(path, false).file().is(EntryKind.DIRECTORY);
      throw isDirectory ? new DirectoryNotEmptyException(path.toString()) : FileErrors.of(e, path);
    }
  }

  /**
   * Renames without copying.
   *
   * @throws FdtException WRONG_KIND when the target exists, or is on another file system
   */
  void rename(FdtPath source, FdtPath target, boolean replace) throws FdtException, IOException {
    FdtPath realTarget = realOfTarget(target);
    change(source, (files, from) -> files.rename(from, realTarget.bytes(), replace));
  }

  private FdtPath realOfTarget(FdtPath target) throws IOException {
    FdtPath parent = target.toAbsolutePath().normalize().getParent();
    if (parent == null) {
      return target;
    }
    return find(parent, true).path().resolve(target.toAbsolutePath().normalize().getFileName());
  }

  /** The path of a new file, whose directory exists and is resolved. */
  FdtPath forWriting(FdtPath path) throws IOException {
    FdtPath real = realOfTarget(path);
    if (!isWritable(real)) {
      throw new java.nio.file.AccessDeniedException(
          path.toString(), null, "the export is read-only for this token");
    }
    return real;
  }

  /** Sets the time of modification or the permissions of a path, without following links. */
  void change(FdtPath path, Optional<Timestamp> modified, OptionalInt mode) throws IOException {
    try {
      change(path, (files, bytes) -> files.change(bytes, modified, mode));
    } catch (FdtException e) {
      throw FileErrors.of(e, path);
    }
  }

  /** Whether this client may change anything in the export that a path is in. */
  boolean isWritable(FdtPath path) throws IOException {
    FdtPath at = path.toAbsolutePath().normalize();
    for (RemoteHost.Reachable export : host(path).exports()) {
      FdtPath root = FdtPath.of(fileSystem, ByteText.decode(export.path().bytes()));
      if (at.startsWith(root)) {
        return export.writable();
      }
    }
    return false;
  }

  /** The description of the server, at most a minute old. */
  private RemoteHost host(FdtPath path) throws IOException {
    SeenHost known = seenHost;
    if (known == null || System.nanoTime() - known.nanos() > HOST_NANOS) {
      try {
        known = new SeenHost(fileSystem.client(path).describeServer(), System.nanoTime());
      } catch (FdtException e) {
        throw FileErrors.of(e, path);
      } catch (InterruptedException e) {
        throw FileErrors.interrupted(e, path);
      }
      seenHost = known;
    }
    return known.host();
  }
}
