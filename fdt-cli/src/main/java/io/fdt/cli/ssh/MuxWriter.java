package io.fdt.cli.ssh;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.ReentrantLock;

/** Writes whole frames to the pipe of a {@link Mux}. Any thread. */
final class MuxWriter {
  private final OutputStream out;

  /** Fair, so that channels take turns. */
  private final ReentrantLock writing = new ReentrantLock(true);

  private volatile boolean ended;

  MuxWriter(OutputStream out) {
    this.out = out;
  }

  /** Refuses later frames. */
  void end() {
    ended = true;
  }

  /** Writes a frame without payload. */
  void send(MuxFrame.Kind kind, int channel, int number) throws IOException {
    send(MuxFrame.header(kind, channel, number), MuxFrame.HEADER_BYTES);
  }

  /** Writes the first bytes of a buffer. */
  void send(byte[] frame, int length) throws IOException {
    writing.lock();
    try {
      if (ended) {
        throw new IOException("the SSH connection has ended");
      }
      out.write(frame, 0, length);
      out.flush();
    } finally {
      writing.unlock();
    }
  }
}
