package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import java.util.Optional;

/**
 * The server's answer to a {@link Join}, right after its own {@link Preface}: one u32, 0 or the
 * wire code of an {@link ErrorCode}. Immutable.
 *
 * @param refusal why the connection may not join; empty when it has joined
 */
public record JoinAnswer(Optional<ErrorCode> refusal) {
  /** Bytes of an answer. */
  public static final int LENGTH = 4;

  /** The stream belongs to its session. */
  public static final JoinAnswer ACCEPTED = new JoinAnswer(Optional.empty());

  /** Refuses a stream. */
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
   * Reads 4 bytes. An unknown code is read as {@link ErrorCode#INTERNAL}.
   *
   * @throws IndexOutOfBoundsException when there are fewer
   */
  public static JoinAnswer read(ByteBuf in) {
    WireBytes.requireReadable(in, LENGTH, "the answer to a join");
    int code = in.readInt();
    return code == 0 ? ACCEPTED : refused(ErrorCode.ofWireCode(code));
  }
}
