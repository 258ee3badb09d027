package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.FileName;
import java.util.List;

/**
 * How something goes away from its directory. Both methods give what system calls give: 0, or a
 * negative error number. Any thread.
 */
interface Disposal {
  /** It is gone for good. */
  Disposal REMOVE =
      new Disposal() {
        @Override
        public int leaf(int pinned, FileName name, List<FileName> way) {
          return Kernel.unlink(pinned, name);
        }

        @Override
        public int directory(int pinned, FileName name, List<FileName> way) {
          return Kernel.rmdir(pinned, name);
        }

        @Override
        public int temporary(int pinned, FileName name) {
          long number = TemporaryName.numberIn(name.bytes());
          int result = AbandonedFile.remove(pinned, number);
          // A journal goes with its file; one that is alone goes by itself.
          boolean isAlone = result == -Errno.ENOENT && Kernel.statx(pinned, name) == 0;
          return isAlone ? AbandonedFile.removeJournalAlone(pinned, number) : result;
        }
      };

  /** It stays: a dry run. */
  Disposal PRETEND =
      new Disposal() {
        @Override
        public int leaf(int pinned, FileName name, List<FileName> way) {
          return 0;
        }

        @Override
        public int directory(int pinned, FileName name, List<FileName> way) {
          return 0;
        }

        @Override
        public int temporary(int pinned, FileName name) {
          return AbandonedFile.examine(pinned, TemporaryName.numberIn(name.bytes()));
        }
      };

  /**
   * Does away with what is no directory.
   *
   * @param pinned the open directory that holds it
   * @param way the names that lead to that directory
   * @throws FdtException for what is not about the thing itself
   */
  int leaf(int pinned, FileName name, List<FileName> way) throws FdtException;

  /** Does away with an empty directory; as {@link #leaf}. */
  int directory(int pinned, FileName name, List<FileName> way) throws FdtException;

  /**
   * Does away with what a transfer left under a temporary name; it is always gone for good.
   *
   * @return as {@link AbandonedFile#remove}
   */
  int temporary(int pinned, FileName name);
}
