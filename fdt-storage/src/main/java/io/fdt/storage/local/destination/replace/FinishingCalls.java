package io.fdt.storage.local.destination.replace;

import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.storage.local.os.Syscalls;

/**
 * The system calls that sync or flush a file, drop it from the page cache, set its mode and time,
 * and give it its final name. Each returns the result of {@link Syscalls}. Tests check their order
 * and make one of them fail.
 *
 * <p>Thread-safe.
 */
public interface FinishingCalls {
  /** The kernel's. */
  FinishingCalls KERNEL = new KernelCalls();

  boolean mayFailAtClose(int directory);

  int writeBack(int descriptor, long offset, long length);

  int fsync(int descriptor);

  int flush(int descriptor);

  int dropCache(int descriptor);

  int chmod(int descriptor, int mode);

  int setModified(int descriptor, Timestamp modified);

  int rename(int directory, FileName from, FileName to);

  int exchange(int directory, FileName one, FileName other);

  int link(int fromDirectory, FileName from, int toDirectory, FileName to);

  int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to);

  /** Forwards every call. */
  class KernelCalls implements FinishingCalls {
    @Override
    public boolean mayFailAtClose(int directory) {
      return Syscalls.mayFailAtClose(directory);
    }

    @Override
    public int writeBack(int descriptor, long offset, long length) {
      return Syscalls.writeBack(descriptor, offset, length);
    }

    @Override
    public int fsync(int descriptor) {
      return Syscalls.fsync(descriptor);
    }

    @Override
    public int flush(int descriptor) {
      return Syscalls.flush(descriptor);
    }

    @Override
    public int dropCache(int descriptor) {
      return Syscalls.dropCache(descriptor, 0);
    }

    @Override
    public int chmod(int descriptor, int mode) {
      return Syscalls.chmod(descriptor, mode);
    }

    @Override
    public int setModified(int descriptor, Timestamp modified) {
      return Syscalls.setModified(descriptor, modified);
    }

    @Override
    public int rename(int directory, FileName from, FileName to) {
      return Syscalls.rename(directory, from, to);
    }

    @Override
    public int exchange(int directory, FileName one, FileName other) {
      return Syscalls.exchange(directory, one, other);
    }

    @Override
    public int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to) {
      return Syscalls.renameToFree(fromDirectory, from, toDirectory, to);
    }

    @Override
    public int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
      return Syscalls.link(fromDirectory, from, toDirectory, to);
    }
  }
}
