package io.fdt.nio.server;

import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Converts failures of the server to exceptions of {@code java.nio.file}. Pure. */
public final class FileErrors {
  private FileErrors() {}

  public static IOException of(FdtException failure, Path path) {
    String name = path.toString();
    FileSystemException error =
        switch (failure.code()) {
          case NOT_FOUND -> new NoSuchFileException(name);
          case PERMISSION, FORBIDDEN, READ_ONLY, UNAUTHENTICATED, UNTRUSTED ->
              new AccessDeniedException(name, null, failure.getMessage());
          default -> new FileSystemException(name, null, failure.getMessage());
        };
    error.initCause(failure);
    return error;
  }

  /**
   * The exception for a thread that was interrupted while it waited; the thread remains
   * interrupted.
   */
  public static IOException interrupted(InterruptedException cause, Path path) {
    Thread.currentThread().interrupt();
    InterruptedIOException error =
        new InterruptedIOException("interrupted while waiting for the server of '" + path + "'");
    error.initCause(cause);
    return error;
  }
}
