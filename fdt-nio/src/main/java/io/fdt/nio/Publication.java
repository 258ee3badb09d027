package io.fdt.nio;

import io.fdt.client.Transfer;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.nio.server.FileErrors;
import io.fdt.nio.server.RemoteAttributes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Gives a written file its name.
 *
 * <p>The transfer itself names a file that may replace another one, atomically. A file that must be
 * new arrives under a hidden name, and is renamed unless the name exists by then. Confined to one
 * thread.
 */
final class Publication {
  private static final int OTHERS_READ = 0044;
  private static final int OWNER_READS = 0400;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final FdtPath asked;
  private final FdtPath target;
  private final FdtPath arrival;
  private final WriteOptions options;
  private final OptionalInt mode;
  private boolean modeIsSent;

  /**
   * @param asked the path as given by the program, for messages
   * @param target without links
   * @param mode permissions of the file; empty for the default of new files
   */
  Publication(FdtPath asked, FdtPath target, WriteOptions options, OptionalInt mode) {
    this.asked = asked;
    this.target = target;
    this.arrival =
        options.createNew()
            ? target.getParent().resolve(".fdt-nio-" + Long.toHexString(RANDOM.nextLong()))
            : target;
    this.options = options;
    this.mode = mode;
  }

  FdtPath path() {
    return asked;
  }

  private FileTransfers transfers() {
    return target.getFileSystem().transfers();
  }

  private Remote remote() {
    return target.getFileSystem().remote();
  }

  Transfer start(InputStream source) throws IOException {
    return transfers().write(arrival, source, options.durable());
  }

  void await(Transfer transfer) throws IOException {
    transfers().await(asked, transfer);
  }

  /** Whether others may not read the file: it must never exist with wider permissions. */
  boolean isPrivate() {
    return mode.isPresent() && isPrivate(mode.getAsInt());
  }

  static boolean isPrivate(int mode) {
    return (mode & OTHERS_READ) != OTHERS_READ;
  }

  /** Sends a local file with its permissions, and waits. */
  void upload(Path local) throws IOException {
    modeIsSent = mode.isPresent() && (mode.getAsInt() & OWNER_READS) != 0;
    if (modeIsSent) {
      Files.setPosixFilePermissions(local, RemoteAttributes.permissions(mode.getAsInt()));
    }
    transfers().upload(local, arrival, options.durable(), modeIsSent);
  }

  /**
   * Gives the file its permissions and its name.
   *
   * @throws FileAlreadyExistsException it must be new, but the name exists now
   */
  void publish() throws IOException {
    if (mode.isPresent() && !modeIsSent) {
      try {
        remote().change(arrival, Optional.empty(), mode);
      } catch (IOException e) {
        throw arrival.equals(target) ? e : dropped(e);
      }
    }
    if (!arrival.equals(target)) {
      rename();
    }
    if (options.deleteOnClose()) {
      remote().delete(target);
    }
  }

  private void rename() throws IOException {
    try {
      remote().rename(arrival, target, false);
    } catch (FdtException e) {
      IOException error =
          e.code() == ErrorCode.WRONG_KIND
              ? new FileAlreadyExistsException(asked.toString())
              : FileErrors.of(e, asked);
      throw dropped(error);
    }
  }

  /** Removes a file that does not get its name; returns the cause. */
  private IOException dropped(IOException cause) {
    try {
      remote().delete(arrival);
    } catch (IOException left) {
      cause.addSuppressed(left);
    }
    return cause;
  }
}
