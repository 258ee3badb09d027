package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.storage.SharedFile.Shared;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A frame that has come to a data node, which holds its payload. Exactly one of {@link #write},
 * {@link #fetch} and {@link #release} is called. Confined to the loop of the session.
 */
public abstract class HeldFrame extends ReceivedFrame {
  /** The outcome of a write; on the loop of the session, once. */
  public interface Result {
    /**
     * It is written, or cannot be.
     *
     * @param hashes of its chunks; empty when the digest is not made of them
     * @param failure null when it is written
     */
    void written(byte[] hashes, FdtException failure);

    /** The data node is gone, and its streams with it. */
    void lost();
  }

  /** The outcome of a fetch; on the loop of the session, once. */
  public interface Fetched {
    /** The payload, which is taken over. */
    void payload(ByteBuf payload);

    /** The data node is gone, and its streams with it. */
    void lost();
  }

  protected HeldFrame(FrameHeader header, boolean intact) {
    super(header, Unpooled.EMPTY_BUFFER, intact);
  }

  /**
   * Has the node write it.
   *
   * @param file id of the file
   * @param size of the file
   * @param partial the partial file, in the exports
   */
  public abstract void write(long file, long size, Shared partial, Result result);

  /** Has the node send its payload here. */
  public abstract void fetch(Fetched result);

  /** Has the node drop it. */
  @Override
  public abstract void release();
}
