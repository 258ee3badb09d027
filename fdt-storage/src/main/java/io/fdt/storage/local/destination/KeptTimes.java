package io.fdt.storage.local.destination;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.TimeSteps;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How the file systems of a destination round modification times: some keep fewer digits, or fewer
 * years.
 *
 * <pre>
 *   a file's time differs from the source's
 *     the source's, rounded down to a known step -> the step of the device, measured once
 *     the source's is in an unusual year             -> the device's rounding, measured
 *     neither                                         -> another time
 * </pre>
 *
 * <p>A time is measured on a temporary file, removed at once. Any thread.
 */
final class KeptTimes {
  /** Each step rounds it differently. */
  private static final Timestamp PROBE = new Timestamp(1_000_000_001, 987_654_321);

  /** 1980-01-02 to 2038-01-18: kept by every file system, whatever its time zone. */
  private static final long FIRST_USUAL = 315_619_200;

  private static final long LAST_USUAL = 2_147_385_600;

  /** Most unusual times whose results are cached; others are measured each time. */
  private static final int MOST_UNUSUAL = 10_000;

  private record Measured(long device, Timestamp wanted) {}

  private final boolean measures;
  private final Map<Measured, Timestamp> measured = new ConcurrentHashMap<>();

  /**
   * @param measures whether to create files for measuring; otherwise any step that explains a
   *     file's time is accepted
   */
  KeptTimes(boolean measures) {
    this.measures = measures;
  }

  /** Whether some file systems cannot keep a time. */
  static boolean isUnusual(Timestamp time) {
    return time.seconds() < FIRST_USUAL || time.seconds() > LAST_USUAL;
  }

  /**
   * Whether the time of a file is its file system's rounding of another one.
   *
   * @param directory of the file
   */
  boolean isKept(Directory directory, Timestamp seen, Timestamp wanted) {
    if (seen.equals(wanted)) {
      return true;
    }
    if (isUnusual(wanted)) {
      return measures && measure(directory, wanted).filter(seen::equals).isPresent();
    }
    OptionalLong step = TimeSteps.between(wanted, seen);
    if (step.isEmpty() || !measures) {
      return step.isPresent();
    }
    Optional<Timestamp> probe = measure(directory, PROBE);
    OptionalLong ofDevice =
        probe.isPresent() ? TimeSteps.between(PROBE, probe.get()) : OptionalLong.empty();
    return ofDevice.isPresent() && TimeSteps.roundedDown(wanted, ofDevice.getAsLong()).equals(seen);
  }

  /** A time as rounded by the file system of a directory; empty when unknown. */
  private Optional<Timestamp> measure(Directory directory, Timestamp wanted) {
    Measured key = new Measured(directory.firstSeen().device(), wanted);
    Timestamp known = measured.get(key);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<Timestamp> found = find(directory, wanted);
    if (found.isPresent() && measured.size() < MOST_UNUSUAL) {
      measured.put(key, found.get());
    }
    return found;
  }

  private static Optional<Timestamp> find(Directory directory, Timestamp wanted) {
    try {
      int pinned = directory.pin();
      try {
        int unnamed =
            Syscalls.open(
                pinned, Flags.ITSELF, Flags.O_TMPFILE | Flags.O_RDWR, FileCreationMask.TEMPORARY);
        return unnamed >= 0
            ? setAndRead(unnamed, wanted)
            : findByName(directory, pinned, unnamed, wanted);
      } finally {
        directory.unpin();
      }
    } catch (FdtException e) {
      return Optional.empty(); // the directory is gone or was replaced
    }
  }

  /**
   * Measures with a temporarily named file; the directory keeps its time. Reads the time after the
   * close: some network file systems round only then.
   */
  private static Optional<Timestamp> findByName(
      Directory directory, int pinned, int why, Timestamp wanted) throws FdtException {
    if (why == -Errno.EACCES) {
      return Optional.empty();
    }
    Timestamp before = directory.current().modified();
    FileName name = TemporaryName.Kind.PART.name(ThreadLocalRandom.current().nextLong());
    int flags = Flags.O_RDWR | Flags.O_CREAT | Flags.O_EXCL | Flags.O_NOFOLLOW;
    int descriptor = Syscalls.open(pinned, name, flags, FileCreationMask.TEMPORARY);
    if (descriptor < 0) {
      return Optional.empty();
    }
    try {
      int result = Syscalls.setModified(descriptor, wanted);
      Syscalls.close(descriptor);
      return result < 0
          ? Optional.empty()
          : Optional.ofNullable(directory.find(name)).map(Attributes::modified);
    } finally {
      Syscalls.unlink(pinned, name);
      Syscalls.setModifiedOfDirectory(pinned, before);
    }
  }

  private static Optional<Timestamp> setAndRead(int descriptor, Timestamp wanted) {
    try {
      return Syscalls.setModified(descriptor, wanted) < 0 || Syscalls.statx(descriptor) < 0
          ? Optional.empty()
          : Optional.of(Syscalls.attributes().modified());
    } finally {
      Syscalls.close(descriptor);
    }
  }
}
