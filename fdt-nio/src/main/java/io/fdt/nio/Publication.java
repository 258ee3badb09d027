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
 * How a written file gets its name.
 *
 * <p>A file that may replace another one is given its name by the transfer, in one step. One that
 * must be new arrives under a hidden name, and is renamed unless something has the name by then.
 * Confined to one thread.
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
   * @param asked as the program named it, for messages
   * @param target without links
   * @param mode permissions that it gets; empty for those that new files have
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

  /** Whether others may not read it: it must never exist with more rights. */
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
   * Gives it its permissions and its name.
   *
   * @throws FileAlreadyExistsException it must be new, and something has the name now
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
