package io.fdt.client;

import io.fdt.core.model.Checksum;
import io.fdt.core.plain.PlainDigests;
import java.util.HexFormat;

/**
 * The plain digests of one copy, computed by this machine; see {@link
 * TransferRequest#withPlainDigests}. Any thread.
 */
public final class CopyDigests {
  private final PlainDigests digests;

  CopyDigests(Checksum checksum, DigestCheck check) {
    this.digests =
        new PlainDigests(
            checksum, (path, digest) -> check.check(path, HexFormat.of().formatHex(digest)));
  }

  /** For FDT itself. */
  public PlainDigests digests() {
    return digests;
  }
}
