package io.fdt.storage.local.destination.partial;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.JournalHeader;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The shared partial file of transfers of ranges, on any number of machines.
 *
 * <pre>
 *   .fdt-(name).part             the file: it has its size from the start
 *   .fdt-(name).journal          version of the source, cut, a random number; no ranges
 *   .fdt-(name, start).part      empty; its lock protects a range
 *   .fdt-(name, start).journal   written parts of the range; with the random number: the whole range
 * </pre>
 *
 * <p>Transfers of ranges share the lock of the file; a transfer of the whole file holds it
 * exclusively. So no range is written while the file gets its name, or afterwards.
 *
 * @param file open, with its lock
 * @param header of its journal
 */
public record CutPartial(FileDescriptor file, JournalHeader header) {
  /** All workers start at once and wait for one of them to create the file: 5 s. */
  private static final int ATTEMPTS = 250;

  private static final long PAUSE_MILLIS = 20;

  /**
   * Opens the file, or creates it in place of an abandoned one.
   *
   * @throws FdtException IN_USE during a transfer of the whole file or of another version, and when
   *     the file has got its name meanwhile; STORAGE_FULL, ...
   */
  public static CutPartial open(Directory directory, CutFile wanted) throws FdtException {
    for (int attempt = 1; ; attempt++) {
      try {
        Optional<CutPartial> found = openExisting(directory, wanted);
        if (found.isPresent()) {
          return found.get();
        }
        make(directory, wanted);
      } catch (FdtException e) {
        if (e.code() != ErrorCode.IN_USE
            || attempt >= ATTEMPTS
            || !wanted.isAsSeen(directory)
            || !mayBeOpenSoon(directory, wanted)) {
          throw e;
        }
        awaitOthers(e);
      }
    }
  }

  private static Optional<CutPartial> openExisting(Directory directory, CutFile wanted)
      throws FdtException {
    FileName name = wanted.name();
    int descriptor = LockedPartial.openShared(directory, name);
    if (descriptor < 0) {
      return Optional.empty();
    }
    FileDescriptor file = new FileDescriptor(descriptor, () -> directory.pathOf(name));
    try {
      Optional<PartialJournal.Content> found = RangeJournals.journal(directory, name);
      if (found.isPresent()
          && RangeJournals.isOf(found.get(), wanted.version(), wanted.cut())
          && PartialFinder.hasItsSize(file, found.get())) {
        return Optional.of(new CutPartial(file, found.get().header()));
      }
      if (found.isPresent() && RangeJournals.isContinuedAsWhole(found.get(), wanted.version())) {
        throw LockedPartial.inUse(directory, name);
      }
    } catch (FdtException e) {
      file.close();
      throw e;
    }
    file.close();
    return Optional.empty();
  }

  /** Whether the transfer of another range holds the file exclusively only to create it. */
  private static boolean mayBeOpenSoon(Directory directory, CutFile wanted) throws FdtException {
    Optional<PartialJournal.Content> found = RangeJournals.journal(directory, wanted.name());
    return found.isEmpty() || RangeJournals.isOf(found.get(), wanted.version(), wanted.cut());
  }

  private static void awaitOthers(FdtException cause) throws FdtException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw cause;
    }
  }

  /**
   * Creates the file. Sets its size last: after a crash, a journal beside a file of another size
   * may belong to an older file.
   */
  private static void make(Directory directory, CutFile wanted) throws FdtException {
    FileName name = wanted.name();
    int descriptor = LockedPartial.create(directory, name);
    try (FileDescriptor file = new FileDescriptor(descriptor, () -> directory.pathOf(name))) {
      JournalHeader header =
          new JournalHeader(
              name,
              wanted.version(),
              ThreadLocalRandom.current().nextLong() | 1, // never 0
              ThreadLocalRandom.current().nextLong(),
              Optional.of(wanted.cut()));
      try {
        checkLocks(file, directory, name);
        if (!wanted.isAsSeen(directory)) {
          throw LockedPartial.inUse(directory, name); // another transfer has completed it
        }
        RangeJournals.forgetOlder(directory, name);
        PartialJournal.begin(directory, TemporaryName.number(name), header, new KeptRanges())
            .close();
        setSize(file, directory, name, wanted.version().size(), wanted.isSparse());
      } catch (FdtException e) {
        RangeJournals.unlink(directory, TemporaryName.number(name));
        throw e;
      }
    }
  }

  /** Without locks, a late writer could not be distinguished from a dead one. */
  private static void checkLocks(FileDescriptor file, Directory directory, FileName name)
      throws FdtException {
    int result = file.call(Syscalls::tryLock); // already held, if the file system has locks
    if (result < 0) {
      throw Errno.ofName(-result, "lock", directory.pathOf(name));
    }
  }

  private static void setSize(
      FileDescriptor file, Directory directory, FileName name, long size, boolean isSparse)
      throws FdtException {
    int result = isSparse ? 0 : file.call(descriptor -> Syscalls.allocate(descriptor, size));
    if (result == -Errno.ENOSPC || result == -Errno.EDQUOT || result == -Errno.EFBIG) {
      FdtException full = Errno.ofData(-result, "reserve space for", directory.pathOf(name));
      throw full.code() == ErrorCode.STORAGE_FULL
          ? FreeSpace.explain(full, directory, name, size)
          : full;
    }
    // Other errors mean that this file system cannot reserve space.
    result = file.call(descriptor -> Syscalls.truncate(descriptor, size));
    if (result < 0) {
      throw Errno.ofName(-result, "set the size of", directory.pathOf(name));
    }
  }
}
