package io.fdt.client;

import io.fdt.core.error.ErrorCode;

/**
 * Is told what a server answers, piece by piece, on the thread that asked. It may take its time:
 * the server waits.
 */
public interface RemoteVisitor {
  /** Something that is there. */
  default void file(RemoteFile file) {}

  /** The digest of a file. */
  default void digest(RemoteDigest digest) {}

  /**
   * Something that could not be read or removed; the rest goes on.
   *
   * @param path for people
   */
  void problem(String path, ErrorCode code, String message);

  /** How far the server is; called at most once a second. */
  default void working(long files, long bytes) {}
}
