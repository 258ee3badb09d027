package io.fdt.core.plain;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The plain digests of the files of a copy, as sha256sum and others print them, and their check.
 * Keeps the digests of files that are not yet reported as done. Any thread.
 */
public final class PlainDigests {
  private final Checksum checksum;
  private final Check check;
  private final Map<String, byte[]> made = new ConcurrentHashMap<>();

  /** Checks the digest of each copied file, on the threads of disks. */
  public interface Check {
    /**
     * Called when all bytes of a file have been read, or written under a temporary name.
     *
     * @param path as reported when the file is done
     * @throws FdtException VERIFICATION: the file fails with this and gets no name
     */
    void check(String path, byte[] digest) throws FdtException;
  }

  /**
   * @param checksum not NONE
   */
  public PlainDigests(Checksum checksum, Check check) {
    if (checksum == Checksum.NONE) {
      throw new IllegalArgumentException("plain digests need a checksum");
    }
    this.checksum = checksum;
    this.check = check;
  }

  public Checksum checksum() {
    return checksum;
  }

  void made(String path, byte[] digest) throws FdtException {
    check.check(path, digest);
    made.put(path, digest);
  }

  /** Removes and returns the digest of a finished file; empty when none was computed. */
  public Optional<byte[]> take(String path) {
    return Optional.ofNullable(made.remove(path));
  }
}
