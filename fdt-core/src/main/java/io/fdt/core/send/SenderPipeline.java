package io.fdt.core.send;

import io.fdt.core.buffer.BufferBudget;
import io.fdt.core.engine.CheckMeter;
import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.DecisionRule;
import io.fdt.core.engine.DiskScheduler;
import io.fdt.core.engine.Observations;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.engine.TransferSettings;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.Root;
import io.fdt.core.send.ReadWork.Filled;
import io.fdt.core.session.Outbox;
import io.fdt.core.session.OutgoingFile;
import io.fdt.core.session.ReadJob;
import io.fdt.core.session.SenderSession;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.transport.DataStream;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.Tuning;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.FrameAcks;
import io.fdt.core.wire.control.MetadataWarning;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The way of a byte from a disk to the network.
 *
 * <pre>
 *   walk ---> entries ---> SenderSession <--- decisions, acknowledgements, results
 *                               | nextJob
 *   disk ---> reader thread ---> filled buffer ---> any stream that can take it
 * </pre>
 *
 * The buffer budget is the brake: readers wait for it, and it is given back when a stream has sent
 * what it was given.
 *
 * <p>Confined to the session's event loop, apart from reader threads and the walk, which only post
 * to it.
 */
public final class SenderPipeline implements DataPath {
  /** Jobs that wait for each reader of a disk: one in hand and one ready. */
  private static final int JOBS_PER_READER = 2;

  /**
   * A stream that has frames under way and hears nothing for this long, while others do, is
   * replaced.
   */
  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** Many address translators forget a connection that is silent for longer than this. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** One disk of the source. */
  private static final class SourceDisk {
    final DiskId id;
    final int lane;
    int jobs;

    SourceDisk(DiskId id, int lane) {
      this.id = id;
      this.lane = lane;
    }
  }

  /** Streams that are opened when this end finds out how many to use. */
  public static final int MOST_TUNED_STREAMS = TransferTuning.MOST_STREAMS;

  private static final long OBSERVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What is sent first goes over all streams, in small pieces where a round trip takes long. */
  private static final long FIRST_BYTES = 2 << 20;

  /** A rate may change while a timer for a lower one runs. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Duration LONG_ROUND_TRIP = Duration.ofMillis(5);

  private final String name;
  private final SessionLoop loop;
  private final ByteBufAllocator allocator;
  private final SourceTree source;
  private final Outbox outbox;
  private final TransferEvents events;
  private final SenderSession<SourceFile> session;
  private final ManifestFeed feed;
  private final DiskScheduler readers;
  private final BufferBudget budget;
  private final ReadWork work;
  private final PacedWriter paced = new PacedWriter();
  private final TransferSettings settings;
  private final DeletionWitness deletion;
  private final CheckMeter checks = new CheckMeter();
  private final StreamSet streams = new StreamSet();
  private final Map<DiskId, SourceDisk> disks = new HashMap<>();
  private final Map<Long, SharedReader> shared = new HashMap<>();
  private final ArrayDeque<Filled> ready = new ArrayDeque<>();
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private final SenderMeter meter;

  /** Null unless this end finds something out. */
  private TransferTuning tuning;

  private boolean tellsReceiver;
  private boolean isLongPath;
  private long bytesDispatched;

  private boolean dispatchScheduled;
  private boolean onlyFiles;
  private boolean manifestEnded;
  private boolean closed;
  private long filesOffered;
  private long filesDone;
  private long filesUnchanged;
  private long filesDue;
  private long failures;
  private long skipped;

  /**
   * @param name the session's name in thread names
   * @param source what to send; closed when the path is
   */
  public SenderPipeline(
      String name,
      SessionLoop loop,
      ByteBufAllocator allocator,
      TransferSettings settings,
      SourceTree source,
      Outbox outbox,
      TransferEvents events) {
    this.name = name;
    this.loop = loop;
    this.allocator = allocator;
    this.source = source;
    this.outbox = outbox;
    this.events = events;
    this.session =
        new SenderSession<>(settings.blockSize(), settings.digestMethod(), outbox, this::settled);
    if (source.isInOrder()) {
      session.keepInOrder(settings.bufferBytes());
    }
    this.feed = new ManifestFeed(name, source, loop, new Manifest());
    this.readers = new DiskScheduler(name + "-read", settings.threadsPerDisk());
    this.budget = new BufferBudget(settings.bufferBytes());
    this.work = new ReadWork(allocator, budget, settings.digestMethod());
    this.settings = settings;
    this.deletion = new DeletionWitness(loop, settings, source, outbox, events);
    this.meter = new SenderMeter(streams, budget, readers, System.nanoTime());
  }

  /**
   * Adapts to the path, and finds something out by itself if that is wanted. Before {@link #start}.
   *
   * @param roundTrip how long a message and its answer take; zero when that is not known
   */
  public void tune(Tuning wanted, Duration roundTrip) {
    streams.use(wanted.steadyStreams(Integer.MAX_VALUE));
    if (wanted.isAny()) {
      tuning = new TransferTuning(name, wanted, streams, readers, roundTrip);
    }
    isLongPath = roundTrip.compareTo(LONG_ROUND_TRIP) > 0;
    if (isLongPath) {
      session.cutFirst(FIRST_BYTES);
    }
    if (!wanted.triesCongestion()) {
      streams.setCongestion(wanted.congestion());
    }
  }

  /** The receiver wants to know what this end sees. Before {@link #start}. */
  public void tellReceiver() {
    tellsReceiver = true;
  }

  /** The memory of the blocks that were read and have not left. */
  public BufferBudget budget() {
    return budget;
  }

  public StreamSet streams() {
    return streams;
  }

  public DiskScheduler readers() {
    return readers;
  }

  @Override
  public void limit(RateSource own, long told) {
    paced.limit(own, told);
  }

  @Override
  public void start() {
    paced.tick(System.nanoTime(), 0);
    feed.start();
  }

  /** What the walk finds becomes the manifest. */
  private final class Manifest implements ManifestFeed.Target {
    @Override
    public void roots(List<Root> roots) {
      onlyFiles = roots.stream().noneMatch(Root::isContents);
      outbox.send(Control.newBuilder().setRoots(ManifestCoding.encodeRoots(roots)));
    }

    @Override
    public void batch(ManifestFeed.Batch batch) {
      if (closed) {
        release(batch);
        return;
      }
      outbox.send(
          Control.newBuilder()
              .setManifestBatch(ManifestMessages.batch(session.lastId() + 1, batch)));
      for (int i = 0; i < batch.entries().size(); i++) {
        SourceFile file = batch.files().get(i);
        onlyFiles &= file != null;
        session.offer(batch.entries().get(i), file, file == null ? -1 : disk(file.disk()).lane);
        filesOffered += file == null ? 0 : 1;
      }
      for (ManifestFeed.SkippedEntry skippedEntry : batch.skippedEntries()) {
        report(skippedEntry);
      }
    }

    private void release(ManifestFeed.Batch batch) {
      for (SourceFile file : batch.files()) {
        if (file != null) {
          file.release();
        }
      }
    }

    private void report(ManifestFeed.SkippedEntry skippedEntry) {
      FdtException failure = skippedEntry.failure();
      if (failure == null) {
        skipped++;
        events.problem(skippedEntry.path(), true, ErrorCode.WRONG_KIND, skippedEntry.skipReason());
      } else {
        failures++;
        events.problem(skippedEntry.path(), false, failure.code(), failure.getMessage());
      }
    }

    @Override
    public void ended(FdtException failure) {
      if (closed) {
        return;
      }
      if (failure != null) {
        events.failed(failure);
        return;
      }
      manifestEnded = true;
      if (settings.deletion().isWanted()) {
        deletion.sendRoots();
      }
      session.endManifest();
    }
  }

  private SourceDisk disk(DiskId id) {
    return disks.computeIfAbsent(id, d -> new SourceDisk(d, session.addLane()));
  }

  @Override
  public void onControl(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case DECISIONS -> {
        DecisionRule.check(message.getDecisions(), settings);
        feed.release(session.onDecisions(message.getDecisions()));
      }
      case FRAME_ACKS -> {
        session.onAcks(message.getFrameAcks());
        acknowledged(message.getFrameAcks());
      }
      case FILE_RESULTS -> session.onFileResults(message.getFileResults(), this::otherFailed);
      case COMPARED -> {
        DecisionRule.check(message.getCompared(), settings);
        session.onCompared(message.getCompared(), this::closeReader);
      }
      case DELETION -> deletion.onDeletion(message.getDeletion(), readers);
      case METADATA_WARNINGS -> {
        for (MetadataWarning one : message.getMetadataWarnings().getEntriesList()) {
          session.onMetadataWarning(one.getId());
          failures++;
          ErrorCode code = ErrorCode.ofWireCode(one.getCode());
          events.problem("", false, code, MessageText.received(one.getMessage()));
        }
      }
      case CHECKED -> checks.onPeer(message.getChecked());
      case RATE_LIMIT -> {
        paced.onPeer(message.getRateLimit(), System.nanoTime());
        dispatch();
      }
      case RECEIVER_STATE -> meter.onReceiver(message.getReceiverState());
      case FINISHED -> {
        session.onFinished(message.getFinished());
        events.finished();
      }
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL, "a receiver does not send " + message.getBodyCase());
    }
    pump();
  }

  /** A directory or a link failed at the receiver. */
  private void otherFailed(FileFailure failure) {
    failures++;
    ErrorCode code = ErrorCode.ofWireCode(failure.getCode());
    events.problem("", false, code, MessageText.received(failure.getMessage()));
  }

  private void acknowledged(FrameAcks acks) {
    StreamSet.Lane lane = streams.lane(acks.getStream());
    if (lane == null) {
      return;
    }
    lane.moved(System.nanoTime());
    lane.unacknowledged -= acks.getDamagedCount();
    for (int i = 1; i < acks.getWrittenCount(); i += 2) {
      lane.unacknowledged -= Math.toIntExact(acks.getWritten(i));
    }
  }

  private void settled(
      OutgoingFile<SourceFile> file,
      SenderSession.FileOutcome outcome,
      ErrorCode code,
      String message) {
    closeReader(file.id());
    file.source().release();
    feed.release(file.entry().metadata().weight());
    switch (outcome) {
      case DONE -> {
        filesDone++;
        events.fileDone(file.source()::path, file.size(), file.digestAtReceiver());
      }
      case UNCHANGED -> {
        filesUnchanged++;
        events.fileUnchanged(file.source()::path, file.size());
      }
      case DUE -> {
        filesDue++;
        events.fileDue(file.source()::path, file.size(), file.toSend());
      }
      case FAILED -> {
        failures++;
        events.problem(file.source().path(), false, code, message);
      }
    }
  }

  private void closeReader(long fileId) {
    SharedReader reader = shared.remove(fileId);
    if (reader != null) {
      reader.retire();
    }
  }

  /** Gives every disk's readers work, as long as there is any. */
  private void pump() {
    if (closed) {
      return;
    }
    for (SourceDisk disk : disks.values()) {
      while (disk.jobs < readers.threadsPerDisk() * JOBS_PER_READER) {
        ReadJob<SourceFile> job = session.nextJob(disk.lane);
        if (job == null) {
          break;
        }
        disk.jobs++;
        read(disk, job);
      }
    }
    session.flush();
  }

  private void read(SourceDisk disk, ReadJob<SourceFile> job) {
    if (job instanceof ReadJob.Block<SourceFile> block) {
      SharedReader reader = reader(block.file());
      readers.submit(disk.id, () -> readAndPost(disk, () -> work.block(block, reader)));
    } else if (job instanceof ReadJob.Check<SourceFile> check) {
      SharedReader reader = reader(check.file());
      readers.submit(disk.id, () -> readAndPost(disk, () -> work.check(check, reader)));
    } else if (job instanceof ReadJob.Survey<SourceFile> survey) {
      HoleSurvey holes = new HoleSurvey(survey.file(), reader(survey.file()));
      readers.submit(disk.id, () -> surveyed(disk, survey.file().id(), holes.run(session)));
    } else {
      ReadJob.Pack<SourceFile> pack = (ReadJob.Pack<SourceFile>) job;
      readers.submit(disk.id, () -> readAndPost(disk, () -> work.pack(pack)));
    }
  }

  /** Runs on a reader thread. */
  private void surveyed(SourceDisk disk, long fileId, Runnable told) {
    loop.post(
        () -> {
          disk.jobs--;
          closeReader(fileId); // a file that is all holes, or small, is not read by this one
          if (!closed) {
            told.run();
            pump();
          }
        });
  }

  private SharedReader reader(OutgoingFile<SourceFile> file) {
    return shared.computeIfAbsent(file.id(), id -> new SharedReader(file.source(), file.size()));
  }

  private interface Reading {
    Filled run() throws InterruptedException;
  }

  /** Runs on a reader thread. */
  private void readAndPost(SourceDisk disk, Reading reading) {
    try {
      Filled filled = reading.run();
      if (filled != null) {
        loop.post(() -> filled(disk, filled));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      loop.fail("reading failed", e);
    }
  }

  private void filled(SourceDisk disk, Filled filled) {
    disk.jobs--;
    if (closed) {
      drop(filled);
      return;
    }
    for (ReadWork.Failure failure : filled.failures()) {
      session.onReadFailed(failure.file(), failure.cause());
    }
    if (filled.job() instanceof ReadJob.Check<SourceFile> check && filled.failures().isEmpty()) {
      checks.add(check.length());
      session.onChecked(check, filled.crc(), filled.hashes());
    }
    if (filled.job() instanceof ReadJob.Block<SourceFile> block && filled.failures().isEmpty()) {
      if (filled.hashes().length > 0) {
        session.onHashed(block.file(), block.offset(), filled.hashes());
      }
      session.onBlockRead(block, filled.crc());
    }
    if (filled.frame() != null) {
      ready.add(filled);
    }
    dispatch();
    pump();
  }

  /** Gives what is ready to the streams that can take it. */
  private void dispatch() {
    while (!ready.isEmpty() || paced.hasBegun()) {
      long now = System.nanoTime();
      long wait = paced.nanosToWait(now);
      boolean all = bytesDispatched < FIRST_BYTES;
      if (wait > 0) {
        boolean couldSend = paced.canGoOn() || (!ready.isEmpty() && streams.hasWritable(all));
        meter.onRateLimit(couldSend, now);
        dispatchLater(wait);
        return;
      }
      meter.onRateLimit(false, now);
      if (paced.goOn(now)) {
        continue;
      }
      StreamSet.Lane lane = ready.isEmpty() ? null : streams.nextWritable(all);
      if (lane == null) {
        return;
      }
      Filled filled = ready.poll();
      if (session.isStillNeeded(filled.job())) {
        bytesDispatched += filled.budgeted();
        send(lane, filled, now);
      } else {
        drop(filled);
      }
    }
  }

  private void dispatchLater(long nanos) {
    if (dispatchScheduled) {
      return;
    }
    dispatchScheduled = true;
    loop.after(
        Math.min(nanos, LONGEST_WAIT_NANOS),
        () -> {
          dispatchScheduled = false;
          dispatch();
        });
  }

  private void send(StreamSet.Lane lane, Filled filled, long now) {
    ByteBuf frame = filled.frame();
    int length = frame.readableBytes() - FrameHeader.LENGTH;
    long number = lane.takeFrameNumber();
    FrameHeader header =
        filled.job() instanceof ReadJob.Block<SourceFile> block
            ? FrameHeader.block(number, block.file().id(), block.offset(), length, filled.crc())
            : FrameHeader.pack(
                number,
                ((ReadJob.Pack<SourceFile>) filled.job()).files().size(),
                length,
                filled.crc());
    header.writeAt(frame, 0);
    session.onSent(lane.stream.number(), number, filled.job());
    lane.unacknowledged++;
    paced.sendAndRelease(lane, frame, now, () -> budget.giveBack(filled.budgeted()));
  }

  private void drop(Filled filled) {
    if (filled.frame() != null) {
      filled.frame().release();
      budget.giveBack(filled.budgeted());
    }
  }

  @Override
  public DataStream.Handler attach(DataStream stream) {
    loop.post(
        () -> {
          if (closed) {
            stream.close();
            return;
          }
          if (!streams.add(stream, System.nanoTime())) {
            events.failed(
                new FdtException(
                    ErrorCode.USAGE,
                    "the sender's system does not know the congestion control that was asked for,"
                        + " or does not let us use it: see net.ipv4.tcp_allowed_congestion_control"
                        + " there"));
            return;
          }
          dispatch();
        });
    return new DataStream.Handler() {
      @Override
      public void frame(ReceivedFrame frame) throws FdtException {
        frame.release();
        throw new FdtException(ErrorCode.PROTOCOL, "a receiver does not send data");
      }

      @Override
      public void writable() {
        loop.run(SenderPipeline.this::dispatch);
      }

      @Override
      public void closed(FdtException cause) {
        loop.run(() -> lost(stream, cause));
      }
    };
  }

  private void lost(DataStream stream, FdtException cause) {
    streams.remove(stream);
    if (!closed && cause.isOwnWant()) {
      events.failed(cause); // another stream would need as much
      return;
    }
    paced.lost(stream);
    session.onStreamLost(stream.number());
    pump();
  }

  /** {@inheritDoc} Of directories and links only the receiver's last message tells that. */
  @Override
  public boolean isComplete() {
    return onlyFiles && manifestEnded && !session.openFiles().iterator().hasNext();
  }

  @Override
  public void dropStreams() {
    streams.closeAll();
  }

  @Override
  public void tick(long nowNanos) {
    checks.tick(nowNanos, outbox);
    paced.tick(nowNanos, streams.wireBytes());
    if (meter.nanosSinceLast(nowNanos) >= OBSERVE_NANOS) {
      observe(nowNanos);
    }
    dispatch(); // streams that were parked may take what is ready, and a limit may have gone
    streams.stuck(nowNanos, STUCK_NANOS).forEach(lane -> lane.stream.close());
    for (StreamSet.Lane lane : streams.silent(nowNanos, IDLE_NANOS)) {
      if (isFree(lane)) {
        keepOpen(lane, nowNanos);
      }
    }
  }

  private void observe(long nowNanos) {
    Sample sample = meter.take(nowNanos, session.bytesWritten());
    String change = tuning == null ? "" : tuning.act(sample);
    Observation seen =
        new Observation(
            sample, Bottleneck.of(sample), readers.threadsPerDisk(), streams.congestion(), change);
    if (tellsReceiver) {
      outbox.send(Control.newBuilder().setSenderState(Observations.encode(seen)));
    }
    if (isLongPath) {
      streams.limitUnsent(sample.rate());
    }
    events.observed(seen);
    if (!change.isEmpty()) {
      dispatch(); // streams that were parked may take what is ready
      pump();
    }
  }

  private static boolean isFree(StreamSet.Lane lane) {
    return !lane.isWithinFrame && lane.stream.isWritable();
  }

  private void keepOpen(StreamSet.Lane lane, long nowNanos) {
    ByteBuf frame = allocator.directBuffer(FrameHeader.LENGTH, FrameHeader.LENGTH);
    FrameHeader.idle(lane.takeFrameNumber()).write(frame);
    lane.keptOpen(nowNanos);
    lane.stream.sendAndRelease(frame, () -> {});
  }

  @Override
  public Progress progress() {
    Finished all = session.finished();
    return new Progress(
        session.bytesWritten(),
        session.bytesWanted(),
        filesDone,
        filesUnchanged,
        failures + deletion.failures(),
        filesOffered,
        all == null ? 0 : all.getDirectories(),
        all == null ? 0 : all.getLinks(),
        skipped,
        session.repeatedJobs(),
        manifestEnded,
        session.bytesKept(),
        streams.inUse(),
        streams.wireBytes(),
        checks.total(),
        filesDue,
        deletion.deleted(),
        streams.segmentsRepeated(),
        paced.bytes(),
        budget.taken());
  }

  @Override
  public CompletableFuture<Void> close() {
    if (closed) {
      return released;
    }
    closed = true;
    feed.stop();
    budget.close();
    readers.close();
    ready.forEach(this::drop);
    ready.clear();
    paced.close();
    streams.closeAll();
    shared.values().forEach(SharedReader::retire);
    shared.clear();
    List<OutgoingFile<SourceFile>> open = new ArrayList<>();
    session.openFiles().forEach(open::add);
    open.forEach(file -> file.source().release());
    Thread closer = new Thread(this::awaitReaders, name + "-close");
    closer.setDaemon(true);
    closer.start();
    return released;
  }

  /** The source goes last: readers may still be in it. Blocks: on a thread of its own. */
  private void awaitReaders() {
    try {
      readers.awaitEnd();
      source.close();
    } finally {
      released.complete(null);
    }
  }
}
