package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.local.source.SourceChange;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/** An existing file of a destination, open for reading. Any thread. */
final class LocalExistingFile implements DestinationDirectory.ExistingFile {
  /** O_NONBLOCK: opening does not wait, whatever has replaced the file. */
  private static final int FLAGS =
      Flags.O_RDONLY | Flags.O_NOFOLLOW | Flags.O_NONBLOCK | Flags.O_NOCTTY;

  private final FileDescriptor file;
  private final String path;
  private final Attributes now;

  private LocalExistingFile(FileDescriptor file, String path, Attributes now) {
    this.file = file;
    this.path = path;
    this.now = now;
  }

  /**
   * @param seen its attributes when it was found
   * @throws FdtException SOURCE_CHANGED when it was replaced since
   */
  static LocalExistingFile open(Directory directory, FileName name, Attributes seen)
      throws FdtException {
    int pinned = directory.pin();
    int descriptor;
    try {
      descriptor = Syscalls.open(pinned, name, FLAGS, 0);
    } finally {
      directory.unpin();
    }
    String path = directory.pathOf(name);
    if (descriptor < 0) {
      throw Errno.ofName(-descriptor, "open", path);
    }
    int result = Syscalls.statx(descriptor);
    Attributes now = result < 0 ? null : Syscalls.attributes();
    if (now == null || !now.isSameFile(seen) || SourceChange.changeOf(seen, now) != null) {
      Syscalls.close(descriptor);
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "'" + path + "' is being changed by another program; run the command again");
    }
    return new LocalExistingFile(new FileDescriptor(descriptor, () -> path), path, now);
  }

  @Override
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    return file.read(target, length, offset);
  }

  /** See {@link DestinationDirectory#refresh}. */
  void refresh(
      MetadataWriter metadataWriter,
      Directory directory,
      int mode,
      Timestamp modified,
      Owner owner,
      Consumer<FdtException> warnings)
      throws FdtException {
    boolean isOwned = metadataWriter.hasOwner(now, owner);
    boolean changesOwner = !isOwned;
    if (changesOwner) {
      isOwned = metadataWriter.setOwner(file, owner, warnings);
    }
    if (changesOwner || !metadataWriter.hasMode(now, mode)) { // a new owner clears special bits
      int permissions = metadataWriter.modeOfUnchanged(mode, now.mode(), isOwned);
      set(
          metadataWriter,
          MetadataWriter.Item.MODE,
          descriptor -> Syscalls.chmod(descriptor, permissions),
          warnings);
    }
    if (modified != null && !metadataWriter.hasTime(directory, now, modified)) {
      set(
          metadataWriter,
          MetadataWriter.Item.TIME,
          descriptor -> Syscalls.setModified(descriptor, modified),
          warnings);
    }
  }

  private void set(
      MetadataWriter metadataWriter,
      MetadataWriter.Item item,
      FileDescriptor.Call call,
      Consumer<FdtException> warnings)
      throws FdtException {
    metadataWriter.isSet(item, file.call(call), now.device(), path, warnings);
  }

  @Override
  public void close() {
    file.close();
  }
}
