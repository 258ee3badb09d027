package io.fdt.server;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import java.nio.file.Path;

/**
 * A directory that a server exposes, or a place in another storage.
 *
 * @param name the name that clients see beneath the root; null for a single directory, which is the
 *     root
 * @param directory its path on this machine, or with a scheme: s3://bucket/prefix
 * @param access whether clients may change anything in it
 */
public record Export(FileName name, BytePath directory, Access access) {
  /** Access of clients. */
  public enum Access {
    READ_ONLY,
    READ_WRITE
  }

  /** An export that clients may only read, under a name. */
  public static Export readOnly(String name, Path directory) {
    return new Export(FileName.of(name), BytePath.of(directory), Access.READ_ONLY);
  }

  /** An export that clients may read and change, under a name. */
  public static Export readWrite(String name, Path directory) {
    return new Export(FileName.of(name), BytePath.of(directory), Access.READ_WRITE);
  }
}
