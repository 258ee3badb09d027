package io.fdt.core.send;

import io.fdt.core.engine.SendingNodes;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.session.ReadJob;
import io.fdt.core.session.SenderAction;
import io.fdt.core.session.SenderEvent;
import io.fdt.core.storage.SourceTree.SourceFile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What the front end of a stripe does with blocks that are to be sent: each goes to whoever has the
 * least to do, this machine or a data node. What fits nowhere waits, so that no slow machine has
 * much when the end comes.
 *
 * <p>Confined to the loop of the session.
 */
final class NodeReading implements SendingNodes.Listener {
  /** Blocks that this machine reads and has ready, while there are nodes. */
  private static final int BLOCKS_HERE = 8;

  private final SendingNodes nodes;
  private final SenderEvents machine;
  private final TransferEvents events;
  private final Runnable allowJobs;
  private final BooleanSupplier limited;
  private final BlockReading reading;
  private final FrameDispatch dispatch;
  private final ArrayDeque<SenderAction.Read<SourceFile>> waiting = new ArrayDeque<>();
  private boolean placing;

  NodeReading(
      SendingNodes nodes,
      SenderEvents machine,
      TransferEvents events,
      Runnable allowJobs,
      BooleanSupplier limited,
      BlockReading reading,
      FrameDispatch dispatch) {
    this.nodes = nodes;
    this.machine = machine;
    this.events = events;
    this.allowJobs = allowJobs;
    this.limited = limited;
    this.reading = reading;
    this.dispatch = dispatch;
    dispatch.whenTaken(this::place);
  }

  void start() {
    nodes.start(this);
  }

  void read(SenderAction.Read<SourceFile> action) {
    if (action.job() instanceof ReadJob.Block<SourceFile>) {
      waiting.add(action);
      place();
    } else {
      reading.read(action); // what has many files, or is not sent
    }
  }

  /** Nodes have nothing to do while the rate is limited: one machine counts what leaves. */
  int capacity() {
    return limited.getAsBoolean() ? 0 : nodes.capacity();
  }

  /** Gives out what waits. What comes while it does is given out by the next tick at the latest. */
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
    int capacity = capacity();
    if (capacity > 0 && nodes.read(block, action.queue(), load)) {
      return true;
    }
    if (load >= BLOCKS_HERE && capacity > 0) {
      return false;
    }
    reading.read(action);
    return true;
  }

  @Override
  public void streamOpened(int stream) {
    machine.handle(new SenderEvent.StreamOpened<>(stream, true));
  }

  @Override
  public void streamLost(int stream) {
    machine.handle(new SenderEvent.StreamLost<>(stream));
  }

  @Override
  public void sent(
      ReadJob.Block<SourceFile> job, int queue, int crc, byte[] hashes, int stream, long number) {
    machine.handle(new SenderEvent.JobRead<>(job, queue, crc, hashes, List.of()));
    machine.handle(new SenderEvent.FrameSent<>(stream, number, job));
    machine.handle(new SenderEvent.StreamMoved<>(stream));
  }

  @Override
  public void returned(ReadJob.Block<SourceFile> job, int queue) {
    machine.handle(new SenderEvent.JobReturned<>(job, queue));
  }

  @Override
  public void changed() {
    allowJobs.run();
    place();
  }

  @Override
  public void notice(String message) {
    events.notice(message);
  }

  void closeFile(long file) {
    nodes.closeFile(file);
  }

  void keepOpen(int stream) {
    if (nodes.keepOpen(stream)) {
      machine.handle(new SenderEvent.KeptOpen<>(stream));
    }
  }

  /** Nodes that do not answer are left out; what waits may have a place now. */
  void tick(long nowNanos) {
    nodes.tick(nowNanos);
    place();
  }

  void closeStream(int stream) {
    nodes.closeStream(stream);
  }

  void dropStreams() {
    nodes.dropStreams();
  }

  int streams() {
    return nodes.streams();
  }

  long wireBytes() {
    return nodes.wireBytes();
  }

  void close() {
    waiting.clear();
    nodes.close();
  }
}
