package io.fdt.core.simulation;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.PathState;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A bad network between two ends in virtual time: delays everything, flips bits of frames, cuts
 * streams, and loses control connections when it is told to.
 */
final class VirtualNetwork {
  private static final int LONGEST_DELAY = 60;

  /** Frames that a stream takes before the first has arrived. */
  private static final int ROOM = 3;

  /** One end: what is attached to each new stream there. */
  record End(VirtualHost host, Function<DataStream, DataStream.Handler> attach) {}

  private final VirtualTime time;
  private final Random random;
  private double damageRate;
  private final int blockSize;
  private final End sender;
  private final End receiver;
  private final List<Line> alive = new ArrayList<>();
  private int nextStream;
  private int cutsLeft;
  private boolean down;
  private long intactFrames;
  private long damagedFrames;

  VirtualNetwork(VirtualTime time, Random random, int blockSize, End sender, End receiver) {
    this.blockSize = blockSize;
    this.time = time;
    this.random = random;
    this.sender = sender;
    this.receiver = receiver;
    this.damageRate = random.nextInt(3) * 0.1;
    this.cutsLeft = random.nextInt(12);
  }

  /** It delays, and does nothing else wrong. Before {@link #start}. */
  void mend() {
    damageRate = 0;
    cutsLeft = 0;
  }

  long intactFrames() {
    return intactFrames;
  }

  long damagedFrames() {
    return damagedFrames;
  }

  void start() {
    for (int streams = 1 + random.nextInt(4); streams > 0; streams--) {
      time.within(LONGEST_DELAY, this::open);
    }
    time.within(4 * LONGEST_DELAY, this::cutOne);
  }

  /** From now on nothing arrives, until {@link #up}; nobody is told. */
  void down() {
    down = true;
  }

  void up() {
    down = false;
  }

  void open() {
    if (!sender.host().isDead() && !receiver.host().isDead()) {
      alive.add(new Line(nextStream++));
    }
  }

  private void cutOne() {
    if (cutsLeft == 0) {
      return;
    }
    cutsLeft--;
    if (!alive.isEmpty()) {
      alive.get(random.nextInt(alive.size())).cut();
      time.within(5 * LONGEST_DELAY, this::open);
    }
    time.within(4 * LONGEST_DELAY, this::cutOne);
  }

  /** One stream: the sender's end and the receiver's end of it. */
  private final class Line {
    private final int number;
    private final VirtualTime.Queue queue = time.new Queue(LONGEST_DELAY);
    private final Side atSender = new Side(true);
    private final Side atReceiver = new Side(false);
    private int onTheWay;
    private boolean cut;

    Line(int number) {
      this.number = number;
      atSender.handler = sender.attach().apply(atSender);
      atReceiver.handler = receiver.attach().apply(atReceiver);
    }

    /** Nothing arrives any more; each end learns of it later. */
    void cut() {
      if (cut) {
        return;
      }
      cut = true;
      alive.remove(this);
      FdtException cause = new FdtException(ErrorCode.UNREACHABLE, "cut");
      time.within(3 * LONGEST_DELAY, () -> close(sender, atSender, cause));
      time.within(3 * LONGEST_DELAY, () -> close(receiver, atReceiver, cause));
    }

    private void close(End end, Side side, FdtException cause) {
      if (!end.host().isDead()) {
        side.handler.closed(cause);
      }
    }

    private void arrive(byte[] bytes) {
      if (cut || down || receiver.host().isDead()) {
        return;
      }
      onTheWay--;
      ByteBuf frame = Unpooled.wrappedBuffer(bytes);
      try {
        FrameHeader header = FrameHeader.read(frame, blockSize * 4);
        if (header.type() != FrameHeader.Type.IDLE) {
          ByteBuf payload = frame.readBytes(header.length());
          boolean intact = Crc32c.of(payload, 0, header.length()) == header.payloadCrc();
          intactFrames += intact ? 1 : 0;
          damagedFrames += intact ? 0 : 1;
          atReceiver.handler.frame(new ReceivedFrame(header, payload, intact));
        }
      } catch (FdtException e) {
        throw new AssertionError("an end that keeps the rules was refused: " + e.getMessage(), e);
      }
      if (!sender.host().isDead()) {
        atSender.handler.writable();
      }
    }

    /** One end of it. */
    private final class Side implements DataStream {
      private final boolean sends;
      private Handler handler;
      private long bytes;

      Side(boolean sends) {
        this.sends = sends;
      }

      @Override
      public int number() {
        return number;
      }

      @Override
      public boolean isWritable() {
        return sends && !cut && onTheWay < ROOM;
      }

      @Override
      public void sendAndRelease(ByteBuf frame, Runnable released) {
        byte[] copy = new byte[frame.readableBytes()];
        frame.readBytes(copy);
        frame.release();
        released.run();
        bytes += copy.length;
        if (copy.length > FrameHeader.LENGTH && random.nextDouble() < damageRate) {
          int at = FrameHeader.LENGTH + random.nextInt(copy.length - FrameHeader.LENGTH);
          copy[at] ^= (byte) (1 << random.nextInt(8));
        }
        onTheWay++;
        queue.add(() -> arrive(copy));
      }

      @Override
      public void setReading(boolean reading) {}

      @Override
      public long wireBytes() {
        return bytes;
      }

      @Override
      public long payloadBytes() {
        return 0;
      }

      @Override
      public long segmentsRepeated() {
        return 0;
      }

      @Override
      public Optional<PathState> pathState() {
        return Optional.empty();
      }

      @Override
      public boolean setCongestion(String name) {
        return true;
      }

      @Override
      public void limitUnsent(long most) {}

      @Override
      public String congestion() {
        return "";
      }

      @Override
      public void close() {
        cut();
      }
    }
  }

  /**
   * A control connection: two ways on which messages keep their order.
   *
   * @param toSender takes what arrives at the sender
   * @param toReceiver takes what arrives at the receiver
   */
  ControlPair control(Consumer<Control> toSender, Consumer<Control> toReceiver) {
    return new ControlPair(new Way(receiver.host(), toReceiver), new Way(sender.host(), toSender));
  }

  /** Both ends of a control connection. */
  record ControlPair(ControlConnection atSender, ControlConnection atReceiver) {}

  /** What one end sends. */
  private final class Way implements ControlConnection {
    private final VirtualHost target;
    private final Consumer<Control> arrived;
    private final VirtualTime.Queue queue = time.new Queue(LONGEST_DELAY);
    private boolean closed;

    Way(VirtualHost target, Consumer<Control> arrived) {
      this.target = target;
      this.arrived = arrived;
    }

    @Override
    public void send(Control message) {
      if (!closed) {
        queue.add(
            () -> {
              if (!down && !target.isDead()) {
                arrived.accept(message);
              }
            });
      }
    }

    @Override
    public String peer() {
      return "peer";
    }

    @Override
    public Optional<Fingerprint> peerKey() {
      return Optional.empty();
    }

    @Override
    public InetAddress localAddress() {
      return InetAddress.getLoopbackAddress();
    }

    @Override
    public InetAddress peerAddress() {
      return InetAddress.getLoopbackAddress();
    }

    @Override
    public Duration roundTrip() {
      return Duration.ZERO;
    }

    @Override
    public long pendingBytes() {
      return 0;
    }

    @Override
    public void awaitPending(long most, Duration patience) {}

    @Override
    public void peerIsKnown() {}

    @Override
    public void setReading(boolean reading) {}

    @Override
    public void close() {
      closed = true;
    }
  }
}
