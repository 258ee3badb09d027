package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.storage.SourceTree;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Files of a spool, whose bytes have to be those that a client has left there. As threads go it is
 * like the source of the files.
 */
record SpooledSource(SourceTree files, SpoolDigests.Known known) implements SourceTree {
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

  @Override
  public List<Root> roots() {
    return files.roots();
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    files.walk(visitor);
  }

  @Override
  public List<BytePath> arrivals() {
    return files.arrivals();
  }

  @Override
  public BitSet lacking(List<List<FileName>> paths) {
    return files.lacking(paths);
  }

  @Override
  public boolean isInOrder() {
    return files.isInOrder();
  }

  @Override
  public void meter(LongConsumer bytes) {
    files.meter(bytes);
  }

  @Override
  public void close() {
    files.close();
  }
}
