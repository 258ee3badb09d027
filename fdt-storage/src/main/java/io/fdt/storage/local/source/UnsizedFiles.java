package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Files with content whose file system reports a size of 0: it generates them on reading. Such a
 * file is read whole, at once, without waiting for more.
 */
final class UnsizedFiles {
  /** The largest such file. Memory: one for each reader. */
  static final int MOST_BYTES = 16 << 20;

  private static final int BLOCK_BYTES = 128 << 10;

  /** proc, sysfs, cgroup, cgroup2, debugfs, tracefs, securityfs, configfs, FUSE; see statfs(2). */
  private static final Set<Long> FILE_SYSTEMS =
      Set.of(
          0x9fa0L,
          0x62656572L,
          0x27e0ebL,
          0x63677270L,
          0x64626720L,
          0x74726163L,
          0x73636673L,
          0x62656570L,
          0x65735546L);

  private UnsizedFiles() {}

  /** The attributes with the size found by reading. */
  static Attributes measure(Directory directory, FileName name, Attributes seen)
      throws FdtException {
    if (!seen.is(EntryKind.FILE) || seen.size() > 0) {
      return seen;
    }
    int pinned = directory.pin();
    try {
      if (!isUnsized(pinned, seen)) {
        return seen;
      }
      int descriptor = Syscalls.open(pinned, name, Flags.O_FILE, 0);
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "open", directory.pathOf(name));
      }
      try {
        return seen.withSize(read(descriptor, () -> directory.pathOf(name)).readableBytes());
      } finally {
        Syscalls.close(descriptor);
      }
    } finally {
      directory.unpin();
    }
  }

  /**
   * Whether the size of a file is unreliable.
   *
   * @param descriptor of the file, or of its directory
   */
  static boolean isUnsized(int descriptor, Attributes now) {
    return now.size() == 0 && FILE_SYSTEMS.contains(Syscalls.fileSystemType(descriptor));
  }

  /** Reads the whole content. */
  static ByteBuf read(int descriptor, Supplier<String> path) throws FdtException {
    ByteBuf content = Unpooled.buffer();
    int read = BLOCK_BYTES;
    while (read == BLOCK_BYTES) {
      read = Syscalls.read(descriptor, content, BLOCK_BYTES, content.readableBytes());
      if (read == -Errno.EAGAIN) {
        throw endless(path, "does not end");
      }
      if (read < 0) {
        throw Errno.ofData(-read, "read", path.get());
      }
      if (content.readableBytes() > MOST_BYTES) {
        throw endless(path, "has a size of 0, and holds more than 16 MiB");
      }
    }
    return content;
  }

  private static FdtException endless(Supplier<String> path, String how) {
    String file = path.get();
    return new FdtException(
        ErrorCode.WRONG_KIND,
        "'%s' %s; leave it out, or send it as a stream: %s".formatted(file, how, Setting.INPUT));
  }
}
