package io.fdt.core.session;

import io.fdt.core.wire.FrameHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * A network in virtual time: control messages that keep their order, and streams of frames that
 * keep theirs, until one is cut with everything on it that has not arrived. Frames arrive damaged
 * now and then.
 */
final class SimulatedLink {
  /** Part of one file in a frame. */
  record Piece(long fileId, long offset, byte[] bytes) {}

  /** A frame on its way. */
  record Frame(FrameHeader header, List<Piece> pieces) {
    /** As the reader of frames finds out: by the checksum. */
    boolean isIntact() {
      return crcOf(pieces) == header.payloadCrc();
    }
  }

  /** What the two ends do. */
  interface Ends {
    void frameArrived(int stream, Frame frame);

    void streamWritable();

    void streamLost(Stream stream);

    void streamOpened(Stream stream);
  }

  /** Frames that a stream takes before it is no longer writable. */
  private static final int ROOM = 3;

  private static final int LONGEST_DELAY = 40;

  /** One lane of frames. */
  final class Stream {
    private final int number;
    private final VirtualTime.Queue queue = time.new Queue(LONGEST_DELAY);
    private long nextFrame;
    private int onTheWay;
    private boolean cut;

    private Stream(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }

    boolean isWritable() {
      return onTheWay < ROOM;
    }

    long takeFrameNumber() {
      return nextFrame++;
    }

    void send(Frame frame) {
      if (cut) {
        return;
      }
      onTheWay++;
      Frame arriving = random.nextDouble() < damageRate ? damaged(frame) : frame;
      queue.add(
          () -> {
            if (!cut) {
              onTheWay--;
              ends.frameArrived(number, arriving);
              ends.streamWritable();
            }
          });
    }
  }

  private final VirtualTime time;
  private final Random random;
  private final Ends ends;
  private final double damageRate;
  private final List<Stream> alive = new ArrayList<>();
  private int nextStream;
  private int cutsLeft;

  SimulatedLink(VirtualTime time, Random random, Ends ends) {
    this.time = time;
    this.random = random;
    this.ends = ends;
    this.damageRate = random.nextInt(3) * 0.1;
    this.cutsLeft = random.nextInt(12);
  }

  void start() {
    for (int streams = 1 + random.nextInt(4); streams > 0; streams--) {
      time.within(LONGEST_DELAY, this::open);
    }
    time.within(4 * LONGEST_DELAY, this::cutOne);
  }

  private void open() {
    Stream stream = new Stream(nextStream++);
    alive.add(stream);
    ends.streamOpened(stream);
  }

  /**
   * The receiver hears nothing more of a stream; the sender learns of it later, and dials a new
   * one.
   */
  private void cutOne() {
    if (cutsLeft == 0) {
      return;
    }
    cutsLeft--;
    if (!alive.isEmpty()) {
      Stream stream = alive.remove(random.nextInt(alive.size()));
      stream.cut = true;
      time.within(
          3 * LONGEST_DELAY,
          () -> {
            ends.streamLost(stream);
            time.within(2 * LONGEST_DELAY, this::open);
          });
    }
    time.within(4 * LONGEST_DELAY, this::cutOne);
  }

  private Frame damaged(Frame frame) {
    List<Piece> pieces = new ArrayList<>(frame.pieces());
    int victim = random.nextInt(pieces.size());
    byte[] bytes = pieces.get(victim).bytes().clone();
    if (bytes.length == 0) {
      return frame;
    }
    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    pieces.set(victim, new Piece(pieces.get(victim).fileId(), pieces.get(victim).offset(), bytes));
    return new Frame(frame.header(), pieces);
  }

  static int crcOf(List<Piece> pieces) {
    CRC32C crc = new CRC32C();
    pieces.forEach(piece -> crc.update(piece.bytes()));
    return (int) crc.getValue();
  }
}
