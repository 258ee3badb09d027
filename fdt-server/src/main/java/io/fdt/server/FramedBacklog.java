package io.fdt.server;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Backlog;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Recall;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backlog that puts blocks from the spool in place of RECALL frames. What comes behind such a
 * frame waits until its block has been read, and while the backlog has no room for it.
 *
 * <pre>
 *   add() --> waiting, behind a RECALL frame --> frames are followed --> backlog with a disk
 *                                                block from the spool --^
 * </pre>
 *
 * <p>A frame that is damaged, or that the spool has no block for, goes on as it came. Confined to
 * the event loop of its connection, but for {@link #bytes}.
 */
final class FramedBacklog implements Backlog {
  /** What it says of its connection, and asks. On the event loop. */
  interface Connection {
    /** So many bytes are to come from the spool: limits count them now. */
    void reserved(int bytes);

    /** So many bytes of a block come from the spool. */
    void recalled(int bytes);

    /** How long nothing more should be passed on, so that limits hold. */
    long nanosToWait();

    /** Whether its token is good for nothing any more. */
    boolean isRevoked();
  }

  private static final Logger LOG = LoggerFactory.getLogger(FramedBacklog.class);

  /** Small frames share the memory of one buffer. */
  private static final int LEAST_COPY = 4 << 10;

  /** A limit may change while it is waited for. */
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private final PassingSpool spool;
  private final SpoolUse use;
  private final FrameScan scan;
  private final Connection connection;
  private final Listener listener;
  private final SpooledBacklog backlog;
  private final Deque<ByteBuf> waiting = new ArrayDeque<>();

  /** Null while no block is wanted. */
  private Recall wanted;

  /** The frame that names it, as it came. */
  private ByteBuf wantedFrame;

  /** A task looks for a block, maybe for one that is not waited for any more. */
  private boolean isReading;

  /** Counts what was wanted and has been answered. */
  private long round;

  /** That of the block for which the task looks. */
  private long readRound;

  /** A limit is reached. */
  private boolean isPaused;

  private boolean isClosed;

  /** Of what is before the backlog. */
  private volatile long waitingBytes;

  /**
   * @param scan has seen nothing yet
   */
  FramedBacklog(
      PassingSpool spool, SpoolUse use, FrameScan scan, Connection connection, Listener listener) {
    this.spool = spool;
    this.use = use;
    this.scan = scan;
    this.connection = connection;
    this.listener = listener;
    this.backlog = spool.backlog(use, new Disk());
  }

  /** Hears of the backlog behind it. */
  private final class Disk implements Listener {
    @Override
    public void changed() {
      goOn();
      listener.changed();
    }

    @Override
    public void failed(FdtException cause) {
      listener.failed(cause);
    }
  }

  /** What is in it, in memory and on the disk. Any thread. */
  long bytes() {
    return waitingBytes + backlog.bytes();
  }

  /** A RECALL frame of which only a part has come does not count: nobody can use it. */
  @Override
  public boolean isEmpty() {
    return bytes() == 0;
  }

  @Override
  public boolean hasRoom() {
    return isFollowing() && backlog.hasRoom();
  }

  @Override
  public void add(ByteBuf bytes) {
    if (isClosed) {
      bytes.release();
      return;
    }
    if (isFollowing() && follow(bytes)) {
      if (wanted != null) {
        goOn();
      }
      return;
    }
    await(bytes);
    goOn();
  }

  /** Nothing has to go before what comes. */
  private boolean isFollowing() {
    return wanted == null && waiting.isEmpty();
  }

  private void await(ByteBuf bytes) {
    waiting.add(bytes);
    waits(bytes.readableBytes(), bytes.capacity());
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // the loop alone writes it
  private void waits(int bytes, int capacity) {
    waitingBytes += bytes;
    spool.holdMemory(use.owner(), capacity);
  }

  /**
   * Takes over bytes and passes them on, up to a block that is wanted first.
   *
   * @return false: some are left, and stay the caller's
   */
  private boolean follow(ByteBuf bytes) {
    while (bytes.isReadable()) {
      int count = scan.scan(bytes);
      if (count == bytes.readableBytes()) {
        backlog.add(bytes, scan.firstFrame());
        return true;
      }
      pass(bytes.readSlice(count), scan.firstFrame());
      collect(bytes);
      if (wanted != null && bytes.isReadable()) {
        return false;
      }
    }
    bytes.release();
    return true;
  }

  private void collect(ByteBuf bytes) {
    FrameScan.Collected got = scan.collect(bytes);
    if (got == FrameScan.Collected.MORE) {
      return;
    }
    Optional<Recall> recall =
        got == FrameScan.Collected.FRAME
            ? scan.recall().filter(one -> Recall.names(one.frame()))
            : Optional.empty();
    ByteBuf frame = scan.takeCollected();
    if (recall.isPresent()) {
      want(recall.get(), frame);
    } else {
      pass(frame, got == FrameScan.Collected.FRAME ? 0 : -1);
    }
  }

  /** Passes a copy on. */
  private void pass(ByteBuf some, long firstFrame) {
    int count = some.readableBytes();
    if (count > 0) {
      ByteBuf copy = use.allocator().directBuffer(Math.max(count, LEAST_COPY));
      backlog.add(copy.writeBytes(some), firstFrame);
    }
  }

  private void want(Recall recall, ByteBuf frame) {
    wanted = recall;
    wantedFrame = frame;
    waits(frame.readableBytes(), 0);
  }

  /** Reads what is wanted, and passes on what waits, as far as there is room. */
  private void goOn() {
    while (!isClosed && !isWaiting() && !isPaused && !isFollowing() && backlog.hasRoom()) {
      if (wanted == null) {
        followFirst();
      } else if (isReading) {
        answer(null); // the disk does not even answer the last time
      } else if (spool.isMemoryFull(use.owner()) && !backlog.isEmpty()) {
        return; // what is before it leaves first
      } else {
        readUnlessLimited();
      }
    }
  }

  private void followFirst() {
    ByteBuf next = waiting.remove();
    int count = next.readableBytes();
    int capacity = next.capacity();
    if (follow(next)) {
      waits(-count, -capacity);
    } else {
      waiting.addFirst(next);
      waits(next.readableBytes() - count, 0);
    }
  }

  private void readUnlessLimited() {
    long nanos = connection.nanosToWait();
    if (nanos > 0) {
      isPaused = true;
      use.loop().schedule(this::unpause, Math.min(nanos, LONGEST_PAUSE), TimeUnit.NANOSECONDS);
    } else {
      connection.reserved(wanted.frame().wireLength());
      read(wanted);
    }
  }

  private void unpause() {
    isPaused = false;
    if (!isClosed) {
      goOn();
      listener.changed();
    }
  }

  private void read(Recall recall) {
    isReading = true;
    readRound = round;
    int memory = FrameHeader.LENGTH + recall.frame().wireLength();
    spool.holdMemory(use.owner(), memory);
    long own = round;
    use.loop().schedule(() -> giveUp(own), spool.patience().toNanos(), TimeUnit.NANOSECONDS);
    try {
      spool.execute(use.owner(), () -> handOver(find(recall), memory));
    } catch (RejectedExecutionException e) { // the server is stopping
      wasRead(null, memory);
    }
  }

  /** Whether a block is being read that is waited for. */
  private boolean isWaiting() {
    return isReading && readRound == round;
  }

  /** The source can send it sooner than a disk that hangs. */
  private void giveUp(long ofRound) {
    if (!isClosed && round == ofRound) {
      LOG.warn("a block is not waited for any more, which the spool does not give");
      answer(null);
      goOn();
      listener.changed();
    }
  }

  /** On a thread of the spool. */
  private ByteBuf find(Recall recall) {
    try {
      return spool.held().read(use.ends(), recall, use.allocator(), spool.isLater());
    } catch (RuntimeException | Error e) {
      LOG.warn("a block cannot be read from the spool", e);
      return null;
    }
  }

  private void handOver(ByteBuf frame, int memory) {
    try {
      use.loop().execute(() -> wasRead(frame, memory));
    } catch (RejectedExecutionException e) { // the server has ended
      if (frame != null) {
        frame.release();
      }
    }
  }

  private void wasRead(ByteBuf frame, int memory) {
    boolean isWanted = !isClosed && isWaiting();
    isReading = false;
    spool.holdMemory(use.owner(), -memory);
    if (isWanted) {
      answer(frame);
      goOn();
      listener.changed();
    } else if (frame != null) {
      frame.release();
    }
  }

  /**
   * Passes on a block, or the frame that names it.
   *
   * @param frame of the block; null for none
   */
  private void answer(ByteBuf frame) {
    waits(-wantedFrame.readableBytes(), 0);
    round++;
    if (frame == null) {
      pass(wantedFrame, 0);
    } else {
      connection.recalled(wanted.frame().wireLength());
      backlog.add(frame, 0);
    }
    wanted = null;
    wantedFrame = null;
  }

  @Override
  public ByteBuf poll() {
    ByteBuf next = backlog.poll();
    if (next != null) {
      goOn();
    }
    return next;
  }

  @Override
  public void refused() {
    backlog.refused();
  }

  /** Drops what is in it. What of it the disk has stays for others if it can be found. */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    boolean leaves = !scan.isOpaque() && !isEmpty() && !connection.isRevoked();
    isClosed = true;
    for (ByteBuf one : waiting) {
      waits(-one.readableBytes(), -one.capacity());
      one.release();
    }
    waiting.clear();
    waitingBytes = 0;
    backlog.close(leaves);
  }
}
