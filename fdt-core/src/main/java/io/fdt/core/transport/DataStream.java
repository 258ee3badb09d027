package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.function.Consumer;

/** One ordered lane of frames inside a session. Methods may be called on any thread. */
public interface DataStream {
  /** The number that the client assigned; unique within a session. */
  int number();

  /**
   * The addresses of both ends, without ports, to distinguish network paths. Empty when unknown.
   */
  default String path() {
    return "";
  }

  /** Whether another frame may be sent without queueing in memory. */
  boolean isWritable();

  /**
   * Sends a frame, which it takes over and releases, also when the stream is closed.
   *
   * @param released runs once the frame's memory is free, on the stream's event loop
   */
  void sendAndRelease(ByteBuf frame, Runnable released);

  /** Pauses or resumes reading. Frames that were already read still arrive. */
  void setReading(boolean reading);

  /** Bytes received and sent on this stream, headers included. */
  long wireBytes();

  /** Bytes of payloads received on this stream, whole or in part. */
  long payloadBytes();

  /**
   * Packets retransmitted, as far as the system reports; up to a second old. For one thread at a
   * time.
   */
  long segmentsRepeated();

  /** The system's data about the path; empty when unknown or after the close. */
  Optional<PathState> pathState();

  /**
   * Sets the congestion control of this end.
   *
   * @param name the system's name; empty for its default
   * @return false when the system does not know or does not permit it
   */
  boolean setCongestion(String name);

  /**
   * Limits the unsent bytes in the system's buffer, where the system supports that: the rest waits
   * in the memory of this process, and {@link #isWritable} reflects it.
   *
   * @param bytes 1 or more
   */
  void limitUnsent(long bytes);

  /** The congestion control in use; empty when unknown. */
  String congestion();

  /** Closes the stream at once, discarding unsent frames. Idempotent. */
  void close();

  /** Receives events, on the stream's event loop. */
  interface Handler {
    /**
     * Takes over a frame, intact or not.
     *
     * @throws FdtException to close the stream for this reason
     */
    void frame(ReceivedFrame frame) throws FdtException;

    /** The stream is writable again. */
    void writable();

    /** The stream is closed. Called once, last. */
    void closed(FdtException cause);

    /** This handler, followed by {@code then} when the stream is closed. */
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
