package io.fdt.storage.local.source;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Changing;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SharedFile;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DiskIds;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.Inodes;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;

/**
 * A local file as a walk saw it. Immutable; any thread.
 *
 * <p>It holds no descriptor: its directory is open while it is used, or idle within the limit of
 * {@link IdleDirectories}.
 */
public final class LocalSourceFile implements SourceTree.SourceFile, SharedFile {
  private static final SourceChange UNCHANGED = new SourceChange(Changing.FAIL);

  /** From 1 MiB on, more read-ahead is worth another system call. */
  private static final long LARGE_BYTES = 1 << 20;

  private final Directory directory;
  private final FileName name;
  private final Attributes seen;
  private final OpenReaders readers;
  private final SourceChange change;

  public LocalSourceFile(Directory directory, FileName name, Attributes seen, OpenReaders readers) {
    this(directory, name, seen, Changing.FAIL, readers);
  }

  /**
   * @param changing whether it may be copied after a change
   */
  LocalSourceFile(
      Directory directory, FileName name, Attributes seen, Changing changing, OpenReaders readers) {
    this.change = new SourceChange(changing);
    this.directory = directory;
    this.name = name;
    this.seen = seen;
    this.readers = readers;
  }

  @Override
  public DiskId disk() {
    return DiskIds.OF_MACHINE.of(seen.device());
  }

  @Override
  public String path() {
    return directory.pathOf(name);
  }

  @Override
  public String change() {
    return change.text();
  }

  @Override
  public Shared share() {
    return new Shared(directory.pathTo(name), seen.inode());
  }

  @Override
  public LocalBlockReader open() throws FdtException {
    readers.begin(this);
    try {
      return openNow();
    } finally {
      readers.end(this);
    }
  }

  private LocalBlockReader openNow() throws FdtException {
    int descriptor = openDescriptor();
    ByteBuf content;
    try {
      Attributes now = look(descriptor);
      boolean isMeasured = seen.size() > 0; // listings do not measure
      content =
          check(descriptor, now, isMeasured, what -> change.checkOpened(seen, what, this::path));
    } catch (FdtException e) {
      Syscalls.close(descriptor);
      throw e;
    }
    if (seen.size() >= LARGE_BYTES) {
      Syscalls.adviseSequential(descriptor);
    }
    LocalBlockReader reader =
        new LocalBlockReader(descriptor, seen, content, this, change, readers);
    readers.opened(reader);
    return reader;
  }

  private int openDescriptor() throws FdtException {
    int pinned = directory.pin();
    try {
      int descriptor = Syscalls.open(pinned, name, Flags.O_FILE, 0);
      if (descriptor == -Errno.ELOOP || descriptor == -Errno.ENXIO) {
        throw changed("it is no longer a file");
      }
      if (descriptor == -Errno.ENOENT && change.isSkipped()) {
        throw changed("it is gone");
      }
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "open", path());
      }
      return descriptor;
    } finally {
      directory.unpin();
    }
  }

  /**
   * {@inheritDoc} Reads the attributes once, after the content, to check that this is the file of
   * the walk and that it was not written meanwhile. A changed file fails under every rule: the
   * sender can read it in blocks.
   */
  @Override
  public void readWhole(ByteBuf target, int size) throws FdtException {
    readers.begin(this);
    try {
      readNow(target, size);
    } finally {
      readers.end(this);
    }
  }

  private void readNow(ByteBuf target, int size) throws FdtException {
    int descriptor = openDescriptor();
    try {
      int start = target.writerIndex();
      int read = size == 0 ? 0 : Syscalls.read(descriptor, target, size, 0);
      boolean isEmpty = size == 0 && change.isAllowed(); // whatever it holds now, this is a copy
      SourceChange rule = isEmpty ? new SourceChange(Changing.COPY) : UNCHANGED;
      Attributes now = look(descriptor);
      Attributes before = seen;
      if (SourceChange.isSharper(seen, now)) { // the time was rounded while the file was not open
        before = now;
        target.writerIndex(start);
        read = Syscalls.read(descriptor, target, size, 0);
        now = look(descriptor);
      }
      Attributes first = before;
      ByteBuf content = check(descriptor, now, true, what -> rule.check(first, what, this::path));
      if (content != null) {
        read = size;
        target.writerIndex(start).writeBytes(content, size);
      }
      // an unreadable entry may no longer be a file
      if (read < 0) {
        throw Errno.ofData(-read, "read", path());
      }
      checkWhole(read, size);
    } finally {
      Syscalls.close(descriptor);
    }
  }

  /** The attributes of the opened file, which must be that of the walk. */
  private Attributes look(int descriptor) throws FdtException {
    int result = Syscalls.statx(descriptor);
    if (result < 0) {
      throw Errno.ofData(-result, "examine", path());
    }
    Attributes now = Syscalls.attributes();
    if (!now.is(EntryKind.FILE)) {
      throw changed("it is no longer a file");
    }
    if (!now.isSameFile(seen) && (Inodes.areTrusted(descriptor) || !isAlike(now))) {
      throw changed("another file has its name now");
    }
    return now;
  }

  /** Whether only the inode differs. */
  private boolean isAlike(Attributes now) {
    return now.device() == seen.device()
        && now.changed().equals(seen.changed())
        && SourceChange.changeOf(seen, now) == null;
  }

  private interface Check {
    void accept(Attributes now) throws FdtException;
  }

  /**
   * Checks that a file is unchanged.
   *
   * @param isMeasured whether {@link UnsizedFiles#measure} determined its size
   * @return the content of a file of unreliable size; otherwise null
   */
  private ByteBuf check(int descriptor, Attributes now, boolean isMeasured, Check check)
      throws FdtException {
    if (!UnsizedFiles.isUnsized(descriptor, now)) {
      check.accept(now);
      return null;
    }
    ByteBuf content = UnsizedFiles.read(descriptor, this::path);
    if (isMeasured) {
      check.accept(seen.withSize(content.readableBytes()));
    }
    return content;
  }

  private FdtException changed(String how) {
    return SourceChange.failure(path(), how);
  }

  /** Nothing to release. */
  @Override
  public void release() {}
}
