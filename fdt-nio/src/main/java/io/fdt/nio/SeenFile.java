package io.fdt.nio;

import io.fdt.client.RemoteFile;
import java.time.Duration;

/**
 * The attributes of a file from a listing, which save a request for each file of a walk. Immutable.
 *
 * @param real the path of the file, absolute and without links on the way
 * @param file as listed by the server
 * @param nanos time of the listing
 * @param changes number of changes by this program until then
 */
record SeenFile(FdtPath real, RemoteFile file, long nanos, long changes) {
  /** The lifetime of cached attributes; NFS clients cache them at least as long. */
  static final Duration LIFETIME = Duration.ofSeconds(3);

  /** Whether the attributes are still valid: recent, and without a change by this program since. */
  boolean isGood(long nowNanos, long changesNow) {
    return changesNow == changes && nowNanos - nanos < LIFETIME.toNanos();
  }
}
