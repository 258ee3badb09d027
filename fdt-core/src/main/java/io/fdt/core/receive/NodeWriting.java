package io.fdt.core.receive;

import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.HeldFrame;
import io.fdt.core.engine.NodeStreams;
import io.fdt.core.engine.ReceivingNodes;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverAction;
import io.fdt.core.storage.SharedFile.Shared;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes blocks through data nodes as well: the node writes each into the partial file, and this
 * end records it in the journal. A node sends blocks here if only this end can write the file.
 *
 * <p>Confined to the loop of the session, except for the writes.
 */
final class NodeWriting implements BlockStore {
  private final SessionLoop loop;
  private final ReceivingNodes.Listener frames;
  private final ReceiverEvents machine;
  private final DiskWorkers writers;
  private final ReceivingNodes nodes;
  private final BlockWriting local;
  private final FilePublisher publisher;
  private final boolean fsync;

  /** The shared partial files, by id; empty for one that cannot be shared. */
  private final Map<Long, Optional<Shared>> shared = new HashMap<>();

  NodeWriting(
      SessionLoop loop,
      ReceivingNodes.Listener frames,
      ReceiverEvents machine,
      DiskWorkers writers,
      ReceivingNodes nodes,
      BlockWriting local,
      FilePublisher publisher,
      boolean fsync) {
    this.loop = loop;
    this.frames = frames;
    this.machine = machine;
    this.writers = writers;
    this.nodes = nodes;
    this.local = local;
    this.publisher = publisher;
    this.fsync = fsync;
  }

  @Override
  public void start() {
    nodes.start(frames);
  }

  @Override
  public NodeStreams nodes() {
    return nodes;
  }

  @Override
  public void write(ReceiverAction.WriteBlock<ReceivedFileWriter> action) {
    if (action.frame() instanceof HeldFrame held) {
      write(action, held);
    } else {
      local.write(action);
    }
  }

  private void write(ReceiverAction.WriteBlock<ReceivedFileWriter> action, HeldFrame frame) {
    IncomingFile<ReceivedFileWriter> file = action.file();
    Optional<Shared> known = shared.get(file.id());
    if (known != null) {
      write(action, frame, known);
      return;
    }
    ReceivedFileWriter writer = file.writer();
    writers.submit(
        writer.disk(),
        () -> {
          List<Optional<Shared>> path = new ArrayList<>(1);
          FdtException failure = DiskWork.attempt(() -> path.add(writer.share()));
          loop.post(
              () -> {
                if (failure != null) {
                  frame.release();
                  written(action, new byte[0], failure);
                } else {
                  shared.put(file.id(), path.get(0));
                  write(action, frame, path.get(0));
                }
              });
        });
  }

  private void write(
      ReceiverAction.WriteBlock<ReceivedFileWriter> action,
      HeldFrame frame,
      Optional<Shared> partial) {
    IncomingFile<ReceivedFileWriter> file = action.file();
    if (partial.isEmpty()) {
      frame.fetch(new Fetched(action));
    } else {
      frame.write(file.id(), file.writer().size(), partial.get(), new Result(action));
    }
  }

  private void written(
      ReceiverAction.WriteBlock<ReceivedFileWriter> action, byte[] hashes, FdtException failure) {
    machine.handle(
        to ->
            to.blockWritten(
                action.file(), action.stream(), action.frame().header(), hashes, failure));
  }

  private void lost(ReceiverAction.WriteBlock<ReceivedFileWriter> action) {
    machine.handle(to -> to.blockLost(action.file(), action.stream(), action.frame().header()));
  }

  /** A block that the node writes. */
  private final class Result implements HeldFrame.Result {
    private final ReceiverAction.WriteBlock<ReceivedFileWriter> action;

    Result(ReceiverAction.WriteBlock<ReceivedFileWriter> action) {
      this.action = action;
    }

    @Override
    public void written(byte[] hashes, FdtException failure) {
      if (failure != null) {
        NodeWriting.this.written(action, hashes, failure);
        return;
      }
      ReceivedFileWriter writer = action.file().writer();
      FrameHeader header = action.frame().header();
      writers.submit(
          writer.disk(),
          () -> {
            FdtException unnoted =
                DiskWork.attempt(
                    () -> writer.note(header.offset(), header.length(), header.payloadCrc()));
            loop.post(() -> NodeWriting.this.written(action, hashes, unnoted));
          });
    }

    @Override
    public void lost() {
      NodeWriting.this.lost(action);
    }
  }

  /** A block that is written here. */
  private final class Fetched implements HeldFrame.Fetched {
    private final ReceiverAction.WriteBlock<ReceivedFileWriter> action;

    Fetched(ReceiverAction.WriteBlock<ReceivedFileWriter> action) {
      this.action = action;
    }

    @Override
    public void payload(ByteBuf payload) {
      ReceivedFrame whole = new ReceivedFrame(action.frame().header(), payload, true);
      local.write(new ReceiverAction.WriteBlock<>(action.file(), action.stream(), whole));
    }

    @Override
    public void lost() {
      NodeWriting.this.lost(action);
    }
  }

  /**
   * Publishes a file once all nodes have closed it. Reads back the bytes of a node lost since,
   * because only this shows whether they were written.
   */
  @Override
  public void publish(IncomingFile<ReceivedFileWriter> file) {
    shared.remove(file.id());
    if (!nodes.hasOpen(file.id())) {
      publisher.publish(file, false);
      return;
    }
    nodes.closeFile(
        file.id(),
        fsync,
        closed -> publisher.publish(file, closed == ReceivingNodes.Closed.UNKNOWN),
        failure -> machine.handle(to -> to.published(file, List.of(), failure)));
  }

  /** Closes a file that failed, and does not wait for the nodes. */
  @Override
  public void release(ReceiverAction.Release<ReceivedFileWriter> action) {
    long file = action.file().id();
    shared.remove(file);
    if (nodes.hasOpen(file)) {
      nodes.closeFile(file, false, closed -> {}, failure -> {});
    }
    local.release(action);
  }
}
