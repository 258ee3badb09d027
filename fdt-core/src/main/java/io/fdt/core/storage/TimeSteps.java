package io.fdt.core.storage;

import io.fdt.core.model.Timestamp;
import java.util.OptionalLong;

/** The resolutions of file times, rounded down. Pure functions. */
public final class TimeSteps {
  private static final long SECOND = 1_000_000_000L;

  /**
   * Nanoseconds: NTFS, SMB and Java's times; PostgreSQL's and many archives'; network file systems;
   * exFAT; ext4 with inodes of 128 bytes, HFS+ and NFS 2; FAT.
   */
  private static final long[] STEPS = {100, 1_000, 1_000_000, 10_000_000, SECOND, 2 * SECOND};

  private TimeSteps() {}

  /** The smallest step that rounds one time to the other; empty when none does. */
  public static OptionalLong between(Timestamp exact, Timestamp kept) {
    for (long step : STEPS) {
      if (roundedDown(exact, step).equals(kept)) {
        return OptionalLong.of(step);
      }
    }
    return OptionalLong.empty();
  }

  /**
   * Rounds a time down.
   *
   * @param step nanoseconds
   */
  public static Timestamp roundedDown(Timestamp time, long step) {
    return step < SECOND
        ? new Timestamp(time.seconds(), time.nanos() - (int) (time.nanos() % step))
        : new Timestamp(time.seconds() - Math.floorMod(time.seconds(), step / SECOND), 0);
  }
}
