package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A directory of the file system, identified by its parent and name, and opened on demand.
 *
 * <pre>
 *   known   -- pin --------------------------------&gt; pinned
 *   pinned  -- last unpin -------------------------&gt; idle
 *   idle    -- pin --------------------------------&gt; pinned
 *   idle    -- too many idle, or scope closed -----&gt; known
 * </pre>
 *
 * <p>A directory beneath another one is opened through its parent's descriptor and never through a
 * link. When reopened it must be the same by device and inode. The first directory of a chain is
 * found by a path, following links: an export, or a path of the local user. The descriptors are
 * O_PATH: they resolve names within, and need no permission on the directory itself. Any thread.
 */
public final class Directory implements IdleDirectories.Idle {
  private static final int FLAGS = Flags.O_PATH | Flags.O_DIRECTORY;

  private final DirectoryScope scope;
  private final Directory parent;
  private final FileName name;
  private final BytePath start;
  private final BytePath display;
  private volatile Attributes firstSeen;
  private volatile boolean isAppendOnly;

  // Guarded by this.
  private int descriptor = -1;
  private int pins;

  private Directory(
      DirectoryScope scope, Directory parent, FileName name, BytePath start, BytePath display) {
    this.scope = scope;
    this.parent = parent;
    this.name = name;
    this.start = start;
    this.display = display;
  }

  /**
   * The directory at a path, links followed; "" is the working directory.
   *
   * @param display its path for messages
   */
  public static Directory at(DirectoryScope scope, BytePath path, BytePath display)
      throws FdtException {
    Syscalls.require();
    Directory directory =
        new Directory(scope, null, null, path.isEmpty() ? BytePath.of(".") : path, display);
    directory.pin();
    directory.unpin();
    return directory;
  }

  /**
   * The directory of this name beneath this one, in any scope.
   *
   * @throws FdtException NOT_FOUND, WRONG_KIND (also for a link), PERMISSION, ...
   */
  public Directory child(DirectoryScope childScope, FileName childName) throws FdtException {
    Directory child = new Directory(childScope, this, childName, null, null);
    child.pin();
    child.unpin();
    return child;
  }

  public DirectoryScope scope() {
    return scope;
  }

  /** The parent directory; null if this one was found by a path. */
  public Directory parent() {
    return parent;
  }

  /** The name in the parent; null if this directory was found by a path. */
  public FileName name() {
    return name;
  }

  /** The attributes when the directory was opened for the first time. */
  public Attributes firstSeen() {
    return firstSeen;
  }

  /**
   * Whether the directory was append-only when opened (chattr +a): names can be added, but neither
   * removed nor changed.
   */
  public boolean isAppendOnly() {
    return isAppendOnly;
  }

  /**
   * The descriptor, open until {@link #unpin}; each call needs its own unpin.
   *
   * @throws FdtException SOURCE_CHANGED when another directory has replaced it
   */
  public int pin() throws FdtException {
    int open = pinIfOpen();
    if (open >= 0) {
      return open;
    }
    try {
      return openAllAndPin();
    } catch (FdtException e) {
      if (e.code() != ErrorCode.RESOURCES) {
        throw e;
      }
      scope.idle().closeAll();
      return openAllAndPin();
    }
  }

  /** Opens the directory and closed ones above it, from the topmost on. */
  private int openAllAndPin() throws FdtException {
    Deque<Directory> closed = new ArrayDeque<>();
    Directory nearest = this;
    while (nearest != null && nearest.pinIfOpen() < 0) {
      closed.push(nearest);
      nearest = nearest.parent;
    }
    for (Directory next : closed) {
      try {
        next.openAndPin(nearest);
      } finally {
        if (nearest != null) {
          nearest.unpin();
        }
      }
      nearest = next;
    }
    return pinnedDescriptor();
  }

  /** Releases a {@link #pin}. */
  public void unpin() {
    IdleDirectories.Idle tooMany;
    synchronized (this) {
      if (--pins > 0) {
        return;
      }
      tooMany = scope.idle().add(this, scope);
    }
    if (tooMany != null) {
      tooMany.closeIfIdle();
    }
    if (scope.isClosed()) {
      closeIfIdle();
    }
  }

  @Override
  public synchronized void closeIfIdle() {
    if (pins > 0 || descriptor < 0) {
      return;
    }
    scope.idle().remove(this);
    Syscalls.close(descriptor);
    descriptor = -1;
  }

  /** The descriptor, or -1 when it is closed. */
  private synchronized int pinIfOpen() {
    if (descriptor >= 0 && pins++ == 0) {
      scope.idle().remove(this);
    }
    return descriptor;
  }

  /** Opens the directory within its parent, which is pinned, or by its path. */
  private synchronized void openAndPin(Directory pinnedParent) throws FdtException {
    if (pinIfOpen() >= 0) {
      return;
    }
    if (scope.isClosed()) {
      throw new FdtException(ErrorCode.CANCELLED, "'" + path() + "' was closed before it was done");
    }
    int opened =
        pinnedParent == null
            ? Syscalls.openOnce(Flags.AT_FDCWD, start.bytes(), FLAGS)
            : Syscalls.openOnce(pinnedParent.pinnedDescriptor(), name, FLAGS | Flags.O_NOFOLLOW);
    if (opened < 0) {
      throw Errno.ofName(-opened, "open the directory", path());
    }
    try {
      check(opened);
    } catch (FdtException e) {
      Syscalls.close(opened);
      throw e;
    }
    descriptor = opened;
    pins = 1;
  }

  private synchronized int pinnedDescriptor() {
    return descriptor;
  }

  /**
   * Whether the path by which the directory was found, links followed, still leads to it; also if
   * its file system gives it another identity each time.
   */
  boolean hasItsPath() throws FdtException {
    int opened = Syscalls.openOnce(Flags.AT_FDCWD, start.bytes(), FLAGS);
    if (opened < 0) {
      return opened != -Errno.ENOENT && opened != -Errno.ENOTDIR;
    }
    try {
      if (Syscalls.statx(opened) < 0) {
        return true;
      }
      Attributes there = Syscalls.attributes();
      Attributes here = current();
      return there.isSameFile(here) || !current().isSameFile(here);
    } finally {
      Syscalls.close(opened);
    }
  }

  /** Records the identity of the directory, or checks that it is unchanged. */
  private void check(int opened) throws FdtException {
    int result = Syscalls.statx(opened);
    if (result < 0) {
      throw Errno.ofName(-result, "examine the directory", path());
    }
    Attributes now = Syscalls.attributes();
    if (firstSeen == null) {
      isAppendOnly = Syscalls.isAppendOnly();
      firstSeen = now;
    } else if (!now.isSameFile(firstSeen)) {
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "another directory has taken the place of '"
              + path()
              + "'; try again when it is not being moved");
    }
  }

  /**
   * Syncs the names and attributes of the directory to the device. A file system that cannot sync
   * directories returns EINVAL.
   */
  public void force() throws FdtException {
    try (FileDescriptor opened = openToForce()) {
      force(opened);
    }
  }

  /**
   * Opens the directory for {@link #force(FileDescriptor)}, which may fail later for lack of
   * permission.
   */
  public FileDescriptor openToForce() throws FdtException {
    return openToRead("sync the directory");
  }

  /** Opens the directory for operations on itself. */
  public FileDescriptor openToRead() throws FdtException {
    return openToRead("open the directory");
  }

  private FileDescriptor openToRead(String doing) throws FdtException {
    int pinned = pin();
    try {
      int opened = Syscalls.open(pinned, Flags.ITSELF, Flags.O_RDONLY | Flags.O_DIRECTORY, 0);
      if (opened < 0) {
        throw Errno.ofName(-opened, doing, path());
      }
      return new FileDescriptor(opened, this::path);
    } finally {
      unpin();
    }
  }

  public void force(FileDescriptor opened) throws FdtException {
    int result = opened.call(Syscalls::fsync);
    if (result < 0 && result != -Errno.EINVAL) {
      throw Errno.ofData(-result, "sync the directory", path());
    }
  }

  /** The current attributes; those of an export may have been read long ago. */
  public Attributes current() throws FdtException {
    int pinned = pin();
    try {
      int result = Syscalls.statx(pinned);
      if (result < 0) {
        throw Errno.ofName(-result, "examine the directory", path());
      }
      return Syscalls.attributes();
    } finally {
      unpin();
    }
  }

  /** The attributes of a name, or null. */
  public Attributes find(FileName childName) throws FdtException {
    int pinned = pin();
    try {
      int result = Syscalls.statx(pinned, childName);
      if (result == -Errno.ENOENT) {
        return null;
      }
      if (result < 0) {
        throw Errno.ofName(-result, "examine", pathOf(childName));
      }
      return Syscalls.attributes();
    } finally {
      unpin();
    }
  }

  /** The attributes of a link's target, also outside this directory; null for none. */
  public Attributes findBehindLinks(FileName childName) throws FdtException {
    int pinned = pin();
    try {
      return Syscalls.statxBehindLinks(pinned, childName) < 0 ? null : Syscalls.attributes();
    } finally {
      unpin();
    }
  }

  /**
   * The kernel's cached attributes of a name, without asking a mounted file system, which may hang;
   * null for none.
   */
  public Attributes known(FileName childName) throws FdtException {
    int pinned = pin();
    try {
      return Syscalls.statxOfCache(pinned, childName) < 0 ? null : Syscalls.attributes();
    } finally {
      unpin();
    }
  }

  /** The attributes of an existing name. */
  public Attributes get(FileName childName) throws FdtException {
    Attributes found = find(childName);
    if (found == null) {
      throw Errno.ofName(Errno.ENOENT, "find", pathOf(childName));
    }
    return found;
  }

  public BytePath linkTarget(FileName childName) throws FdtException {
    int pinned = pin();
    try {
      int length = Syscalls.readlink(pinned, childName);
      if (length < 0) {
        throw Errno.ofName(-length, "read the link", pathOf(childName));
      }
      return BytePath.of(Syscalls.data(length));
    } finally {
      unpin();
    }
  }

  /** The path, for messages. */
  public String path() {
    return displayPath(null).toString();
  }

  /** The path of an entry, for messages. */
  public String pathOf(FileName childName) {
    return displayPath(childName).toString();
  }

  /** The path of an entry, in bytes, from the path of the first directory. */
  public BytePath pathTo(FileName childName) {
    return displayPath(childName);
  }

  private BytePath displayPath(FileName last) {
    List<FileName> names = new ArrayList<>();
    if (last != null) {
      names.add(last);
    }
    Directory directory = this;
    while (directory.parent != null) {
      names.add(directory.name);
      directory = directory.parent;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(directory.display.bytes());
    boolean slash = bytes.size() > 0 && !directory.display.endsWithSlash();
    for (int i = names.size() - 1; i >= 0; i--) {
      if (slash) {
        bytes.write('/');
      }
      bytes.writeBytes(names.get(i).bytes());
      slash = true;
    }
    return bytes.size() == 0 ? BytePath.of(".") : BytePath.of(bytes.toByteArray());
  }
}
