package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import java.util.Optional;

/**
 * What the server answers to a {@link Join}, right after its own {@link Preface}: one u32, 0 or the
 * wire code of an {@link ErrorCode}. Immutable.
 *
 * @param refusal why the connection may not join; empty when it has
 */
public record JoinAnswer(Optional<ErrorCode> refusal) {
  /** Bytes of an answer. */
  public static final int LENGTH = 4;

  /** The stream belongs to its session. */
  public static final JoinAnswer ACCEPTED = new JoinAnswer(Optional.empty());

  /** The stream does not become part of a session. */
  public static JoinAnswer refused(ErrorCode reason) {
    return new JoinAnswer(Optional.of(reason));
  }

  public boolean isAccepted() {
    return refusal.isEmpty();
  }

  /** Appends the 4 bytes. */
  public void write(ByteBuf out) {
    out.writeInt(refusal.map(ErrorCode::wireCode).orElse(0));
  }

  /**
   * Takes 4 bytes. A code that is unknown here is read as {@link ErrorCode#INTERNAL}.
   *
   * @throws IndexOutOfBoundsException when there are fewer
   */
  public static JoinAnswer read(ByteBuf in) {
    WireBytes.requireReadable(in, LENGTH, "the answer to a join");
    int code = in.readInt();
    return code == 0 ? ACCEPTED : refused(ErrorCode.ofWireCode(code));
  }
}
