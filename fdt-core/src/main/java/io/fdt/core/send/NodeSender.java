package io.fdt.core.send;

import com.google.protobuf.ByteString;
import io.fdt.core.buffer.BufferBudget;
import io.fdt.core.compress.Compressor;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.NodePart;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.session.sender.ManifestPart;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderAction;
import io.fdt.core.session.sender.SenderEvent;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.NodeFiles;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.storage.stream.PartSource;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.stripe.BlockNotRead;
import io.fdt.core.wire.stripe.BlockSent;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.NodeFailure;
import io.fdt.core.wire.stripe.ReadBlock;
import io.fdt.core.wire.stripe.SharedFile;
import io.fdt.core.wire.stripe.StreamDown;
import io.fdt.core.wire.stripe.StreamUp;
import io.fdt.core.wire.stripe.ToNode;
import io.netty.buffer.ByteBufAllocator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The part of a data node in a session that sends: reads the blocks that its front end names, and
 * sends each on any of its own streams. The path of a byte is that of a {@link SenderPipeline}.
 *
 * <p>Confined to the loop of the session.
 */
public final class NodeSender implements NodePart {
  /** The disk of all reads, which share one queue. */
  private static final DiskId DISK = new DiskId("data node");

  private final SessionRuntime runtime;
  private final SessionLoop loop;
  private final NodeFiles files;
  private final Consumer<FromNode.Builder> frontEnd;
  private final TransferSpec spec;
  private final StreamSet streams = new StreamSet();
  private final DiskWorkers readers;
  private final BufferBudget budget;
  private final PacedWriter paced = new PacedWriter(stream -> {});
  private final FrameDispatch dispatch;
  private final BlockReading reading;
  private final Map<Long, OutgoingFile<SourceFile>> open = new HashMap<>();
  private final IdentityHashMap<ReadJob<SourceFile>, Long> jobs = new IdentityHashMap<>();
  private final IdentityHashMap<ReadJob<SourceFile>, Read> read = new IdentityHashMap<>();
  private final SenderEvent.Handler<SourceFile> handler = new Events();
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private boolean closed;

  /**
   * @param files closed with this
   * @param frontEnd takes the messages of this node
   * @param blocks the most blocks read but not sent
   */
  public NodeSender(
      SessionRuntime runtime,
      ByteBufAllocator allocator,
      TransferSpec spec,
      NodeFiles files,
      Consumer<FromNode.Builder> frontEnd,
      int blocks) {
    this.runtime = runtime;
    this.loop = runtime.loop();
    this.files = files;
    this.spec = spec;
    this.frontEnd = frontEnd;
    this.readers = runtime.threads().ofDisks(runtime.name() + "-read", spec.readersPerDisk());
    this.budget = new BufferBudget((long) blocks * spec.blockSize());
    SenderMeter meter = new SenderMeter(streams, budget, readers, loop.nanoTime());
    Compressor compressor = new Compressor(spec.compression(), allocator, spec.readersPerDisk());
    this.dispatch =
        new FrameDispatch(loop, this::handle, allocator, streams, budget, meter, paced, compressor);
    ReadWork work =
        new ReadWork(
            allocator,
            budget,
            spec.digestMethod(),
            compressor,
            (file, size, digest) -> {}); // the front end checks what all nodes have read
    this.reading = new BlockReading(loop, this::handle, readers, work, new CheckMeter(), dispatch);
    if (!spec.tuning().congestion().isEmpty() && !spec.tuning().triesCongestion()) {
      streams.setCongestion(spec.tuning().congestion());
    }
  }

  private record Read(int crc, byte[] hashes) {}

  private void handle(SenderEvent<SourceFile> event) {
    if (closed) {
      return;
    }
    try {
      event.happenTo(handler);
    } catch (FdtException e) {
      throw new IllegalStateException("an event of a data node failed", e);
    }
  }

  /** Reports reads and sends to the front end, whose machine decides. */
  private final class Events implements SenderEvent.Handler<SourceFile> {
    @Override
    public void jobRead(
        ReadJob<SourceFile> job,
        int queue,
        int crc,
        byte[] hashes,
        List<SenderEvent.ReadFailure<SourceFile>> failures) {
      if (failures.isEmpty()) {
        read.put(job, new Read(crc, hashes));
        if (streams.size() == 0) {
          loop.post(NodeSender.this::giveBack);
        }
      } else {
        FdtException cause = failures.get(0).cause();
        notRead(
            BlockNotRead.newBuilder()
                .setJob(jobs.remove(job))
                .setWhy(
                    NodeFailure.newBuilder()
                        .setCode(cause.code().wireCode())
                        .setMessage(MessageText.fit(cause.getMessage()))));
      }
    }

    @Override
    public void frameSent(int stream, long number, ReadJob<SourceFile> job) {
      Read done = read.remove(job);
      frontEnd.accept(
          FromNode.newBuilder()
              .setSent(
                  BlockSent.newBuilder()
                      .setJob(jobs.remove(job))
                      .setStream(stream)
                      .setNumber(number)
                      .setCrc32C(done.crc())
                      .setHashes(ByteString.copyFrom(done.hashes()))));
    }

    @Override
    public void message(Control control) {}

    @Override
    public void rootsFound(List<Root> roots, String losses) {}

    @Override
    public void entriesFound(ManifestPart<SourceFile> part) {}

    @Override
    public void walkEnded(FdtException failure) {}

    @Override
    public void fileChanged(OutgoingFile<SourceFile> file, String how) {}

    @Override
    public void jobReturned(ReadJob.Block<SourceFile> job, int queue) {}

    @Override
    public void surveyed(
        OutgoingFile<SourceFile> file, int queue, List<Range> holes, FdtException failure) {}

    @Override
    public void jobsAllowed(int perDisk) {}

    @Override
    public void streamOpened(int stream, boolean atNode) {}

    @Override
    public void streamMoved(int stream) {}

    @Override
    public void keptOpen(int stream) {}

    @Override
    public void streamLost(int stream) {}

    @Override
    public void tick() {}
  }

  private void notRead(BlockNotRead.Builder message) {
    frontEnd.accept(FromNode.newBuilder().setNotRead(message));
  }

  /** Returns ready blocks to the front end when no stream is left, so that others send them. */
  private void giveBack() {
    if (closed || streams.size() > 0) {
      return;
    }
    for (ReadJob<SourceFile> job : dispatch.takeBack()) {
      read.remove(job);
      notRead(BlockNotRead.newBuilder().setJob(jobs.remove(job)));
    }
  }

  @Override
  public void onMessage(ToNode message) throws FdtException {
    switch (message.getWhatCase()) {
      case READ -> read(message.getRead());
      case CLOSE_SOURCE -> {
        OutgoingFile<SourceFile> file = open.remove(message.getCloseSource());
        if (file != null) {
          reading.closeFile(file);
        }
      }
      case KEEP_OPEN -> dispatch.keepOpen(message.getKeepOpen());
      case CLOSE_STREAM -> streams.close(message.getCloseStream().getStream());
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL,
              "unexpected " + message.getWhatCase() + " to a data node that sends");
    }
  }

  private void read(ReadBlock message) throws FdtException {
    if (message.getLength() < 1
        || message.getLength() > spec.blockSize()
        || message.getOffset() < 0
        || message.getOffset() + message.getLength() > message.getFile().getSize()
        || !isWithin(message.getFile())) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "block %d+%d of a file of %d bytes; 1 to %d bytes are allowed"
              .formatted(
                  message.getOffset(),
                  message.getLength(),
                  message.getFile().getSize(),
                  spec.blockSize()));
    }
    OutgoingFile<SourceFile> file =
        open.computeIfAbsent(message.getFile().getId(), id -> file(message.getFile()));
    ReadJob.Block<SourceFile> job =
        new ReadJob.Block<>(file, message.getOffset(), message.getLength(), message.getRepeated());
    jobs.put(job, message.getJob());
    reading.read(new SenderAction.Read<>(reading.queueOf(DISK), job));
  }

  /** Whether the part ends within its file. */
  private static boolean isWithin(SharedFile file) {
    return file.getFileSize() == 0
        || (file.getStart() >= 0 && file.getSize() <= file.getFileSize() - file.getStart());
  }

  private OutgoingFile<SourceFile> file(SharedFile file) {
    boolean isPart = file.getFileSize() > 0;
    long fileSize = isPart ? file.getFileSize() : file.getSize();
    BytePath path = BytePath.of(file.getPath().toByteArray());
    Timestamp modified = new Timestamp(file.getModifiedSeconds(), file.getModifiedNanos());
    SourceFile whole = new NodeFile(files, path, fileSize, modified, file.getInode());
    SourceFile source = isPart ? PartSource.part(whole, file.getStart(), file.getSize()) : whole;
    Entry entry =
        new Entry(
            file.getId(),
            Entry.ROOT,
            FileName.of("file"),
            EntryKind.FILE,
            file.getSize(),
            0,
            modified,
            BytePath.of(""),
            0);
    return new OutgoingFile<>(entry, source, 0, spec.digestMethod());
  }

  /** A file that is resolved when a reader opens it. */
  private record NodeFile(NodeFiles files, BytePath name, long size, Timestamp modified, long inode)
      implements SourceFile {
    @Override
    public DiskId disk() {
      return DISK;
    }

    @Override
    public String path() {
      return name.toString();
    }

    @Override
    public BlockReader open() throws FdtException {
      return files.source(name, size, modified, inode).open();
    }

    @Override
    public void release() {
      // Holds no resources.
    }
  }

  @Override
  public DataStream.Handler attach(DataStream stream) {
    loop.post(() -> add(stream));
    return new DataStream.Handler() {
      @Override
      public void frame(ReceivedFrame frame) throws FdtException {
        frame.release();
        throw new FdtException(ErrorCode.PROTOCOL, "a receiver does not send data");
      }

      @Override
      public void writable() {
        loop.run(dispatch::run);
      }

      @Override
      public void closed(FdtException cause) {
        loop.run(() -> lost(stream));
      }
    };
  }

  private void add(DataStream stream) {
    if (closed || !streams.add(stream)) {
      stream.close();
      return;
    }
    frontEnd.accept(
        FromNode.newBuilder().setStreamUp(StreamUp.newBuilder().setStream(stream.number())));
    dispatch.run();
  }

  private void lost(DataStream stream) {
    streams.remove(stream);
    if (!closed) {
      paced.lost(stream);
      frontEnd.accept(
          FromNode.newBuilder().setStreamDown(StreamDown.newBuilder().setStream(stream.number())));
      giveBack();
    }
  }

  @Override
  public long wireBytes() {
    return streams.wireBytes();
  }

  @Override
  public CompletableFuture<Void> close() {
    if (closed) {
      return released;
    }
    closed = true;
    budget.close();
    reading.close();
    dispatch.close();
    streams.closeAll();
    runtime
        .threads()
        .run(
            runtime.name() + "-close",
            () -> {
              readers.awaitEnd();
              files.close();
              released.complete(null);
            });
    return released;
  }
}
