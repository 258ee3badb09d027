package io.fdt.nio.server;

import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/** Converts failures of the server to exceptions of {@code java.nio.file}. Pure. */
public final class FileErrors {
  /** The settings of programs in place of the client's. */
  private static final Map<Setting, String> NAMES =
      Map.of(
          Setting.ACCEPT_NEW,
          Settings.ACCEPT_NEW + "=true",
          Setting.ENCRYPTION,
          Settings.ENCRYPT + "=true",
          Setting.FINGERPRINT,
          Settings.FINGERPRINT,
          Setting.TOKEN,
          Settings.TOKEN);

  private FileErrors() {}

  public static IOException of(FdtException failure, Path path) {
    String name = path.toString();
    String reason = Setting.shown(failure.getMessage(), NAMES::get);
    FileSystemException error =
        switch (failure.code()) {
          case NOT_FOUND -> new NoSuchFileException(name);
          case PERMISSION, FORBIDDEN, READ_ONLY, UNAUTHENTICATED, UNTRUSTED ->
              new AccessDeniedException(name, null, reason);
          default -> new FileSystemException(name, null, reason);
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
