package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.function.Consumer;

/** One ordered lane of frames inside a session. Methods may be called on any thread. */
public interface DataStream {
  /** The number that the client gave it; never used twice in a session. */
  int number();

  /**
   * The addresses of both ends, without ports: streams between others may use other network cards.
   * Empty where it does not say.
   */
  default String path() {
    return "";
  }

  /** Whether another frame may be sent without piling up in memory. */
  boolean isWritable();

  /**
   * Sends a frame, which it takes over and releases, also when the stream is closed.
   *
   * @param released runs once its memory is free again, on the stream's event loop
   */
  void sendAndRelease(ByteBuf frame, Runnable released);

  /** Whether to go on reading. Frames that were read already still arrive. */
  void setReading(boolean reading);

  /** Bytes that were received and sent on this stream, headers included. */
  long wireBytes();

  /** Bytes of payloads that were received on this stream, whole or in part. */
  long payloadBytes();

  /**
   * Packets that were sent again, as far as the system says; up to a second old. To be asked by one
   * thread at a time.
   */
  long segmentsRepeated();

  /** What the system knows of its path; empty where it does not say, and once it is closed. */
  Optional<PathState> pathState();

  /**
   * Uses this congestion control for what this end sends.
   *
   * @param name as the system calls it; empty for the one that it takes by itself
   * @return false when the system does not know it, or does not let us
   */
  boolean setCongestion(String name);

  /**
   * Lets the system keep no more than this of what it was given and has not sent once, where it can
   * be told that: the rest waits here, where it costs this end memory, and {@link #isWritable}
   * tells.
   *
   * @param bytes 1 or more
   */
  void limitUnsent(long bytes);

  /** The congestion control that is used; empty where the system does not say. */
  String congestion();

  /** Closes it at once; what was not sent is dropped. Idempotent. */
  void close();

  /** What happens on a stream; called on the stream's event loop. */
  interface Handler {
    /**
     * A frame has come, intact or not, which the handler takes over.
     *
     * @throws FdtException to close the stream for this reason
     */
    void frame(ReceivedFrame frame) throws FdtException;

    /** It has become writable. */
    void writable();

    /** It is gone. Called once; nothing follows. */
    void closed(FdtException cause);

    /** The same handler, and {@code then} hears when the stream is gone, after it. */
    default Handler whenClosed(Consumer<FdtException> then) {
      Handler inner = this;
      return new Handler() {
        @Override
        public void frame(ReceivedFrame frame) throws FdtException {
          inner.frame(frame);
        }

        @Override
        public void writable() {
          inner.writable();
        }

        @Override
        public void closed(FdtException cause) {
          inner.closed(cause);
          then.accept(cause);
        }
      };
    }
  }
}
