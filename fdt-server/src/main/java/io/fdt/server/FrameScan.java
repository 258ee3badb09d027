package io.fdt.server;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.Recall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;

/**
 * Follows the frames in one direction of a data connection, and finds RECALL frames. It looks at
 * each header, and skips payloads. Anything that it does not expect makes the connection opaque for
 * good: then all bytes pass.
 *
 * <pre>
 *   to the target:  (preface of kind relay, join)*  preface of kind data, join  frame*
 *   to the client:  (answering preface, answer)+  frame*
 * </pre>
 *
 * <p>Holds bytes of a RECALL frame only. Not thread-safe: confined to the event loop of its
 * connection.
 */
final class FrameScan {
  /** A RECALL frame that may be whole, or bytes that are none. */
  enum Collected {
    /** More bytes are needed. */
    MORE,
    /** {@link #takeCollected} has a frame of this type. */
    FRAME,
    /** {@link #takeCollected} has other bytes, and the connection is opaque. */
    OTHER
  }

  private static final byte PREFACE = (byte) 0x89;

  private final RelayTarget.Direction direction;

  /** A header, or a preface with what follows it, as far as it has come. */
  private final ByteBuf head = Unpooled.buffer(Preface.LENGTH + Join.LENGTH);

  private final ByteBuf collected = Unpooled.buffer(Recall.FRAME_LENGTH);

  /** Bytes of the payload that are still to come. */
  private long payloadLeft;

  /** Prefaces are over, so that frames may come. */
  private boolean mayHaveFrames;

  private boolean mayHavePrefaces = true;
  private boolean isCollecting;
  private boolean isOpaque;

  /** Of the last scan. */
  private long firstFrame;

  FrameScan(RelayTarget.Direction direction) {
    this.direction = direction;
  }

  /** One that lets everything pass. */
  static FrameScan opaque() {
    FrameScan scan = new FrameScan(RelayTarget.Direction.TO_TARGET);
    scan.isOpaque = true;
    return scan;
  }

  /** Whether nothing is known of its frames, from now on. */
  boolean isOpaque() {
    return isOpaque;
  }

  /**
   * Looks at bytes up to the next RECALL frame, from which on they are to be collected.
   *
   * @param in its indices stay
   * @return how many bytes pass; less than all when a RECALL frame, or its beginning, follows
   */
  int scan(ByteBuf in) {
    int start = in.readerIndex();
    int end = in.writerIndex();
    int at = start;
    firstFrame = -1;
    while (at < end && !isOpaque && !isCollecting) {
      if (payloadLeft > 0) {
        int count = Math.toIntExact(Math.min(payloadLeft, end - at));
        payloadLeft -= count;
        at += count;
      } else if (isRecall(in, at)) {
        isCollecting = true;
      } else {
        noteFrame(in, start, at);
        int count = Math.min(headWanted(in.getByte(at)) - head.readableBytes(), end - at);
        head.writeBytes(in, at, count);
        at += count;
        understand();
      }
    }
    if (isOpaque) {
      firstFrame = -1;
      return end - start;
    }
    if (firstFrame < 0 && mayHaveFrames && !head.isReadable()) {
      firstFrame = at - start + payloadLeft;
    }
    return at - start;
  }

  /**
   * How many bytes from the start of what was scanned last the next frame begins, maybe behind
   * those bytes; negative where that is not known.
   */
  long firstFrame() {
    return firstFrame;
  }

  private boolean isRecall(ByteBuf in, int at) {
    return mayHaveFrames
        && !head.isReadable()
        && in.getByte(at) == FrameHeader.Type.RECALL.wireCode();
  }

  private void noteFrame(ByteBuf in, int start, int at) {
    if (firstFrame < 0 && mayHaveFrames && !head.isReadable() && in.getByte(at) != PREFACE) {
      firstFrame = (long) at - start;
    }
  }

  /** Bytes of the head as a whole, as far as it is known. */
  private int headWanted(byte next) {
    byte first = head.isReadable() ? head.getByte(0) : next;
    if (first != PREFACE) {
      return FrameHeader.LENGTH;
    }
    return head.readableBytes() < Preface.LENGTH
        ? Preface.LENGTH
        : Preface.LENGTH + followsPreface();
  }

  private int followsPreface() {
    return direction == RelayTarget.Direction.TO_TARGET ? Join.LENGTH : JoinAnswer.LENGTH;
  }

  private void understand() {
    try {
      if (head.getByte(0) == PREFACE) {
        understandPreface();
      } else if (head.readableBytes() == FrameHeader.LENGTH) {
        isOpaque = !mayHaveFrames;
        payloadLeft = FrameHeader.read(head.duplicate(), Integer.MAX_VALUE).wireLength();
        mayHavePrefaces = false;
        head.clear();
      } else if (!mayHaveFrames) {
        isOpaque = true;
      }
    } catch (FdtException e) {
      isOpaque = true;
    }
  }

  private void understandPreface() throws FdtException {
    isOpaque = !mayHavePrefaces;
    if (isOpaque || head.readableBytes() < Preface.LENGTH) {
      return;
    }
    Preface preface = Preface.read(head.duplicate());
    boolean isToTarget = direction == RelayTarget.Direction.TO_TARGET;
    boolean isLast = preface.kind() == Preface.Kind.DATA;
    boolean isExpected =
        isToTarget
            ? isLast || preface.kind() == Preface.Kind.RELAY
            : preface.kind() == Preface.Kind.ANSWER;
    isOpaque = !isExpected || preface.flags() != 0 || preface.refusal() != 0;
    if (isOpaque || head.readableBytes() < Preface.LENGTH + followsPreface()) {
      return;
    }
    isOpaque = !isToTarget && head.getInt(Preface.LENGTH) != 0;
    mayHavePrefaces = !isLast;
    mayHaveFrames = isLast || !isToTarget;
    head.clear();
  }

  /** Whether the next bytes are to be collected. */
  boolean isCollecting() {
    return isCollecting;
  }

  /** Takes bytes, those of a RECALL frame at most. Only while it is collecting. */
  Collected collect(ByteBuf in) {
    int header = FrameHeader.LENGTH - collected.readableBytes();
    if (header > 0) {
      collected.writeBytes(in, Math.min(header, in.readableBytes()));
      if (collected.readableBytes() < FrameHeader.LENGTH) {
        return Collected.MORE;
      }
      if (header().isEmpty()) {
        isOpaque = true;
        isCollecting = false;
        return Collected.OTHER;
      }
    }
    collected.writeBytes(in, Math.min(collected.writableBytes(), in.readableBytes()));
    if (collected.readableBytes() < Recall.FRAME_LENGTH) {
      return Collected.MORE;
    }
    isCollecting = false;
    mayHavePrefaces = false;
    return Collected.FRAME;
  }

  private Optional<FrameHeader> header() {
    try {
      return Optional.of(FrameHeader.read(collected.duplicate(), Integer.MAX_VALUE));
    } catch (FdtException e) {
      return Optional.empty();
    }
  }

  /** What the collected frame names; empty when it is damaged. */
  Optional<Recall> recall() {
    try {
      ByteBuf in = collected.duplicate();
      return Optional.of(Recall.read(FrameHeader.read(in, Integer.MAX_VALUE), in));
    } catch (FdtException e) {
      return Optional.empty();
    }
  }

  /** The collected bytes as they came. */
  ByteBuf takeCollected() {
    ByteBuf bytes = Unpooled.copiedBuffer(collected);
    collected.clear();
    return bytes;
  }
}
