package io.fdt.core.session.receiver;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.PackRecord;
import java.util.List;

/**
 * One wanted small file of a pack, and its outcome.
 *
 * <p>The thread that writes it sets the result; the session's thread reads it after that.
 *
 * @param <F> the writer of the file
 */
public final class PackedFile<F> {
  private final IncomingFile<F> file;
  private final PackRecord record;
  private byte[] digest;
  private List<FdtException> warnings = List.of();
  private FdtException failure;

  PackedFile(IncomingFile<F> file, PackRecord record) {
    this.file = file;
    this.record = record;
  }

  public IncomingFile<F> file() {
    return file;
  }

  /** The place of its bytes in the payload. */
  public PackRecord record() {
    return record;
  }

  /** Records that the file has its final name. */
  public void stored(byte[] withDigest, List<FdtException> withWarnings) {
    digest = withDigest;
    warnings = withWarnings;
  }

  /** Records that the file could not be written, verified or named. */
  public void failed(FdtException cause) {
    failure = cause;
  }

  /** The failure; null for none. */
  public FdtException failure() {
    return failure;
  }

  byte[] digest() {
    return digest;
  }

  List<FdtException> warnings() {
    return warnings;
  }
}
