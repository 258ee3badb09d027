package io.fdt.client;

import io.fdt.core.error.FdtException;

/** Looks at the plain digest of each file of a copy before the file counts as good. */
@FunctionalInterface
public interface DigestCheck {
  /**
   * All bytes of a file have been read, or are written under a temporary name. Called on threads of
   * disks, several at a time; must be quick.
   *
   * @param path of the file on this machine, as {@link DoneFile#path} will have it
   * @param digest in lower-case hexadecimal digits
   * @throws FdtException VERIFICATION to refuse the file, which then does not get its name and is
   *     reported with this
   */
  void check(String path, String digest) throws FdtException;
}
