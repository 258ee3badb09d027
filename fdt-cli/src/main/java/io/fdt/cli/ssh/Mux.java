package io.fdt.cli.ssh;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Many byte streams over one pair of pipes, those of an SSH connection.
 *
 * <pre>
 *   socket -> {@link MuxJoint} -> {@link MuxChannel} --.                .-- channel -> joint -> socket
 *   socket -> joint -> channel ------------------------+- Mux = SSH = Mux +-- channel -> joint -> socket
 * </pre>
 *
 * <p>There is no deadlock: the thread of {@link #run} only moves frames to queues with room for
 * them, so each end always reads its pipe. Any thread may use the rest.
 */
final class Mux {
  /** More than the 128 streams and the control connections of a transfer. Bounds memory. */
  private static final int MOST_CHANNELS = 256;

  private static final int BUFFER_BYTES = MuxFrame.HEADER_BYTES + MuxFrame.MAX_PAYLOAD_BYTES;

  private final DataInputStream in;
  private final MuxWriter out;
  private final Consumer<MuxChannel> opened;
  private final Map<Integer, MuxChannel> channels = new ConcurrentHashMap<>();
  private final AtomicInteger lastNumber = new AtomicInteger();

  private volatile long heardNanos = System.nanoTime();

  /**
   * A mux on two pipes.
   *
   * @param opened takes each channel that the other end opens; must not block
   */
  Mux(InputStream in, OutputStream out, Consumer<MuxChannel> opened) {
    this.in = new DataInputStream(new BufferedInputStream(new Pipe(in), BUFFER_BYTES));
    this.out = new MuxWriter(out);
    this.opened = opened;
  }

  /**
   * Hides that standard input is a file channel, which would query the file length on each read.
   */
  private static final class Pipe extends FilterInputStream {
    Pipe(InputStream in) {
      super(in);
    }

    @Override
    public int available() {
      return 0;
    }
  }

  /**
   * Delivers frames until the other end closes its pipe; then all channels end.
   *
   * @throws IOException the pipe broke, or a frame is invalid
   */
  void run() throws IOException {
    try {
      for (MuxFrame frame = MuxFrame.read(in); frame != null; frame = MuxFrame.read(in)) {
        heardNanos = System.nanoTime();
        handle(frame);
      }
    } finally {
      out.end();
      IOException cause = new IOException("the SSH connection has ended");
      channels.values().forEach(channel -> channel.failed(cause));
      channels.clear();
    }
  }

  private void handle(MuxFrame frame) throws IOException {
    if (frame.kind() == MuxFrame.Kind.PING) {
      return;
    }
    if (frame.kind() == MuxFrame.Kind.OPEN) {
      accept(frame.channel());
      return;
    }
    MuxChannel channel = channels.get(frame.channel());
    if (channel == null) {
      return; // sent before the channel was reset
    }
    boolean valid = true;
    switch (frame.kind()) {
      case DATA -> valid = channel.deliver(frame.payload());
      case CREDIT -> valid = channel.addCredit(frame.number());
      case END -> channel.deliverEnd();
      default -> {
        channels.remove(frame.channel());
        channel.failed(new IOException("the other end closed the connection"));
      }
    }
    if (!valid) {
      throw new IOException(
          "unexpected %s on channel %s: %s exceeds the window"
              .formatted(frame.kind(), frame.channel(), frame.number()));
    }
  }

  private void accept(int number) throws IOException {
    if (channels.size() >= MOST_CHANNELS) {
      out.send(MuxFrame.Kind.RESET, number, 0);
      return;
    }
    MuxChannel channel = new MuxChannel(out, channels::remove, number);
    if (channels.putIfAbsent(number, channel) != null) {
      throw new IOException("unexpected OPEN: channel " + number + " is open");
    }
    opened.accept(channel);
  }

  /**
   * Opens a channel. Only one end of a mux does so.
   *
   * @throws IOException the mux has ended, or has the maximum number of channels
   */
  MuxChannel open() throws IOException {
    if (channels.size() >= MOST_CHANNELS) {
      throw new IOException("too many connections through SSH");
    }
    int number = lastNumber.incrementAndGet();
    MuxChannel channel = new MuxChannel(out, channels::remove, number);
    channels.put(number, channel);
    out.send(MuxFrame.Kind.OPEN, number, 0);
    return channel;
  }

  /** Sends a PING. */
  void ping() throws IOException {
    out.send(MuxFrame.Kind.PING, 0, 0);
  }

  /** The time of the last frame, by {@link System#nanoTime}. */
  long heardNanos() {
    return heardNanos;
  }
}
