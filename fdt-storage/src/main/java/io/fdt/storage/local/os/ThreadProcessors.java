package io.fdt.storage.local.os;

import io.fdt.core.placement.Placement;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** The processors of threads, by sched_setaffinity. Stateless. */
public final class ThreadProcessors implements Placement.Processors {
  /** Room for 8,192 processors. */
  private static final int MASK_BYTES = 1024;

  /** The calling thread, in both calls. */
  private static final int ITSELF = 0;

  @Override
  public BitSet allowed() {
    if (LibC.UNSUPPORTED != null) {
      return new BitSet();
    }
    NativeBuffers scratch = NativeBuffers.ofThread();
    ByteBuffer mask = cleared(scratch);
    return LibC.sched_getaffinity(ITSELF, MASK_BYTES, scratch.dataAddress()) < 0
        ? new BitSet()
        : BitSet.valueOf(mask);
  }

  @Override
  public void bind(BitSet processors) {
    if (LibC.UNSUPPORTED != null || processors.isEmpty()) {
      return;
    }
    NativeBuffers scratch = NativeBuffers.ofThread();
    cleared(scratch).put(processors.toByteArray());
    // A refusal leaves the thread where it is: it runs slower, but right.
    int unused = LibC.sched_setaffinity(ITSELF, MASK_BYTES, scratch.dataAddress());
  }

  /** A mask of zeros; its words of 64 bits are little-endian, as the supported systems are. */
  private static ByteBuffer cleared(NativeBuffers scratch) {
    ByteBuffer mask = scratch.data().limit(MASK_BYTES);
    for (int at = 0; at < MASK_BYTES; at += Long.BYTES) {
      mask.putLong(at, 0);
    }
    return mask;
  }
}
