package io.fdt.storage.local.os;

import io.fdt.core.model.DirectIo;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the large files of one tree pass the page cache: by the rule of the transfer, the size of the
 * tree and the memory of the machine. Any thread.
 */
public final class CachePolicy {
  private static final Logger LOG = LoggerFactory.getLogger(CachePolicy.class);

  private final DirectIo rule;
  private final LongSupplier available;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicBoolean noticed = new AtomicBoolean();

  /** Half of the memory available when the first large file is opened; 0: not known yet. */
  private volatile long limit;

  public CachePolicy(DirectIo rule) {
    this(rule, HostMemory::available);
  }

  CachePolicy(DirectIo rule, LongSupplier available) {
    this.rule = rule;
    this.available = available;
  }

  /** Counts a file of the tree, found or begun. */
  public void found(long size) {
    bytes.addAndGet(Math.max(0, size));
  }

  boolean isDirect() {
    return rule == DirectIo.ON;
  }

  boolean isAuto() {
    return rule == DirectIo.AUTO;
  }

  /** Whether the tree would take more than half of the memory available. */
  boolean dropsBehind() {
    if (!isAuto()) {
      return false;
    }
    if (limit == 0) {
      limit = Math.max(1, available.getAsLong() / 2);
    }
    return bytes.get() > limit;
  }

  /** Notes once that the file system of a file refuses direct I/O. */
  void refused(String path) {
    if (noticed.compareAndSet(false, true)) {
      LOG.warn("'{}' is on a file system without direct I/O: its page cache is used", path);
    }
  }
}
