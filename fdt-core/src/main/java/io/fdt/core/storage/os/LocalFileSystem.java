package io.fdt.core.storage.os;

import io.fdt.core.error.FdtException;

/** What a program may do about the local file system before it uses it. Any thread. */
public final class LocalFileSystem {
  private LocalFileSystem() {}

  /**
   * Binds the C library, which takes a tenth of a second or two the first time. Whatever opens a
   * file does it when it has not been done; a program that has other things to do at its start may
   * do it on a thread of its own meanwhile.
   *
   * @throws FdtException INTERNAL on a platform whose files cannot be used
   */
  public static void load() throws FdtException {
    LibC.require();
  }

  /** How many files and directories this package has open in this process. */
  public static int openDescriptors() {
    return Syscalls.openDescriptors();
  }
}
