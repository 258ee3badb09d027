package io.fdt.storage.local.os;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.FileCalls;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The system calls of Linux through {@link LibC}. Interrupted calls, short reads and short writes
 * are continued here. Any thread.
 */
public final class LinuxCalls implements FileCalls {
  private static final byte[] NOTHING = {};

  /** Consecutive signals that may interrupt a {@link #flush}. */
  private static final int FLUSH_ATTEMPTS = 10;

  /** Whether {@link #link} needs /proc. */
  private static volatile boolean linksByProc;

  LinuxCalls() {}

  @Override
  public String obstacle() {
    return LibC.UNSUPPORTED;
  }

  @Override
  public Capabilities capabilities() {
    return Capabilities.ALL;
  }

  @Override
  public Set<Aspect> readAspects() {
    return Capabilities.ALL.aspects();
  }

  @Override
  public int open(int directory, FileName name, int flags, int mode) {
    return open(directory, NativeBuffers.ofThread().name(name), flags, mode);
  }

  @Override
  public int open(int directory, byte[] path, int flags, int mode) {
    long address = NativeBuffers.ofThread().name(path);
    return address < 0 ? -Errno.ENAMETOOLONG : open(directory, address, flags, mode);
  }

  private static int open(int directory, long name, int flags, int mode) {
    int descriptor;
    do {
      descriptor = result(LibC.openat(directory, name, flags | LibC.O_CLOEXEC, mode));
    } while (descriptor == -Errno.EINTR);
    return descriptor;
  }

  /** Closes a descriptor, ignoring errors: Linux releases it also when it reports one. */
  @Override
  public int close(int descriptor) {
    return result(LibC.close(descriptor));
  }

  /** Makes a file system report errors of close early: closes a duplicate, which keeps the lock. */
  @Override
  public int flush(int descriptor) {
    int result = -Errno.EINTR;
    for (int attempt = 0; result == -Errno.EINTR && attempt < FLUSH_ATTEMPTS; attempt++) {
      result = result(LibC.fcntl(descriptor, LibC.F_DUPFD_CLOEXEC, 0));
      if (result >= 0) {
        result = result(LibC.close(result));
      }
    }
    return result;
  }

  @Override
  public boolean mayFailAtClose(int directory) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return LibC.fstatfs(directory, scratch.statfsAddress()) != 0
        || !LibC.SILENT_AT_CLOSE.contains(scratch.fileSystemType() & 0xFFFF_FFFFL);
  }

  @Override
  public int statx(int directory, FileName name, int flags) {
    return statx(directory, NativeBuffers.ofThread().name(name), flags);
  }

  @Override
  public int statx(int descriptor) {
    return statx(descriptor, NativeBuffers.ofThread().name(NOTHING), LibC.AT_EMPTY_PATH);
  }

  @Override
  public Attributes attributes() {
    return NativeBuffers.ofThread().attributes();
  }

  @Override
  public boolean isAppendOnly() {
    return NativeBuffers.ofThread().isAppendOnly();
  }

  @Override
  public byte[] data(int length) {
    byte[] data = new byte[length];
    NativeBuffers.ofThread().data().get(data);
    return data;
  }

  private static int statx(int directory, long name, int flags) {
    int result;
    do {
      result =
          result(
              LibC.syscall(
                  LibC.SYS_STATX,
                  directory,
                  name,
                  flags | LibC.AT_NO_AUTOMOUNT,
                  LibC.STATX_WANTED,
                  NativeBuffers.ofThread().statxAddress()));
    } while (result == -Errno.EINTR);
    return result;
  }

  @Override
  public int mkdir(int directory, FileName name, int mode) {
    return result(LibC.mkdirat(directory, NativeBuffers.ofThread().name(name), mode));
  }

  @Override
  public int mkdir(int directory, byte[] path, int mode) {
    long address = NativeBuffers.ofThread().name(path);
    return address < 0 ? -Errno.ENAMETOOLONG : result(LibC.mkdirat(directory, address, mode));
  }

  @Override
  public int unlink(int directory, FileName name) {
    return result(LibC.unlinkat(directory, NativeBuffers.ofThread().name(name), 0));
  }

  @Override
  public int rmdir(int directory, FileName name) {
    return result(LibC.unlinkat(directory, NativeBuffers.ofThread().name(name), LibC.AT_REMOVEDIR));
  }

  @Override
  public int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return rename(fromDirectory, from, toDirectory, to, LibC.RENAME_NOREPLACE);
  }

  @Override
  public int exchange(int directory, FileName one, FileName other) {
    return rename(directory, one, directory, other, LibC.RENAME_EXCHANGE);
  }

  private static int rename(
      int fromDirectory, FileName from, int toDirectory, FileName to, int flags) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.syscall(
            LibC.SYS_RENAMEAT2,
            fromDirectory,
            scratch.name(from),
            toDirectory,
            scratch.secondName(to),
            flags));
  }

  @Override
  public int rename(int fromDirectory, FileName from, int toDirectory, FileName to) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.renameat(fromDirectory, scratch.name(from), toDirectory, scratch.secondName(to)));
  }

  @Override
  public int symlink(byte[] target, int directory, FileName name) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    long address = scratch.secondName(target);
    return address < 0
        ? -Errno.ENAMETOOLONG
        : result(LibC.symlinkat(address, directory, scratch.name(name)));
  }

  @Override
  public int readlink(int directory, FileName name) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.readlinkat(
            directory, scratch.name(name), scratch.dataAddress(), NativeBuffers.DATA_LENGTH));
  }

  @Override
  public int chmod(int descriptor, int mode) {
    return result(LibC.fchmod(descriptor, mode));
  }

  @Override
  public int chmodDirectory(int directory, int mode) {
    return result(LibC.fchmodat(directory, NativeBuffers.ofThread().name(Flags.ITSELF), mode, 0));
  }

  @Override
  public int chmodOpen(int descriptor, int mode) {
    return result(
        LibC.fchmodat(
            Flags.AT_FDCWD, NativeBuffers.ofThread().name(pathByProc(descriptor)), mode, 0));
  }

  private static byte[] pathByProc(int descriptor) {
    return ("/proc/self/fd/" + descriptor).getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public int setModified(int descriptor, Timestamp modified) {
    return result(LibC.futimens(descriptor, NativeBuffers.ofThread().times(modified)));
  }

  @Override
  public int setModified(int directory, FileName name, Timestamp modified) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.utimensat(
            directory, scratch.name(name), scratch.times(modified), Flags.AT_SYMLINK_NOFOLLOW));
  }

  @Override
  public int setModifiedOfDirectory(int directory, Timestamp modified) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.utimensat(directory, scratch.name(Flags.ITSELF), scratch.times(modified), 0));
  }

  @Override
  public long fileSystemType(int descriptor) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return LibC.fstatfs(descriptor, scratch.statfsAddress()) == 0 ? scratch.fileSystemType() : 0;
  }

  /** {@inheritDoc} A mapping that is not touched reads nothing. */
  @Override
  public boolean mayBeCached(int descriptor, long offset, int length) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    int pages = length / LibC.getpagesize();
    long mapped = LibC.mmap(0, length, LibC.PROT_READ, LibC.MAP_SHARED, descriptor, offset);
    if (mapped == -1) {
      return true;
    }
    try {
      if (LibC.mincore(mapped, length, scratch.dataAddress()) != 0) {
        return true;
      }
    } finally {
      LibC.munmap(mapped, length);
    }
    ByteBuffer inMemory = scratch.data();
    int cached = 0;
    for (int page = 0; page < pages; page++) {
      cached += inMemory.get(page) & 1;
    }
    return cached > pages / 2;
  }

  /** {@inheritDoc} By the kernel's own link to it: plain ASCII, whatever its path. */
  @Override
  public long freeSpace(int directory) {
    return new File("/proc/self/fd/" + directory).getUsableSpace();
  }

  /**
   * Reserves space from the start of a file and extends it to that length. In memory (tmpfs) that
   * would do most of the work of writing, 0.7 to 1.5 s for 2 GiB, before the first byte: there, and
   * on file systems that cannot reserve space (ext2, NFS 3, most FUSE), it only checks the free
   * space.
   */
  @Override
  public int allocate(int descriptor, long length) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    if (LibC.fstatfs(descriptor, scratch.statfsAddress()) == 0
        && scratch.fileSystemType() == LibC.TMPFS_MAGIC) {
      return scratch.hasRoom(length, effectiveUser() == 0) ? 0 : -Errno.ENOSPC;
    }
    int result;
    do {
      result = result(LibC.fallocate(descriptor, 0, 0, length));
    } while (result == -Errno.EINTR);
    boolean isFull =
        result == -Errno.EOPNOTSUPP
            && LibC.fstatfs(descriptor, scratch.statfsAddress()) == 0
            && !scratch.hasRoom(length, effectiveUser() == 0);
    return isFull ? -Errno.ENOSPC : result;
  }

  @Override
  public int truncate(int descriptor, long length) {
    int result;
    do {
      result = result(LibC.ftruncate(descriptor, length));
    } while (result == -Errno.EINTR);
    return result;
  }

  @Override
  public int punch(int descriptor, long offset, long length) {
    int result;
    do {
      result = result(LibC.fallocate(descriptor, LibC.FALLOC_PUNCH, offset, length));
    } while (result == -Errno.EINTR);
    return result;
  }

  @Override
  public long seekData(int descriptor, long offset) {
    return seek(descriptor, offset, LibC.SEEK_DATA);
  }

  @Override
  public long seekHole(int descriptor, long offset) {
    return seek(descriptor, offset, LibC.SEEK_HOLE);
  }

  private static long seek(int descriptor, long offset, int whence) {
    long found = LibC.lseek(descriptor, offset, whence);
    return found >= 0 ? found : -Native.getLastError();
  }

  @Override
  public int listAttributes(int descriptor) {
    long address = NativeBuffers.ofThread().dataAddress();
    return result(LibC.flistxattr(descriptor, address, NativeBuffers.DATA_LENGTH));
  }

  @Override
  public int getAttribute(int descriptor, byte[] name) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.fgetxattr(
            descriptor, scratch.name(name), scratch.dataAddress(), NativeBuffers.DATA_LENGTH));
  }

  @Override
  public int setAttribute(int descriptor, byte[] name, byte[] value) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    scratch.data().put(value);
    return result(
        LibC.fsetxattr(descriptor, scratch.name(name), scratch.dataAddress(), value.length, 0));
  }

  @Override
  public int removeAttribute(int descriptor, byte[] name) {
    return result(LibC.fremovexattr(descriptor, NativeBuffers.ofThread().name(name)));
  }

  @Override
  public int chown(int descriptor, int user, int group) {
    return result(LibC.fchown(descriptor, user, group));
  }

  @Override
  public int chown(int directory, FileName name, int user, int group) {
    return result(
        LibC.fchownat(
            directory,
            NativeBuffers.ofThread().name(name),
            user,
            group,
            Flags.AT_SYMLINK_NOFOLLOW));
  }

  @Override
  public int chownDirectory(int directory, int user, int group) {
    return result(
        LibC.fchownat(directory, NativeBuffers.ofThread().name(Flags.ITSELF), user, group, 0));
  }

  @Override
  public int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.linkat(fromDirectory, scratch.name(from), toDirectory, scratch.secondName(to), 0));
  }

  /** Names an unnamed open file. Kernels before 6.10 let only root use the descriptor for that. */
  @Override
  public int link(int descriptor, int directory, FileName name) {
    if (!linksByProc) {
      NativeBuffers scratch = NativeBuffers.ofThread();
      long nothing = scratch.name(NOTHING);
      long to = scratch.secondName(name);
      int result = result(LibC.linkat(descriptor, nothing, directory, to, LibC.AT_EMPTY_PATH));
      if (result != -Errno.ENOENT) {
        return result;
      }
    }
    int result = linkByProc(descriptor, directory, name);
    linksByProc |= result >= 0;
    return result;
  }

  public static int linkByProc(int descriptor, int directory, FileName name) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    long from = scratch.name(pathByProc(descriptor));
    long to = scratch.secondName(name);
    return result(LibC.linkat(Flags.AT_FDCWD, from, directory, to, LibC.AT_SYMLINK_FOLLOW));
  }

  @Override
  public int effectiveUser() {
    return LibC.geteuid();
  }

  @Override
  public int tryLock(int descriptor) {
    return result(LibC.flock(descriptor, LibC.LOCK_EX_NB));
  }

  @Override
  public int tryShareLock(int descriptor) {
    return result(LibC.flock(descriptor, LibC.LOCK_SH_NB));
  }

  @Override
  public void adviseSequential(int descriptor) {
    int unused = LibC.posix_fadvise(descriptor, 0, 0, LibC.POSIX_FADV_SEQUENTIAL);
  }

  @Override
  public int fsync(int descriptor) {
    int result;
    do {
      result = result(LibC.fsync(descriptor));
    } while (result == -Errno.EINTR);
    return result;
  }

  @Override
  public int writeBack(int descriptor, long offset, long length) {
    return result(LibC.sync_file_range(descriptor, offset, length, LibC.SYNC_FILE_RANGE_ALL));
  }

  /**
   * Drops the cached pages of a file that are on the device. In tmpfs, without a device, nothing is
   * dropped: the result is ignored.
   */
  @Override
  public void dropCache(int descriptor, long end) {
    int unused = LibC.posix_fadvise(descriptor, 0, end, LibC.POSIX_FADV_DONTNEED);
  }

  /** {@inheritDoc} By the kernel's own link to it, so that unnamed files have one, too. */
  @Override
  public int reopenDirect(int descriptor, int access) {
    return open(Flags.AT_FDCWD, pathByProc(descriptor), access | Flags.O_DIRECT, 0);
  }

  @Override
  public int startWriteBack(int descriptor) {
    return result(LibC.sync_file_range(descriptor, 0, 0, LibC.SYNC_FILE_RANGE_NEXT));
  }

  @Override
  public int read(int descriptor, ByteBuf target, int length, long offset) {
    target.ensureWritable(length);
    int start = target.writerIndex();
    int read =
        isAddressable(target)
            ? readAll(descriptor, addressOf(target, start, length), length, offset)
            : readThroughScratch(descriptor, target, length, offset);
    target.writerIndex(start + Math.max(0, read));
    return read;
  }

  @Override
  public int write(int descriptor, ByteBuf source, long offset) {
    int start = source.readerIndex();
    int length = source.readableBytes();
    if (isAddressable(source)) {
      return writeAll(descriptor, addressOf(source, start, length), length, offset);
    }
    return source.nioBufferCount() > 0
        ? writeParts(descriptor, source.nioBuffers(start, length), offset)
        : writePart(descriptor, source.nioBuffer(start, length), offset);
  }

  /** Whether the bytes of a buffer are contiguous outside the heap. */
  private static boolean isAddressable(ByteBuf buffer) {
    return buffer.hasMemoryAddress() || (buffer.isDirect() && buffer.nioBufferCount() == 1);
  }

  private static long addressOf(ByteBuf buffer, int index, int length) {
    return buffer.hasMemoryAddress()
        ? buffer.memoryAddress() + index
        : addressOf(buffer.nioBuffer(index, length));
  }

  private static long addressOf(ByteBuffer buffer) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(buffer)) + buffer.position();
  }

  private static int readAll(int descriptor, long address, int length, long offset) {
    int done = 0;
    while (done < length) {
      int read = pread(descriptor, address + done, length - done, offset + done);
      if (read < 0) {
        return read;
      }
      if (read == 0) {
        break;
      }
      done += read;
    }
    return done;
  }

  private static int readThroughScratch(int descriptor, ByteBuf target, int length, long offset) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    ByteBuffer data = scratch.data();
    int start = target.writerIndex();
    int done = 0;
    while (done < length) {
      int wanted = Math.min(length - done, NativeBuffers.DATA_LENGTH);
      int read = readAll(descriptor, scratch.dataAddress(), wanted, offset + done);
      if (read < 0) {
        return read;
      }
      target.setBytes(start + done, data.clear().limit(read));
      done += read;
      if (read < wanted) {
        break;
      }
    }
    return done;
  }

  private static int writeAll(int descriptor, long address, int length, long offset) {
    int done = 0;
    while (done < length) {
      int written = pwrite(descriptor, address + done, length - done, offset + done);
      if (written < 0) {
        return written;
      }
      done += written;
    }
    return 0;
  }

  private static int writeParts(int descriptor, ByteBuffer[] parts, long offset) {
    long at = offset;
    int result = 0;
    for (int i = 0; i < parts.length && result >= 0; i++) {
      int length = parts[i].remaining();
      result = writePart(descriptor, parts[i], at);
      at += length;
    }
    return result;
  }

  private static int writePart(int descriptor, ByteBuffer part, long offset) {
    if (part.isDirect()) {
      return writeAll(descriptor, addressOf(part), part.remaining(), offset);
    }
    NativeBuffers scratch = NativeBuffers.ofThread();
    ByteBuffer data = scratch.data();
    long at = offset;
    int result = 0;
    while (part.hasRemaining() && result >= 0) {
      int length = Math.min(part.remaining(), NativeBuffers.DATA_LENGTH);
      data.clear().put(part.slice().limit(length));
      part.position(part.position() + length);
      result = writeAll(descriptor, scratch.dataAddress(), length, at);
      at += length;
    }
    return result;
  }

  private static int pread(int descriptor, long address, int length, long offset) {
    int result;
    do {
      result = result(LibC.pread(descriptor, address, length, offset));
    } while (result == -Errno.EINTR);
    return result;
  }

  private static int pwrite(int descriptor, long address, int length, long offset) {
    int result;
    do {
      result = result(LibC.pwrite(descriptor, address, length, offset));
    } while (result == -Errno.EINTR);
    return result;
  }

  @Override
  public int readDirectory(int descriptor, ByteBuffer records) {
    long address = addressOf(records.clear());
    return result(LibC.syscall(LibC.SYS_GETDENTS64, descriptor, address, records.capacity()));
  }

  /** Narrows the result of a call that returns an int, or its error. */
  private static int result(long returned) {
    return returned >= 0 ? Math.toIntExact(returned) : -Native.getLastError();
  }
}
