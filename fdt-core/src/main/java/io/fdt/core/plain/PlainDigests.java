package io.fdt.core.plain;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The plain digests of the files of a copy, as sha256sum and others print them, and who looks at
 * them. Keeps those of files that are not told as done yet. Any thread.
 */
public final class PlainDigests {
  private final Checksum checksum;
  private final Check check;
  private final Map<String, byte[]> made = new ConcurrentHashMap<>();

  /** Looks at the digest of each file that is copied, on threads of disks. */
  public interface Check {
    /**
     * All bytes of a file have been read, or are written under a temporary name.
     *
     * @param path for people, as it will be told when the file is done
     * @throws FdtException VERIFICATION: the file does not get its name, and is reported with this
     */
    void check(String path, byte[] digest) throws FdtException;
  }

  /**
   * @param checksum not NONE
   */
  public PlainDigests(Checksum checksum, Check check) {
    if (checksum == Checksum.NONE) {
      throw new IllegalArgumentException("plain digests of nothing");
    }
    this.checksum = checksum;
    this.check = check;
  }

  /** Which one. */
  public Checksum checksum() {
    return checksum;
  }

  void made(String path, byte[] digest) throws FdtException {
    check.check(path, digest);
    made.put(path, digest);
  }

  /** The digest of a file that is settled, once; empty when none was made. */
  public Optional<byte[]> take(String path) {
    return Optional.ofNullable(made.remove(path));
  }
}
