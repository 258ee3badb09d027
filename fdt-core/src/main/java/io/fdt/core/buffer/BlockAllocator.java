package io.fdt.core.buffer;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;

/** Allocates the memory of blocks: direct, pooled, in chunks that hold several blocks. */
public final class BlockAllocator {
  /**
   * 8 KiB pages x 2^11 = chunks of 16 MiB, so that a block of 1 MiB and its header waste little of
   * one.
   */
  private static final int PAGE_BYTES = 8192;

  private static final int CHUNK_ORDER = 11;

  private BlockAllocator() {}

  /**
   * A new pool. Thread-safe.
   *
   * @param threads event loops that allocate from it at the same time
   */
  public static ByteBufAllocator create(int threads) {
    return new PooledByteBufAllocator(
        true,
        0,
        Math.max(1, threads),
        PAGE_BYTES,
        CHUNK_ORDER,
        PooledByteBufAllocator.defaultSmallCacheSize(),
        PooledByteBufAllocator.defaultNormalCacheSize(),
        false);
  }
}
