package io.fdt.core.receive;

import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.ReceivingNodes;
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
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Root;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.session.Outbox;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverAction;
import io.fdt.core.session.receiver.ReceiverEvent;
import io.fdt.core.session.receiver.ReceiverMachine;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.transport.DataStream;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ReceiverStorage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The receiving end of a session: passes events to a {@link ReceiverMachine} and executes its
 * actions.
 *
 * <pre>
 *   stream ----> FrameIntake ----.                      .----> BlockWriting ----> disk
 *   messages --------------------+--> ReceiverMachine --+----> FilePublisher, HardLinks
 *   EntryPlacing &lt;--- entries ---'                      '----> EntryPlacing, FileComparer
 * </pre>
 *
 * <p>Follow a byte through {@link FrameIntake} and {@link BlockWriting}. Confined to the session's
 * loop.
 */
public final class ReceiverPipeline implements DataPath, ReceiverEvents {
  private final SessionLoop loop;
  private final TransferEvents events;
  private final Outbox outbox;
  private final DestinationTree destination;
  private final ReceiverMachine<ReceivedFileWriter> machine;
  private final ReceiverAction.Executor<ReceivedFileWriter> executor = new Executor();
  private final StreamSet streams = new StreamSet();
  private final Backpressure backpressure;
  private final RateEnforcer enforcer;
  private final CheckMeter checks = new CheckMeter();
  private final ReceiverStates states;
  private final FrameIntake intake;
  private final BlockWriting writing;
  private BlockStore blocks;
  private final DiskWorkers writers;
  private final boolean fsync;
  private final FilePublisher publisher;
  private final HardLinks hardLinks;
  private final EntryPlacing placing;
  private final FileComparer comparer;
  private final DeletionRun deletion;
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private final SilentSource silence;
  private final Preservation preservation;
  private boolean hearsSender;

  /** The path of the file that was written last; null for none. */
  private Supplier<String> current;

  private boolean closed;

  /**
   * @param destination the tree to write to; closed with this
   */
  public ReceiverPipeline(
      SessionRuntime runtime,
      TransferSpec spec,
      DestinationTree destination,
      Outbox outbox,
      TransferEvents events) {
    this.loop = runtime.loop();
    this.events = events;
    this.outbox = outbox;
    this.destination = destination;
    this.preservation = spec.preservation();
    destination.meter(checks::add);
    this.machine = new ReceiverMachine<>(spec, destination.capabilities().unknownSizes());
    this.backpressure = new Backpressure(streams, spec.bufferBytes());
    this.enforcer = new RateEnforcer(backpressure);
    this.intake =
        new FrameIntake(loop, this::frameArrived, events, streams, backpressure, enforcer);
    ReceivedDigests digests = new ReceivedDigests(spec.digestMethod(), checks);
    this.fsync = spec.assurance().fsync();
    int writersPerDisk = spec.writersPerDisk(destination.capabilities().writers());
    this.writers = workers(runtime, "-write", writersPerDisk);
    this.silence = new SilentSource(events);
    this.states = new ReceiverStates(backpressure, writers, loop.nanoTime());
    this.publisher =
        new FilePublisher(
            loop,
            this,
            spec,
            digests,
            checks,
            backpressure,
            writers,
            workers(runtime, "-finish", writersPerDisk));
    int batches = destination.capabilities().dividesPacks() ? writersPerDisk : 1;
    this.writing =
        new BlockWriting(loop, this, events, writers, backpressure, digests, publisher, batches);
    this.blocks = writing;
    FirstNames firstNames = new FirstNames(FileMetadata.MAX_FIRST_NAMES);
    this.hardLinks = new HardLinks(firstNames, this, writers, publisher);
    Replacements replacements = new Replacements(spec, checks);
    EntryPlacer placer = new EntryPlacer(destination, spec, replacements, firstNames);
    this.deletion =
        new DeletionRun(runtime.name(), loop, spec, outbox, events, checks, replacements);
    this.placing =
        new EntryPlacing(
            loop,
            this,
            events,
            placer,
            deletion,
            runtime.threads().oneByOne(runtime.name() + "-place"));
    this.comparer =
        new FileComparer(
            this,
            spec.dryRun(),
            placer,
            digests,
            checks,
            workers(runtime, "-compare", writersPerDisk));
  }

  private static DiskWorkers workers(SessionRuntime runtime, String suffix, int threadsPerDisk) {
    return runtime.threads().ofDisks(runtime.name() + suffix, threadsPerDisk);
  }

  /** Limits the receive rate. Before {@link #start}. */
  @Override
  public void limit(RateSource own, long told) {
    enforcer.limit(own, told);
  }

  /** Expects the figures of the sender. Before {@link #start}. */
  public void hearSender() {
    hearsSender = true;
  }

  /** Sends the details of this end for a monitor to the sender. Before {@link #start}. */
  public void tellDetails() {
    states.tellDetails();
  }

  /** Receives through data nodes as well. Before {@link #start}. */
  public void stripe(ReceivingNodes others) {
    backpressure.whenChanged(others::setReading);
    blocks = new NodeWriting(loop, intake, this, writers, others, writing, publisher, fsync);
  }

  @Override
  public void start() {
    blocks.start();
    enforcer.start(loop.nanoTime(), outbox); // otherwise the sender begins
  }

  /** Tells the sender the limits of this storage, before the first decision. */
  private void describeStorage() {
    String losses = destination.capabilities().losses(preservation);
    boolean isInOrder = !destination.capabilities().writesRandomly();
    describeStorage(isInOrder ? destination.capabilities().window() : 0, losses);
  }

  private void describeStorage(long window, String notice) {
    if (!notice.isEmpty()) {
      events.notice(notice);
    }
    if (window > 0 || !notice.isEmpty()) {
      outbox.send(
          Control.newBuilder()
              .setReceiverStorage(
                  ReceiverStorage.newBuilder()
                      .setWindow(window)
                      .setNotice(MessageText.fit(notice))));
    }
  }

  @Override
  public void onControl(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case DELETION_ROOTS -> deletion.onRoots(message.getDeletionRoots());
      case DELETION_ANSWER -> deletion.onAnswer(message.getDeletionAnswer());
      case CHECKED -> checks.onPeer(message.getChecked());
      case SENDER_STATE -> {
        if (!hearsSender) {
          throw new FdtException(ErrorCode.PROTOCOL, "an unrequested state of the sender");
        }
        events.observed(Observations.decode(message.getSenderState()));
      }
      case SOURCE_WAITS -> silence.onPeer(message.getSourceWaits(), loop.nanoTime());
      default -> apply(to -> to.message(message));
    }
  }

  @Override
  public void post(ReceiverEvent<ReceivedFileWriter> event) {
    loop.post(() -> handle(event));
  }

  @Override
  public void handle(ReceiverEvent<ReceivedFileWriter> event) {
    try {
      apply(event);
    } catch (FdtException e) {
      events.failed(e);
    }
  }

  /** Passes a frame to the machine, which takes it over unless it throws. */
  private void frameArrived(int stream, ReceivedFrame frame) {
    try {
      apply(to -> to.frameArrived(stream, frame));
    } catch (FdtException e) {
      frame.release();
      events.failed(e);
    }
  }

  private void apply(ReceiverEvent<ReceivedFileWriter> event) throws FdtException {
    if (!closed) {
      for (ReceiverAction<ReceivedFileWriter> action : machine.handle(event, loop.nanoTime())) {
        action.carryOut(executor);
      }
    }
  }

  private final class Executor implements ReceiverAction.Executor<ReceivedFileWriter> {
    @Override
    public void send(Control.Builder message) {
      outbox.send(message);
    }

    @Override
    public void releaseFrame(ReceivedFrame frame) {
      frame.release();
    }

    @Override
    public void writeBlock(ReceiverAction.WriteBlock<ReceivedFileWriter> action) {
      current = action.file().path();
      blocks.write(action);
    }

    @Override
    public void writePack(ReceiverAction.WritePack<ReceivedFileWriter> action) {
      current = action.files().get(0).file().path();
      writing.write(action);
    }

    @Override
    public void openDestination(List<Root> roots) {
      describeStorage();
      placing.open(roots);
    }

    @Override
    public void place(List<Entry> entries) {
      placing.place(entries);
    }

    @Override
    public void makeHoles(ReceiverAction.MakeHoles<ReceivedFileWriter> action) {
      writing.makeHoles(action);
    }

    @Override
    public void hashKept(ReceiverAction.HashKept<ReceivedFileWriter> action) {
      publisher.hash(action);
    }

    @Override
    public void matchBase(ReceiverAction.MatchBase<ReceivedFileWriter> action) {
      comparer.matchBase(action);
    }

    @Override
    public void searchBase(ReceiverAction.SearchBase<ReceivedFileWriter> action) {
      comparer.searchBase(action);
    }

    @Override
    public void publish(IncomingFile<ReceivedFileWriter> file) {
      blocks.publish(file);
    }

    @Override
    public void makeLink(IncomingFile<ReceivedFileWriter> file) {
      hardLinks.add(file);
    }

    @Override
    public void readDigest(ReceiverAction.ReadDigest<ReceivedFileWriter> action) {
      comparer.readDigest(action);
    }

    @Override
    public void endComparison(ReceiverAction.EndComparison<ReceivedFileWriter> action) {
      comparer.end(action);
    }

    @Override
    public void stopReading(IncomingFile<ReceivedFileWriter> file) {
      comparer.stopReading(file);
    }

    @Override
    public void release(ReceiverAction.Release<ReceivedFileWriter> action) {
      blocks.release(action);
    }

    @Override
    public void finishDirectory(Entry directory) {
      placing.finishDirectory(directory);
    }

    @Override
    public void finishDestination() {
      placing.finishDestination(
          machine.filesDue() > 0 ? machine.bytesWanted() : 0, notice -> describeStorage(0, notice));
    }

    @Override
    public void delete(long failures) {
      deletion.start(destination, failures, () -> handle(ReceiverEvent.Handler::deletionEnded));
    }

    @Override
    public void wakeAfter(long nanos) {
      loop.after(nanos, () -> handle(ReceiverEvent.Handler::woken));
    }

    @Override
    public void fileDone(IncomingFile<ReceivedFileWriter> file) {
      events.fileDone(file.path(), file.size(), file.isResumed(), file.digest());
    }

    @Override
    public void fileSettled(IncomingFile<ReceivedFileWriter> file) {
      hardLinks.settled(file);
    }

    @Override
    public void fileUnchanged(IncomingFile<ReceivedFileWriter> file, boolean isNewer) {
      events.fileUnchanged(file.path(), file.size(), isNewer, file.comparedDigest());
    }

    @Override
    public void fileDue(IncomingFile<ReceivedFileWriter> file) {
      events.fileDue(file.path(), file.size(), file.size() - file.keptBytes(), file.replaces());
    }

    @Override
    public void fileFailed(IncomingFile<ReceivedFileWriter> file, FdtException cause) {
      events.problem(file.path().get(), file.isSkipped(), cause.code(), cause.getMessage());
    }

    @Override
    public void problem(Supplier<String> path, boolean skipped, ErrorCode code, String message) {
      events.problem(path.get(), skipped, code, message);
    }

    @Override
    public void notice(String message) {
      events.notice(message);
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
    return intake.attach(stream);
  }

  @Override
  public boolean isComplete() {
    return false; // it would have said so, and ended
  }

  @Override
  public void dropStreams() {
    streams.closeAll();
    blocks.nodes().dropStreams();
  }

  @Override
  public void tick(long nowNanos) {
    enforcer.tick(nowNanos, streams.wireBytes(), outbox);
    checks.tick(nowNanos, outbox); // the sender sees which of its frames are not acknowledged
    states.tick(nowNanos, outbox);
    blocks.nodes().tick(nowNanos);
  }

  @Override
  public Progress progress() {
    return new Progress(
        figures(),
        streams.size() + blocks.nodes().streams(),
        checks.total(),
        streams.segmentsRepeated(),
        streams.payloadBytes(),
        backpressure.waitingBytes(),
        current == null ? "" : current.get());
  }

  private TransferFigures figures() {
    return new TransferFigures(
        new TransferFigures.Files(
            machine.filesDone(),
            machine.filesUnchanged(),
            machine.filesDue(),
            machine.failures() + deletion.failures(),
            machine.failedBytes(),
            machine.filesSeen(),
            machine.filesReplaced()),
        machine.bytesWritten(),
        machine.bytesWanted(),
        machine.bytesKept(),
        machine.bytesMatched(),
        streams.wireBytes() + blocks.nodes().wireBytes(),
        machine.attributesChanged(),
        machine.directoriesDone(),
        machine.linksDone(),
        machine.linksReplaced(),
        machine.entriesSkipped(),
        deletion.deleted(),
        machine.framesDamaged(),
        machine.areTotalsFinal());
  }

  @Override
  public CompletableFuture<Void> close() {
    if (closed) {
      return released;
    }
    closed = true;
    blocks.nodes().close();
    intake.close();
    for (IncomingFile<ReceivedFileWriter> file : machine.openFiles()) {
      if (file.writtenBytes() > 0) {
        events.fileUnfinished(file.path(), file.writtenBytes());
      }
    }
    writing.close(machine.openFiles());
    publisher.close();
    comparer.close();
    deletion.close();
    // The placer is closed last: writers may still use its directories.
    placing.close(
        () -> {
          writing.awaitEnd();
          publisher.awaitEnd();
          comparer.awaitEnd();
          deletion.awaitEnd();
        },
        () -> released.complete(null));
    return released;
  }
}
