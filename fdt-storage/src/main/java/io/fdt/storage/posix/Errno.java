package io.fdt.storage.posix;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;

/** The error numbers of Linux, with messages. Immutable constants and pure functions. */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int ENXIO = 6;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int EXDEV = 18;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int EFBIG = 27;
  public static final int ENOSPC = 28;
  public static final int ESPIPE = 29;
  public static final int EROFS = 30;
  public static final int EMLINK = 31;
  public static final int ENAMETOOLONG = 36;
  public static final int ENOLCK = 37;
  public static final int ENOSYS = 38;
  public static final int ENOTEMPTY = 39;
  public static final int ELOOP = 40;
  public static final int ENODATA = 61;
  public static final int EILSEQ = 84;
  public static final int EOPNOTSUPP = 95;
  public static final int ECONNABORTED = 103;
  public static final int ENOTCONN = 107;
  public static final int ETIMEDOUT = 110;
  public static final int EHOSTDOWN = 112;
  public static final int EHOSTUNREACH = 113;
  public static final int ESTALE = 116;
  public static final int EREMOTEIO = 121;
  public static final int EDQUOT = 122;

  private Errno() {}

  /** Whether a file system refuses an attribute of an otherwise valid file. */
  public static boolean isRefusal(int errno) {
    return switch (errno) {
      case EPERM, EACCES, EINVAL, ENOSYS, EOPNOTSUPP -> true;
      default -> false;
    };
  }

  public static ErrorCode codeOf(int errno) {
    return switch (errno) {
      case ENOENT -> ErrorCode.NOT_FOUND;
      case EACCES, EPERM -> ErrorCode.PERMISSION;
      case ENOTDIR, EISDIR, ELOOP, EEXIST, ENOTEMPTY -> ErrorCode.WRONG_KIND;
      case ENOSPC, EDQUOT -> ErrorCode.STORAGE_FULL;
      case EROFS -> ErrorCode.READ_ONLY;
      case EBUSY -> ErrorCode.IN_USE;
      case EMFILE, ENFILE, ENOMEM -> ErrorCode.RESOURCES;
      case ENAMETOOLONG, EILSEQ, EINVAL -> ErrorCode.BAD_NAME;
      default -> ErrorCode.IO;
    };
  }

  /**
   * A failed call on a name.
   *
   * @param doing the operation, as in "open"
   * @param path escaped
   */
  public static FdtException ofName(int errno, String doing, String path) {
    return new FdtException(codeOf(errno), message(errno, doing, path));
  }

  /** A failed call on an open file: EINVAL does not concern the name here. */
  public static FdtException ofData(int errno, String doing, String path) {
    ErrorCode code = errno == EINVAL ? ErrorCode.IO : codeOf(errno);
    String reason = errno == EINVAL ? "the file system refuses it (error 22)" : reason(errno);
    return new FdtException(code, "cannot " + doing + " '" + path + "': " + reason);
  }

  private static String message(int errno, String doing, String path) {
    return "cannot " + doing + " '" + path + "': " + reason(errno);
  }

  private static String reason(int errno) {
    return switch (errno) {
      case ENOENT -> "no such file or directory; check the path";
      case ENOTCONN, ECONNABORTED ->
          "the file system mounted there is dead (error " + errno + "); mount it again";
      case ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, EREMOTEIO ->
          "its file server does not answer (error " + errno + "); try again when it does";
      case ESTALE -> "stale file handle; run it again, or mount it again";
      case EACCES -> "permission denied; change its mode or run as a user who may";
      case EPERM -> "operation not permitted; run as a user who may";
      case ENOTDIR -> "a part of the path is not a directory (links are not followed here)";
      case EISDIR -> "a directory is there; move it away or choose another name";
      case EEXIST -> "something else is there; move it away or choose another name";
      case ENOTEMPTY -> "the directory is not empty";
      case EBUSY -> "something is mounted there, or it is in use";
      case EXDEV -> "it is on another file system";
      case ELOOP -> "a symbolic link is there, and links are not followed here";
      case ENOSPC -> "no space or no inodes left; free some and try again";
      case EDQUOT -> "the disk quota is used up; free some space and try again";
      case EROFS -> "the file system is mounted read-only";
      case EMFILE -> "this process has too many open files; raise 'ulimit -n'";
      case ENFILE -> "the system has too many open files; raise fs.file-max";
      case ENOMEM -> "the system is out of memory";
      case EIO -> "the device reports an error; see the system's log";
      case ENAMETOOLONG -> "the name is too long for this file system";
      case EILSEQ, EINVAL -> "the file system does not allow this name";
      case EMLINK -> "the file has as many names as this file system allows";
      case EOPNOTSUPP, ENOSYS -> "this file system cannot do that; choose another place";
      case EFBIG -> "the file is too large for this file system or for 'ulimit -f'";
      default -> "system error " + errno;
    };
  }
}
