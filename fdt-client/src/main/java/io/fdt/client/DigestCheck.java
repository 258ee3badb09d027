package io.fdt.client;

import io.fdt.core.error.FdtException;

/** Checks the plain digest of each file of a copy before the file counts as good. */
@FunctionalInterface
public interface DigestCheck {
  /**
   * Called when all bytes of a file have been read, or written under a temporary name. On threads
   * of disks, several at a time; must be quick.
   *
   * @param path of the file on this machine, as {@link DoneFile#path}
   * @param digest in lower-case hexadecimal digits
   * @throws FdtException VERIFICATION to reject the file, which then fails with this and gets no
   *     name
   */
  void check(String path, String digest) throws FdtException;
}
