package io.fdt.core.send;

import io.fdt.core.buffer.BufferBudget;
import io.fdt.core.compress.Compressor;
import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.SendingNodes;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.SilentSource;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.engine.meter.Observations;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.Root;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.model.Tuning;
import io.fdt.core.session.Outbox;
import io.fdt.core.session.sender.FileOutcome;
import io.fdt.core.session.sender.ManifestPart;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.SenderAction;
import io.fdt.core.session.sender.SenderEvent;
import io.fdt.core.session.sender.SenderMachine;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.transport.DataStream;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Finished;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The sending end of a session: passes events to a {@link SenderMachine} and executes its actions.
 *
 * <pre>
 *   walk ---> ManifestFeed ---.                    .---> BlockReading ---> FrameDispatch ---> streams
 *   messages -----------------+--> SenderMachine --+
 *   streams, time ------------'                    '---> TransferEvents
 * </pre>
 *
 * <p>Follow a byte through {@link BlockReading} and {@link FrameDispatch}. Confined to the
 * session's loop.
 */
public final class SenderPipeline implements DataPath {
  /** Jobs per reader: one in progress and one waiting. */
  private static final int JOBS_PER_READER = 2;

  private static final long OBSERVE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration LONG_ROUND_TRIP = Duration.ofMillis(5);

  private final SessionRuntime runtime;
  private final SessionLoop loop;
  private final TransferSpec spec;
  private final SourceTree source;
  private final Outbox outbox;
  private final TransferEvents events;
  private final SenderMachine<SourceFile> machine;
  private final SenderAction.Executor<SourceFile> executor = new Executor();
  private final StreamSet streams = new StreamSet();
  private final CheckMeter checks = new CheckMeter();
  private final PacedWriter paced;
  private final ManifestFeed feed;
  private final DiskWorkers readers;
  private final BufferBudget budget;
  private final SenderMeter meter;
  private final FrameDispatch dispatch;
  private final BlockReading reading;
  private BlockSource blocks;
  private final DeletionWitness deletion;
  private final CompletableFuture<Void> released = new CompletableFuture<>();

  /** The file that was read last; null for none. */
  private OutgoingFile<SourceFile> current;

  /** The auto-tuning; null if it is off. */
  private TransferTuning tuning;

  private boolean tellsReceiver;
  private boolean isLongPath;
  private boolean closed;

  /**
   * @param source the tree to send; closed with this
   */
  public SenderPipeline(
      SessionRuntime runtime,
      ByteBufAllocator allocator,
      TransferSpec spec,
      SourceTree source,
      Outbox outbox,
      TransferEvents events) {
    this.runtime = runtime;
    this.loop = runtime.loop();
    this.spec = spec;
    this.source = source;
    source.meter(checks::add);
    this.outbox = outbox;
    this.events = events;
    this.machine = new SenderMachine<>(spec, source.isInOrder(), source::check);
    this.feed = new ManifestFeed(runtime, source, new Walk());
    int readersPerDisk = spec.readersPerDisk(source.readers());
    this.readers = runtime.threads().ofDisks(runtime.name() + "-read", readersPerDisk);
    this.budget = new BufferBudget(spec.bufferBytes());
    this.meter = new SenderMeter(streams, budget, readers, loop.nanoTime());
    this.paced = new PacedWriter(stream -> handle(to -> to.streamMoved(stream)));
    Compressor compressor = new Compressor(spec.compression(), allocator, readersPerDisk);
    this.dispatch =
        new FrameDispatch(loop, this::handle, allocator, streams, budget, meter, paced, compressor);
    ReadWork work = new ReadWork(allocator, budget, spec.digestMethod(), compressor, source::check);
    this.reading = new BlockReading(loop, this::handle, readers, work, checks, dispatch);
    this.blocks = reading;
    this.deletion = new DeletionWitness(loop, spec, source, outbox, events);
  }

  /**
   * Adapts to the path, and starts auto-tuning if requested. Before {@link #start}.
   *
   * @param roundTrip zero when unknown
   */
  public void tune(Duration roundTrip) {
    Tuning wanted = spec.tuning();
    if (wanted.isAny()) {
      tuning =
          new TransferTuning(runtime.name(), wanted, spec.streams(), streams, readers, roundTrip);
    }
    isLongPath = roundTrip.compareTo(LONG_ROUND_TRIP) > 0;
    if (isLongPath) {
      machine.cutFirst(FrameDispatch.FIRST_BYTES);
    }
    if (!wanted.triesCongestion()) {
      streams.setCongestion(wanted.congestion());
    }
  }

  /** Sends the state of this end to the receiver. Before {@link #start}. */
  public void tellReceiver() {
    tellsReceiver = true;
  }

  /** Also collects the details for a monitor. */
  public void collectDetails() {
    meter.collectDetails();
  }

  /** Sets the maximum number of streams in use, and the readers per disk. */
  public void use(int mostStreams, int readersPerDisk) {
    streams.use(mostStreams);
    readers.setThreadsPerDisk(readersPerDisk);
    allowJobs();
    dispatch.run();
  }

  @Override
  public void limit(RateSource own, long told) {
    paced.limit(own, told);
  }

  /** Sends through data nodes as well. Before {@link #start}. */
  public void stripe(SendingNodes others) {
    blocks =
        new NodeReading(
            loop, others, this::handle, events, this::allowJobs, spec, paced, reading, dispatch);
  }

  @Override
  public void start() {
    blocks.start();
    paced.tick(loop.nanoTime(), 0);
    allowJobs();
    feed.start();
  }

  private void allowJobs() {
    int jobs = readers.threadsPerDisk() * JOBS_PER_READER;
    handle(to -> to.jobsAllowed(jobs + blocks.capacity()));
  }

  /** Handles the results of the walk, on the loop. */
  private final class Walk implements ManifestFeed.Target {
    @Override
    public void roots(List<Root> roots) {
      String losses = source.losses();
      if (!losses.isEmpty()) {
        events.notice(losses);
      }
      handle(to -> to.rootsFound(roots, losses));
    }

    @Override
    public void part(ManifestPart<SourceFile> part) {
      if (closed) {
        part.files().forEach(Walk::release);
        return;
      }
      for (SourceFile file : part.files()) {
        part.queues().add(file == null ? -1 : reading.queueOf(file.disk()));
      }
      handle(to -> to.entriesFound(part));
    }

    private static void release(SourceFile file) {
      if (file != null) {
        file.release();
      }
    }

    @Override
    public void ended(FdtException failure) {
      if (failure == null && !closed && spec.delete()) {
        deletion.sendRoots();
      }
      handle(to -> to.walkEnded(failure));
    }
  }

  @Override
  public void onControl(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case DELETION -> deletion.onDeletion(message.getDeletion(), readers);
      case CHECKED -> checks.onPeer(message.getChecked());
      case RATE_LIMIT -> {
        paced.onPeer(message.getRateLimit(), loop.nanoTime());
        dispatch.run();
      }
      case RECEIVER_STORAGE -> {
        String notice = MessageText.received(message.getReceiverStorage().getNotice());
        if (!notice.isEmpty()) {
          events.notice(notice);
        }
        apply(to -> to.message(message));
      }
      case RECEIVER_STATE -> meter.onReceiver(message.getReceiverState());
      default -> apply(to -> to.message(message));
    }
  }

  @Override
  public void stalled() {
    String place = source.waitsFor();
    if (!place.isEmpty()) {
      new SilentSource(events).found(place, outbox);
    }
  }

  private void handle(SenderEvent<SourceFile> event) {
    try {
      apply(event);
    } catch (FdtException e) {
      events.failed(e);
    }
  }

  private void apply(SenderEvent<SourceFile> event) throws FdtException {
    if (!closed) {
      for (SenderAction<SourceFile> action : machine.handle(event, loop.nanoTime())) {
        action.carryOut(executor);
      }
    }
  }

  private final class Executor implements SenderAction.Executor<SourceFile> {
    @Override
    public void send(Control.Builder message) {
      outbox.send(message);
    }

    @Override
    public void read(SenderAction.Read<SourceFile> action) {
      current = action.job().first();
      blocks.read(action);
    }

    @Override
    public void closeFile(OutgoingFile<SourceFile> file) {
      blocks.closeFile(file);
    }

    @Override
    public void releaseWindow(int weight) {
      feed.release(weight);
    }

    @Override
    public void fileSettled(SenderAction.FileSettled<SourceFile> settled) {
      OutgoingFile<SourceFile> file = settled.file();
      closeFile(file);
      file.source().release();
      feed.release(file.entry().metadata().weight());
      report(settled);
    }

    private void report(SenderAction.FileSettled<SourceFile> settled) {
      OutgoingFile<SourceFile> file = settled.file();
      SourceFile source = file.source();
      switch (settled.outcome()) {
        case DONE -> {
          events.fileDone(source::path, file.size(), file.isResumed(), file.digestAtReceiver());
          if (!file.change().isEmpty()) {
            events.notice(file.change());
          }
        }
        case UNCHANGED, NEWER -> {
          boolean isNewer = settled.outcome() == FileOutcome.NEWER;
          events.fileUnchanged(source::path, file.size(), isNewer, new byte[0]);
        }
        case DUE, REPLACEMENT_DUE ->
            events.fileDue(
                source::path,
                file.size(),
                file.toSend(),
                settled.outcome() == FileOutcome.REPLACEMENT_DUE);
        case FAILED -> problem(source.path(), false, settled.code(), settled.message());
        case SKIPPED -> problem(source.path(), true, settled.code(), settled.message());
      }
    }

    @Override
    public void problem(String path, boolean skipped, ErrorCode code, String message) {
      events.problem(path, skipped, code, message);
    }

    @Override
    public void closeStream(int stream) {
      streams.close(stream);
      blocks.closeStream(stream);
    }

    @Override
    public void keepOpen(int stream) {
      dispatch.keepOpen(stream);
      blocks.keepOpen(stream);
    }

    @Override
    public void complete() {
      events.finished();
    }

    @Override
    public void fail(FdtException cause) {
      events.failed(cause);
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
        loop.run(() -> lost(stream, cause));
      }
    };
  }

  private void add(DataStream stream) {
    if (closed) {
      stream.close();
      return;
    }
    if (!streams.add(stream)) {
      events.failed(
          new FdtException(
              ErrorCode.USAGE,
              "the sender's system does not have the requested congestion control, or"
                  + " does not allow it: see net.ipv4.tcp_allowed_congestion_control there"));
      return;
    }
    handle(to -> to.streamOpened(stream.number(), false));
    dispatch.run();
  }

  private void lost(DataStream stream, FdtException cause) {
    streams.remove(stream);
    if (!closed && cause.isLocalResourceFailure()) {
      events.failed(cause); // another stream would need as much
      return;
    }
    paced.lost(stream);
    handle(to -> to.streamLost(stream.number()));
  }

  @Override
  public boolean isComplete() {
    return machine.isComplete();
  }

  @Override
  public void dropStreams() {
    streams.closeAll();
    blocks.nodes().dropStreams();
  }

  @Override
  public void tick(long nowNanos) {
    checks.tick(nowNanos, outbox);
    paced.tick(nowNanos, streams.wireBytes());
    if (meter.nanosSinceLast(nowNanos) >= OBSERVE_NANOS) {
      observe(nowNanos);
    }
    dispatch.run(); // streams that were parked may take what is ready, and a limit may have gone
    handle(to -> to.tick());
    blocks.tick(nowNanos);
  }

  private void observe(long nowNanos) {
    Sample sample = meter.take(nowNanos, machine.bytesWritten(), machine.areTotalsFinal());
    String change = tuning == null ? "" : tuning.act(sample);
    Observation seen =
        meter.observe(sample, change, machine.blocksWritten(), machine.framesRepeated());
    if (tellsReceiver) {
      outbox.send(Control.newBuilder().setSenderState(Observations.encode(seen)));
    }
    if (isLongPath) {
      streams.limitUnsent(sample.rate());
    }
    events.observed(seen);
    if (!change.isEmpty()) {
      allowJobs();
    }
  }

  @Override
  public Progress progress() {
    return new Progress(
        figures(),
        streams.inUse() + blocks.nodes().streams(),
        checks.total(),
        streams.segmentsRepeated(),
        paced.bytes(),
        budget.taken(),
        current == null || current.isSettled() ? "" : current.source().path());
  }

  private TransferFigures figures() {
    Finished all = Optional.ofNullable(machine.finished()).orElse(Finished.getDefaultInstance());
    return new TransferFigures(
        new TransferFigures.Files(
            machine.filesDone(),
            machine.filesUnchanged(),
            machine.filesDue(),
            machine.failures() + deletion.failures(),
            machine.failedBytes(),
            machine.filesOffered(),
            all.getFilesReplaced()),
        machine.bytesWritten(),
        machine.bytesWanted(),
        machine.bytesKept(),
        machine.bytesMatched(),
        streams.wireBytes() + blocks.nodes().wireBytes(),
        all.getAttributesChanged(),
        all.getDirectories(),
        all.getLinks(),
        all.getLinksReplaced(),
        machine.entriesSkipped(),
        deletion.deleted(),
        machine.framesRepeated(),
        machine.areTotalsFinal());
  }

  @Override
  public CompletableFuture<Void> close() {
    if (closed) {
      return released;
    }
    closed = true;
    blocks.nodes().close();
    feed.stop();
    budget.close();
    reading.close();
    dispatch.close();
    streams.closeAll();
    for (OutgoingFile<SourceFile> file : machine.openFiles()) {
      if (file.hasBegun()) {
        events.fileUnfinished(file.source()::path, file.written());
      }
      file.source().release();
    }
    runtime.threads().run(runtime.name() + "-close", this::awaitReaders);
    return released;
  }

  /** Waits for the readers, before the source is closed. Blocks. */
  private void awaitReaders() {
    try {
      readers.awaitEnd();
      source.close();
    } finally {
      released.complete(null);
    }
  }
}
