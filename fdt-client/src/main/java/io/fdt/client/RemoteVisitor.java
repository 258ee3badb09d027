package io.fdt.client;

import io.fdt.core.error.ErrorCode;

/**
 * Receives the answer of a server, piece by piece, on the thread that asked. It may be slow: the
 * server waits.
 */
public interface RemoteVisitor {
  /** A file, directory or link. */
  default void file(RemoteFile file) {}

  /** The digest of a file. */
  default void digest(RemoteDigest digest) {}

  /**
   * Something that could not be read or removed; the rest goes on.
   *
   * @param path for people
   */
  void problem(String path, ErrorCode code, String message);

  /** Progress; called at most once a second. */
  default void working(long files, long bytes) {}
}
