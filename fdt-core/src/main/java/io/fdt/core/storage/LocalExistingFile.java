package io.fdt.core.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.Owner;
import io.fdt.core.manifest.Timestamp;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/** A file of a destination that was there before the transfer, open for reading. Any thread. */
final class LocalExistingFile implements DestinationDirectory.ExistingFile {
  /** O_NONBLOCK: whatever has taken the file's place, opening it does not wait. */
  private static final int FLAGS =
      Posix.O_RDONLY | Posix.O_NOFOLLOW | Posix.O_NONBLOCK | Posix.O_NOCTTY;

  private final OpenFile file;
  private final String path;
  private final Attributes now;

  private LocalExistingFile(OpenFile file, String path, Attributes now) {
    this.file = file;
    this.path = path;
    this.now = now;
  }

  /**
   * Opens it, if it is still what was seen of it.
   *
   * @throws FdtException SOURCE_CHANGED when it is not
   */
  static LocalExistingFile open(Directory directory, FileName name, Attributes seen)
      throws FdtException {
    int pinned = directory.pin();
    int descriptor;
    try {
      descriptor = Kernel.open(pinned, name, FLAGS, 0);
    } finally {
      directory.unpin();
    }
    String path = directory.pathOf(name);
    if (descriptor < 0) {
      throw Errno.ofName(-descriptor, "open", path);
    }
    int result = Kernel.statx(descriptor);
    Attributes now = result < 0 ? null : Scratch.ofThread().attributes();
    if (now == null || !now.isSameFile(seen) || LocalBlockReader.changeOf(seen, now) != null) {
      Kernel.close(descriptor);
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED, "'" + path + "' is being changed by somebody else");
    }
    return new LocalExistingFile(new OpenFile(descriptor, () -> path), path, now);
  }

  @Override
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    return file.read(target, length, offset);
  }

  /** See {@link DestinationDirectory#refresh}. */
  void refresh(
      MetadataWriter metadata,
      int mode,
      Timestamp modified,
      Owner owner,
      Consumer<FdtException> shortcomings)
      throws FdtException {
    boolean isOwned = metadata.hasOwner(now, owner);
    boolean changesOwner = !isOwned;
    if (changesOwner) {
      isOwned = metadata.setOwner(file, owner, shortcomings);
    }
    if (changesOwner || !metadata.hasMode(now, mode)) { // a new owner takes special bits away
      int permissions = metadata.modeOfUnchanged(mode, now.mode(), isOwned);
      check(file.call(descriptor -> Kernel.chmod(descriptor, permissions)), "set the mode of");
    }
    if (modified != null && metadata.keepsTimes() && !modified.equals(now.modified())) {
      check(file.call(descriptor -> Kernel.setModified(descriptor, modified)), "set the time of");
    }
  }

  private void check(int result, String doing) throws FdtException {
    if (result < 0) {
      throw Errno.ofName(-result, doing, path);
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
