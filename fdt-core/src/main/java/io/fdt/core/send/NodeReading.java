package io.fdt.core.send;

import io.fdt.core.engine.NodeStreams;
import io.fdt.core.engine.SendingNodes;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.model.Compression;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderAction;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.wire.FrameHeader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends blocks through data nodes as well: each goes to the machine with the lowest load. Without a
 * free machine, blocks wait, so that a slow machine has little left at the end.
 *
 * <p>With a rate limit, this machine accounts for all: a node gets a block in its turn, when the
 * limit allows it.
 *
 * <p>Confined to the loop of the session.
 */
final class NodeReading implements BlockSource, SendingNodes.Listener, FrameDispatch.Others {
  /** The most blocks in memory at this machine while there are nodes. */
  private static final int BLOCKS_HERE = 8;

  /**
   * The longest time of a block at the rate limit with which nodes are used (84 Mbit/s with blocks
   * of 1 MiB). A node sends a block in one burst, this machine in small pieces. At lower limits
   * this machine sends alone: the rate is smooth, and one machine is enough.
   */
  private static final double LONGEST_BLOCK_SECONDS = 0.1;

  private final SessionLoop loop;
  private final SendingNodes nodes;
  private final SenderEvents machine;
  private final TransferEvents events;
  private final Runnable allowJobs;
  private final TransferSpec spec;
  private final PacedWriter paced;
  private final BlockReading reading;
  private final FrameDispatch dispatch;
  private final ArrayDeque<SenderAction.Read<SourceFile>> waiting = new ArrayDeque<>();
  private boolean placing;

  NodeReading(
      SessionLoop loop,
      SendingNodes nodes,
      SenderEvents machine,
      TransferEvents events,
      Runnable allowJobs,
      TransferSpec spec,
      PacedWriter paced,
      BlockReading reading,
      FrameDispatch dispatch) {
    this.loop = loop;
    this.nodes = nodes;
    this.machine = machine;
    this.events = events;
    this.allowJobs = allowJobs;
    this.spec = spec;
    this.paced = paced;
    this.reading = reading;
    this.dispatch = dispatch;
    dispatch.whenTaken(this::place);
    dispatch.shareWith(this);
  }

  @Override
  public void start() {
    nodes.start(this);
  }

  @Override
  public void read(SenderAction.Read<SourceFile> action) {
    if (action.job() instanceof ReadJob.Block<SourceFile>) {
      waiting.add(action);
      place();
    } else {
      reading.read(action); // what has many files, or is not sent
    }
  }

  @Override
  public int capacity() {
    return sharesLimit() ? nodes.capacity() : 0;
  }

  /**
   * Whether nodes can share the limit: not with compression, because the compressed length is
   * unknown here.
   */
  private boolean sharesLimit() {
    boolean isCounted = spec.compression().equals(Compression.OFF);
    return !paced.isLimited()
        || (isCounted && paced.secondsFor(spec.blockSize()) <= LONGEST_BLOCK_SECONDS);
  }

  @Override
  public int turns() {
    boolean isOurs = paced.isLimited() && !waiting.isEmpty() && sharesLimit();
    return isOurs ? nodes.machines() : 0;
  }

  @Override
  public boolean takeTurn(long nowNanos) {
    if (turns() == 0) {
      return false;
    }
    for (SenderAction.Read<SourceFile> action : new ArrayList<>(waiting)) {
      ReadJob.Block<SourceFile> block = (ReadJob.Block<SourceFile>) action.job();
      if (block.isStillNeeded() && give(block, action.queue(), Integer.MAX_VALUE, nowNanos)) {
        waiting.remove(action);
        return true;
      }
    }
    return false;
  }

  private boolean give(ReadJob.Block<SourceFile> block, int queue, int load, long nowNanos) {
    boolean isGiven = nodes.read(block, queue, load);
    if (isGiven) {
      paced.sentElsewhere(FrameHeader.LENGTH + block.length(), nowNanos);
    }
    return isGiven;
  }

  /** Assigns waiting blocks. Blocks added meanwhile are assigned at the next tick at the latest. */
  private void place() {
    if (placing || waiting.isEmpty()) {
      return;
    }
    placing = true;
    try {
      List<SenderAction.Read<SourceFile>> all = new ArrayList<>(waiting);
      waiting.clear();
      for (SenderAction.Read<SourceFile> action : all) {
        if (!place(action)) {
          waiting.add(action); // blocks of another file may have a place
        }
      }
    } finally {
      placing = false;
    }
  }

  private boolean place(SenderAction.Read<SourceFile> action) {
    ReadJob.Block<SourceFile> block = (ReadJob.Block<SourceFile>) action.job();
    if (!block.isStillNeeded()) {
      returned(block, action.queue());
      return true;
    }
    int load = reading.pending() + dispatch.waiting();
    boolean anyNode = capacity() > 0;
    if (anyNode && !paced.isLimited() && give(block, action.queue(), load, loop.nanoTime())) {
      return true;
    }
    if (anyNode && load >= BLOCKS_HERE) {
      return false;
    }
    reading.read(action);
    return true;
  }

  @Override
  public void streamOpened(int stream) {
    machine.handle(to -> to.streamOpened(stream, true));
  }

  @Override
  public void streamLost(int stream) {
    machine.handle(to -> to.streamLost(stream));
  }

  @Override
  public void sent(
      ReadJob.Block<SourceFile> job, int queue, int crc, byte[] hashes, int stream, long number) {
    machine.handle(to -> to.jobRead(job, queue, crc, hashes, List.of()));
    machine.handle(to -> to.frameSent(stream, number, job));
    machine.handle(to -> to.streamMoved(stream));
  }

  @Override
  public void returned(ReadJob.Block<SourceFile> job, int queue) {
    machine.handle(to -> to.jobReturned(job, queue));
  }

  @Override
  public void changed() {
    allowJobs.run();
    place();
    loop.post(dispatch::run); // it may be the turn of a node that has become free
  }

  @Override
  public void notice(String message) {
    events.notice(message);
  }

  @Override
  public void closeFile(OutgoingFile<SourceFile> file) {
    reading.closeFile(file);
    nodes.closeFile(file.id());
  }

  @Override
  public void keepOpen(int stream) {
    if (nodes.keepOpen(stream)) {
      machine.handle(to -> to.keptOpen(stream));
    }
  }

  @Override
  public void closeStream(int stream) {
    nodes.closeStream(stream);
  }

  /** Drops nodes that do not answer, and assigns waiting blocks. */
  @Override
  public void tick(long nowNanos) {
    nodes.tick(nowNanos);
    place();
  }

  @Override
  public NodeStreams nodes() {
    return nodes;
  }
}
