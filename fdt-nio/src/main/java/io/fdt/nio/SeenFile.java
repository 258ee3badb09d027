package io.fdt.nio;

import io.fdt.client.RemoteFile;
import java.time.Duration;

/**
 * The attributes of a file from a listing, which save a request for each file of a walk. Immutable.
 *
 * @param real the path of the file, absolute and without links on the way
 * @param file as the server listed it
 * @param nanos when that was
 * @param changes how many changes this program had made by then
 */
record SeenFile(FdtPath real, RemoteFile file, long nanos, long changes) {
  /** NFS clients cache attributes at least as long. */
  static final Duration LIFETIME = Duration.ofSeconds(3);

  /** Whether it can be used: it is young, and this program has changed nothing since. */
  boolean isGood(long nowNanos, long changesNow) {
    return changesNow == changes && nowNanos - nanos < LIFETIME.toNanos();
  }
}
