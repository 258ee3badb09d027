package io.fdt.core.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * Decodes the messages of one control connection; see {@link ControlFrames} for the layout.
 *
 * <p>Memory grows with the bytes received, not with the announced length. Not thread-safe: confined
 * to the event loop of the connection.
 */
public final class ControlDecoder implements AutoCloseable {
  private static final int FIRST_CAPACITY = 1024;

  private int maxLength;
  private final ByteBuf partialPrefix = Unpooled.buffer(ControlFrames.PREFIX, ControlFrames.PREFIX);

  /** Length of the current message; 0 between messages. */
  private int length;

  private ByteBuf partialMessage;
  private boolean closed;

  /** A decoder with the longest limit. */
  public ControlDecoder() {
    this(ControlFrames.MAX_LENGTH);
  }

  /**
   * A decoder with a lower limit, for an unauthenticated peer.
   *
   * @param maxLength the longest message, 1 to {@link ControlFrames#MAX_LENGTH}
   */
  public ControlDecoder(int maxLength) {
    this.maxLength = checked(maxLength);
  }

  /** Changes the limit for later messages; also from within the sink. */
  public void setMaxLength(int maxLength) {
    this.maxLength = checked(maxLength);
  }

  private static int checked(int maxLength) {
    if (maxLength < 1 || maxLength > ControlFrames.MAX_LENGTH) {
      throw new IllegalArgumentException("limit of messages: " + maxLength);
    }
    return maxLength;
  }

  /**
   * Takes over one reference of {@code in} and passes every complete message to the sink. After a
   * failure or {@link #close}, the decoder releases all further input.
   *
   * @throws FdtException PROTOCOL when the peer violated the protocol; any exception of the sink
   */
  public void feed(ByteBuf in, ControlSink sink) throws FdtException {
    boolean alive = false;
    try {
      while (!closed && in.isReadable()) {
        advance(in, sink);
      }
      alive = true;
    } finally {
      in.release();
      if (!alive) {
        close();
      }
    }
  }

  /** Releases an incomplete message. Idempotent; also from within the sink. */
  @Override
  public void close() {
    closed = true;
    length = 0;
    partialPrefix.clear();
    releasePartialMessage();
  }

  private void advance(ByteBuf in, ControlSink sink) throws FdtException {
    if (length == 0) {
      readLength(in);
      return;
    }
    if (partialMessage == null && in.readableBytes() >= length) {
      deliver(in, sink);
      return;
    }
    if (partialMessage == null) {
      partialMessage = in.alloc().buffer(Math.min(length, FIRST_CAPACITY), length);
    }
    int missing = length - partialMessage.readableBytes();
    partialMessage.writeBytes(in, Math.min(missing, in.readableBytes()));
    if (partialMessage.readableBytes() == length) {
      deliver(partialMessage, sink);
    }
  }

  private void readLength(ByteBuf in) throws FdtException {
    int missing = partialPrefix.writableBytes();
    partialPrefix.writeBytes(in, Math.min(missing, in.readableBytes()));
    if (partialPrefix.isWritable()) {
      return;
    }
    long announced = partialPrefix.readUnsignedInt();
    partialPrefix.clear();
    if (announced < 1 || announced > maxLength) {
      throw violation("control message of " + announced + " bytes (1 to " + maxLength + ")", null);
    }
    length = Math.toIntExact(announced);
  }

  private void deliver(ByteBuf source, ControlSink sink) throws FdtException {
    Control message = parse(source, length);
    source.skipBytes(length);
    length = 0;
    releasePartialMessage();
    sink.message(message);
  }

  private void releasePartialMessage() {
    if (partialMessage != null) {
      ByteBuf released = partialMessage;
      partialMessage = null;
      released.release();
    }
  }

  /** Parses an array: from a ByteBuffer, the lite runtime accepts a truncated nested message. */
  private static Control parse(ByteBuf source, int length) throws FdtException {
    try {
      return Control.parseFrom(ByteBufUtil.getBytes(source, source.readerIndex(), length));
    } catch (InvalidProtocolBufferException e) {
      throw violation("control message of " + length + " bytes is malformed", e);
    }
  }

  private static FdtException violation(String message, Throwable cause) {
    return new FdtException(ErrorCode.PROTOCOL, message, cause);
  }
}
