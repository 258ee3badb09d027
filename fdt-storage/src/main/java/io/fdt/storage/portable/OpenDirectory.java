package io.fdt.storage.portable;

import io.fdt.core.model.PathStyle;
import io.fdt.core.storage.Attributes;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.Iterator;

/**
 * An open directory.
 *
 * <p>Its names are resolved within it by a {@link SecureDirectoryStream}: a part of its path may be
 * replaced by a link at any moment, also by this process, which does what a peer asks for. A system
 * without such streams has the path only.
 *
 * <p>Any thread, but for {@link #names}. It is closed with the last file that needs it.
 */
final class OpenDirectory implements Handle {
  /** From this length on, the system may refuse a path with a name behind it. */
  private static final int LONG_PATH = 3_000;

  private final Path path;
  private final Attributes firstSeen;

  /** Null when it may not be read, or where it is opened on demand. */
  private volatile DirectoryStream<Path> stream;

  /** Whether the stream is open for a listing only: Windows removes no open directory. */
  private final boolean isOnDemand;

  private final boolean isPinned;

  /** The first directory of the chain; null for itself. */
  private final OpenDirectory first;

  /** Found on demand: another file system may be mounted there once the directory is closed. */
  private volatile String fileSystemType;

  /** Created on demand; confined to the thread that lists it. */
  private Iterator<Path> names;

  /** A name that did not fit into the last part of a listing. */
  private Path pending;

  // Guarded by this.
  private int users = 1;

  /**
   * @param first of the chain; null when this is it
   * @param isPinned whether no other user can replace a part of its path
   */
  OpenDirectory(
      Path path,
      Attributes firstSeen,
      DirectoryStream<Path> stream,
      OpenDirectory first,
      boolean isPinned) {
    this.path = path;
    this.firstSeen = firstSeen;
    this.stream = stream;
    this.first = first;
    this.isOnDemand = PathStyle.of(path.getFileSystem().getSeparator()) == PathStyle.WINDOWS;
    this.isPinned = isPinned && path.toString().length() < LONG_PATH;
    if (first != null) {
      first.retain();
    }
  }

  Path path() {
    return path;
  }

  Attributes firstSeen() {
    return firstSeen;
  }

  /** The type of its file system, as the system names it. */
  String fileSystemType() throws IOException {
    if (fileSystemType == null) {
      fileSystemType = Files.getFileStore(path).type();
    }
    return fileSystemType;
  }

  /** Whether no other user can replace a part of its path, which has room for a name. */
  boolean isPinned() {
    return isPinned;
  }

  /** Resolves names within it; null where the system cannot, or in a first one without a stream. */
  SecureDirectoryStream<Path> secure() {
    return stream instanceof SecureDirectoryStream<Path> secure ? secure : null;
  }

  /**
   * Whether its names can be resolved: within it, or as safely as the system can. An unreadable
   * directory has its path only, which is enough where the user named it.
   */
  boolean isUsable() {
    return stream != null || first == null || isOnDemand;
  }

  OpenDirectory first() {
    return first == null ? this : first;
  }

  /**
   * The next name of its listing; null after the last one.
   *
   * @throws AccessDeniedException it may not be read
   */
  @SuppressWarnings("StreamResourceLeak") // closed with the directory
  Path nextName() throws IOException {
    if (pending != null) {
      Path name = pending;
      pending = null;
      return name;
    }
    if (names == null) {
      if (isOnDemand) {
        stream = Files.newDirectoryStream(path);
      } else if (stream == null) {
        throw new AccessDeniedException(path.toString());
      }
      names = stream.iterator();
    }
    if (names.hasNext()) {
      return names.next().getFileName();
    }
    if (isOnDemand) {
      stream.close();
    }
    return null;
  }

  /** Makes the next call of {@link #nextName} return this name. */
  void putBack(Path name) {
    pending = name;
  }

  synchronized OpenDirectory retain() {
    users++;
    return this;
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (--users > 0) {
        return;
      }
    }
    try {
      if (stream != null) {
        stream.close();
      }
    } finally {
      if (first != null) {
        first.close();
      }
    }
  }
}
