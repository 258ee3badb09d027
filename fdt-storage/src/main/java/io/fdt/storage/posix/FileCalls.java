package io.fdt.storage.posix;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * The calls of POSIX and Linux on files, with names in bytes, by descriptors. Each returns 0 or
 * more, or a negative {@link Errno}: EINVAL, ENOSYS or EOPNOTSUPP if unsupported. Any thread.
 */
public interface FileCalls {
  /** Why the calls cannot be used on this system; null if they can. */
  String obstacle();

  /** The abilities of a destination on these calls. */
  Capabilities capabilities();

  /** The attributes of files that a source reads by these calls. */
  Set<Aspect> readAspects();

  /** Opens a name in an open directory. */
  int open(int directory, FileName name, int flags, int mode);

  /** Opens a path of any number of components. */
  int open(int directory, byte[] path, int flags, int mode);

  /** Closes a descriptor, which is released also when the result is an error. */
  int close(int descriptor);

  /** Makes a file system report errors of close early; keeps the descriptor and its lock. */
  int flush(int descriptor);

  /**
   * Whether closing a file in an open directory may be the first call to report lost data: on
   * network file systems, and on unknown ones.
   */
  boolean mayFailAtClose(int directory);

  /**
   * Reads the attributes of a name into {@link #attributes}.
   *
   * @param flags AT_SYMLINK_NOFOLLOW or 0; AT_STATX_DONT_SYNC for those in the kernel's cache
   */
  int statx(int directory, FileName name, int flags);

  /** Reads the attributes of an open file into {@link #attributes}. */
  int statx(int descriptor);

  /** Whether a name is that of an open regular file. */
  default boolean isAt(int directory, FileName name, int descriptor) {
    if (statx(descriptor) < 0) {
      return false;
    }
    Attributes open = attributes();
    return open.is(EntryKind.FILE)
        && statx(directory, name, Flags.AT_SYMLINK_NOFOLLOW) == 0
        && attributes().isSameFile(open);
  }

  /** The attributes that the last call of this thread read. */
  Attributes attributes();

  /** Whether that file is append-only: names are added to such a directory and stay. */
  boolean isAppendOnly();

  /** The bytes that the last call of this thread read. */
  byte[] data(int length);

  int mkdir(int directory, FileName name, int mode);

  int mkdir(int directory, byte[] path, int mode);

  /** Removes a name other than a directory. */
  int unlink(int directory, FileName name);

  /** Removes an empty directory. */
  int rmdir(int directory, FileName name);

  /** Renames, replacing an existing entry. */
  int rename(int fromDirectory, FileName from, int toDirectory, FileName to);

  /** Renames to a free name. */
  int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to);

  /** Exchanges two names atomically. */
  int exchange(int directory, FileName one, FileName other);

  int symlink(byte[] target, int directory, FileName name);

  /** The target that a link with this one gets; on POSIX the same. */
  default BytePath keptTarget(BytePath target) {
    return target;
  }

  /** Reads the target of a link to {@link #data}; returns its length. */
  int readlink(int directory, FileName name);

  /** Adds a name to a file; a link is not followed. */
  int link(int fromDirectory, FileName from, int toDirectory, FileName to);

  /** Names an unnamed open file. */
  int link(int descriptor, int directory, FileName name);

  int chmod(int descriptor, int mode);

  /** Sets the mode of a directory, whatever its open flags. */
  int chmodDirectory(int directory, int mode);

  /** Sets the mode of a directory that this user may not search. */
  int chmodOpen(int descriptor, int mode);

  /** Sets the modification time of an open file. */
  int setModified(int descriptor, Timestamp modified);

  /** Sets the modification time of a name; for a link, its own. */
  int setModified(int directory, FileName name, Timestamp modified);

  /** Sets the modification time of a directory, whatever its open flags. */
  int setModifiedOfDirectory(int directory, Timestamp modified);

  int chown(int descriptor, int user, int group);

  /** Sets the owner of a name; for a link, its own. */
  int chown(int directory, FileName name, int user, int group);

  /** Sets the owner of a directory, whatever its open flags. */
  int chownDirectory(int directory, int user, int group);

  /** The names of extended attributes to {@link #data}, each with a NUL; returns the length. */
  int listAttributes(int descriptor);

  /** The value of an extended attribute to {@link #data}; returns the length. */
  int getAttribute(int descriptor, byte[] name);

  /** Sets an extended attribute to a value of at most 64 KiB. */
  int setAttribute(int descriptor, byte[] name, byte[] value);

  int removeAttribute(int descriptor, byte[] name);

  /** The type of the file system of an open file, from statfs(2); 0 when unknown. */
  long fileSystemType(int descriptor);

  /**
   * The bytes that this user may still write to the file system of an open directory.
   *
   * @throws IOException it cannot be asked
   */
  long freeSpace(int directory) throws IOException;

  /**
   * Reserves space from the start of a file and extends it to that length, or only checks the free
   * space.
   */
  int allocate(int descriptor, long length);

  /** Sets the length of a file; new bytes are a hole. */
  int truncate(int descriptor, long length);

  /** Punches a hole. */
  int punch(int descriptor, long offset, long length);

  /** The next data at or after an offset; -ENXIO for none. */
  long seekData(int descriptor, long offset);

  /** The next hole at or after an offset; the end of the file is one. */
  long seekHole(int descriptor, long offset);

  /** The effective user of this process. */
  int effectiveUser();

  /** Takes the exclusive lock of a file, if it is free; closing the descriptor releases it. */
  int tryLock(int descriptor);

  /** Takes a shared lock of a file, if no exclusive lock is held. */
  int tryShareLock(int descriptor);

  /** Announces sequential reading. Advice only. */
  void adviseSequential(int descriptor);

  /**
   * Drops the cached pages of a file that are on the device, up to an offset; 0: all. Advice only.
   */
  void dropCache(int descriptor, long end);

  /**
   * Whether more than half of a part of a file is in the page cache, or the system does not say so
   * to this user.
   *
   * @param offset a multiple of the size of a page
   */
  boolean mayBeCached(int descriptor, long offset, int length);

  /**
   * Opens an open file once more, for direct I/O.
   *
   * @param access O_RDONLY or O_RDWR
   */
  int reopenDirect(int descriptor, int access);

  /** Waits for the write-back of a file that has begun, and begins that of its other pages. */
  int startWriteBack(int descriptor);

  /** Syncs data and attributes of an open file, or the names in an open directory. */
  int fsync(int descriptor);

  /** Writes a part of a file to its device, so that {@link #fsync} has less to do. */
  int writeBack(int descriptor, long offset, long length);

  /**
   * Appends bytes of a file to a buffer; returns how many, fewer than {@code length} only at the
   * end of the file.
   */
  int read(int descriptor, ByteBuf target, int length, long offset);

  /** Writes all readable bytes of a buffer, whose indices do not change; returns 0. */
  int write(int descriptor, ByteBuf source, long offset);

  /**
   * Reads the next names of a directory into a direct buffer, from its start, as getdents64(2)
   * does; returns the length of the records in bytes.
   */
  int readDirectory(int descriptor, ByteBuffer records);
}
