package io.fdt.storage.portable;

import io.fdt.storage.posix.Errno;
import java.io.IOException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Exceptions of java.nio.file as numbers of {@link Errno}. Pure functions. */
final class Failures {
  /** Parts of the system's own text (Linux, macOS, Windows), where an exception has no class. */
  private static final Map<String, Integer> TEXTS = new LinkedHashMap<>();

  static {
    TEXTS.put("No such file", Errno.ENOENT);
    TEXTS.put("Permission denied", Errno.EACCES);
    TEXTS.put("Operation not permitted", Errno.EPERM);
    TEXTS.put("No space left", Errno.ENOSPC);
    TEXTS.put("not enough space", Errno.ENOSPC);
    TEXTS.put("quota", Errno.EDQUOT);
    TEXTS.put("Read-only file system", Errno.EROFS);
    TEXTS.put("write protected", Errno.EROFS);
    TEXTS.put("Too many open files in system", Errno.ENFILE);
    TEXTS.put("Too many open files", Errno.EMFILE);
    TEXTS.put("Cannot allocate memory", Errno.ENOMEM);
    TEXTS.put("Is a directory", Errno.EISDIR);
    TEXTS.put("Not a directory", Errno.ENOTDIR);
    TEXTS.put("Directory not empty", Errno.ENOTEMPTY);
    TEXTS.put("File exists", Errno.EEXIST);
    TEXTS.put("too long", Errno.ENAMETOOLONG);
    TEXTS.put("Too many levels of symbolic links", Errno.ELOOP);
    TEXTS.put("symbolic link", Errno.ELOOP);
    TEXTS.put("cross-device link", Errno.EXDEV);
    TEXTS.put("different disk drive", Errno.EXDEV);
    TEXTS.put("Too many links", Errno.EMLINK);
    TEXTS.put("File too large", Errno.EFBIG);
    TEXTS.put("resource busy", Errno.EBUSY);
    TEXTS.put("being used by another process", Errno.EBUSY);
    TEXTS.put("Invalid argument", Errno.EINVAL);
    TEXTS.put("not supported", Errno.EOPNOTSUPP);
    TEXTS.put("Function not implemented", Errno.ENOSYS);
    TEXTS.put("No locks available", Errno.ENOLCK);
    TEXTS.put("Stale", Errno.ESTALE);
    TEXTS.put("Transport endpoint is not connected", Errno.ENOTCONN);
    TEXTS.put("Software caused connection abort", Errno.ECONNABORTED);
    TEXTS.put("timed out", Errno.ETIMEDOUT);
    TEXTS.put("Host is down", Errno.EHOSTDOWN);
    TEXTS.put("No route to host", Errno.EHOSTUNREACH);
    TEXTS.put("Remote I/O error", Errno.EREMOTEIO);
  }

  private Failures() {}

  static int errnoOf(Exception failure) {
    if (failure instanceof IOException io) {
      return ofClass(io);
    }
    if (failure instanceof DirectoryIteratorException listing) {
      return ofClass(listing.getCause());
    }
    if (failure instanceof InvalidPathException) {
      return Errno.EILSEQ;
    }
    if (failure instanceof UnsupportedOperationException) {
      return Errno.EOPNOTSUPP;
    }
    return failure instanceof OverlappingFileLockException ? Errno.EAGAIN : Errno.EIO;
  }

  private static int ofClass(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return Errno.ENOENT;
    }
    if (failure instanceof AccessDeniedException) {
      return Errno.EACCES;
    }
    if (failure instanceof FileAlreadyExistsException) {
      return Errno.EEXIST;
    }
    if (failure instanceof DirectoryNotEmptyException) {
      return Errno.ENOTEMPTY;
    }
    if (failure instanceof NotDirectoryException) {
      return Errno.ENOTDIR;
    }
    if (failure instanceof NotLinkException) {
      return Errno.EINVAL;
    }
    return ofText(failure instanceof FileSystemException system ? system.getReason() : null)
        .orElseGet(() -> ofText(failure.getMessage()).orElse(Errno.EIO));
  }

  private static Optional<Integer> ofText(String text) {
    if (text == null) {
      return Optional.empty();
    }
    return TEXTS.entrySet().stream()
        .filter(known -> text.contains(known.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
