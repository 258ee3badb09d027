package io.fdt.core.model;

import java.util.Objects;

/**
 * The identity of a large file, and the time of its last change.
 *
 * @param identity a number that identifies the file, whatever its name (derived from its device and
 *     inode); 0 when irrelevant or unknown
 * @param changed time of the last change of any kind (ctime), which only the system sets; null when
 *     unknown
 * @param isOld whether that was at least {@link #OLD_SECONDS} before the listing, so that every
 *     later change has another time
 */
public record FileStamp(long identity, Timestamp changed, boolean isOld) {
  /** The coarsest step of times of common file systems (FAT: 2 s). */
  public static final int OLD_SECONDS = 2;

  /** A stamp without identity and time. */
  public static final FileStamp NONE = new FileStamp(0, null, false);

  public FileStamp {
    if (isOld && changed == null) {
      throw new IllegalArgumentException("an unknown time of change, marked as old");
    }
  }

  /** A stamp without a time of change. */
  public static FileStamp of(long identity) {
    return identity == 0 ? NONE : new FileStamp(identity, null, false);
  }

  /**
   * The stamp of a file listed now.
   *
   * @param nowSeconds since 1970, by the clock of this machine
   */
  public static FileStamp of(long identity, Timestamp changed, long nowSeconds) {
    return new FileStamp(identity, changed, changed.seconds() < nowSeconds - OLD_SECONDS);
  }

  /** A copy with another identity, for example that of a part. */
  public FileStamp withIdentity(long other) {
    return new FileStamp(other, changed, isOld);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileStamp stamp
        && stamp.identity == identity
        && stamp.isOld == isOld
        && Objects.equals(stamp.changed, changed);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(identity) * 31 + Objects.hashCode(changed);
  }
}
