package io.fdt.core.storage.forward;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.storage.SourceTree;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongConsumer;

/** Forwards every call to another source, for subclasses to override. */
public class ForwardingSource implements SourceTree {
  private final SourceTree source;

  public ForwardingSource(SourceTree source) {
    this.source = source;
  }

  @Override
  public List<Root> roots() {
    return source.roots();
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    source.walk(visitor);
  }

  @Override
  public String waitsFor() {
    return source.waitsFor();
  }

  @Override
  public List<BytePath> arrivals() {
    return source.arrivals();
  }

  @Override
  public List<BytePath> emptyArrivals() {
    return source.emptyArrivals();
  }

  @Override
  public BitSet lacking(List<List<FileName>> paths) {
    return source.lacking(paths);
  }

  @Override
  public void check(SourceFile file, long size, byte[] digest) throws FdtException {
    source.check(file, size, digest);
  }

  @Override
  public int readers() {
    return source.readers();
  }

  @Override
  public boolean isInOrder() {
    return source.isInOrder();
  }

  @Override
  public void meter(LongConsumer bytes) {
    source.meter(bytes);
  }

  @Override
  public String losses() {
    return source.losses();
  }

  @Override
  public void close() {
    source.close();
  }
}
