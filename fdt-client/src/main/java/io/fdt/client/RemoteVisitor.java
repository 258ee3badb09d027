package io.fdt.client;

import io.fdt.core.error.ErrorCode;

/**
 * Receives a server's answer, piece by piece, on the requesting thread. It may be slow: the server
 * waits.
 */
public interface RemoteVisitor {
  /** A file, directory or link. */
  default void file(RemoteFile file) {}

  /** The digest of a file. */
  default void digest(RemoteDigest digest) {}

  /**
   * A name that could not be read or removed; the request continues.
   *
   * @param path escaped
   */
  void problem(String path, ErrorCode code, String message);

  /** Progress; called at most once a second. */
  default void working(long files, long bytes) {}
}
