package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.storage.SharedFile.Shared;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A frame received by a data node, which holds its payload. Exactly one of {@link #write}, {@link
 * #fetch} and {@link #release} is called. Confined to the loop of the session.
 */
public abstract class HeldFrame extends ReceivedFrame {
  /** The outcome of a write; on the loop of the session, once. */
  public interface Result {
    /**
     * The write has succeeded or failed.
     *
     * @param hashes of its chunks; empty when the digest does not use chunks
     * @param failure null after success
     */
    void written(byte[] hashes, FdtException failure);

    /** The data node is lost, with its streams. */
    void lost();
  }

  /** The outcome of a fetch; on the loop of the session, once. */
  public interface Fetched {
    /** Receives the payload, and takes it over. */
    void payload(ByteBuf payload);

    /** The data node is lost, with its streams. */
    void lost();
  }

  protected HeldFrame(FrameHeader header, boolean intact) {
    super(header, Unpooled.EMPTY_BUFFER, intact);
  }

  /**
   * Makes the node write the payload.
   *
   * @param file id of the file
   * @param size of the file
   * @param partial the partial file, in the exports
   */
  public abstract void write(long file, long size, Shared partial, Result result);

  /** Requests the payload from the node. */
  public abstract void fetch(Fetched result);

  /** Makes the node drop the payload. */
  @Override
  public abstract void release();
}
