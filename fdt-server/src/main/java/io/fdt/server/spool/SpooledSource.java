package io.fdt.server.spool;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.forward.ForwardingSource;

/**
 * Files of a spool, whose bytes must equal those received from the client. Threads as for the
 * source of the files.
 */
public final class SpooledSource extends ForwardingSource {
  private final SpoolDigests.Known known;

  public SpooledSource(SourceTree files, SpoolDigests.Known known) {
    super(files);
    this.known = known;
  }

  @Override
  public void check(SourceFile file, long size, byte[] digest) throws FdtException {
    if (!known.has(size, digest)) {
      throw new FdtException(
          ErrorCode.VERIFICATION,
          ("'%s' in the spool is not what was handed over: check the disk of the relay and hand it"
                  + " over again")
              .formatted(file.path()));
    }
  }
}
