package io.fdt.core.receive;

import io.fdt.core.engine.CheckMeter;
import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.DiskScheduler;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.Observations;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.engine.TransferSettings;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.session.IncomingFile;
import io.fdt.core.session.Outbox;
import io.fdt.core.session.ReceiverSession;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.transport.DataStream;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.SkippedEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The way of a byte from the network to a disk.
 *
 * <pre>
 *   manifest ---> ReceiverSession ---> EntryPlacer (one thread): directories, links, is it there already?
 *   stream ---> frame ---> ReceiverSession: wanted? ---> writer thread of its disk ---> written ---> acknowledgement
 *   all written and verified ---> writer thread: final name ---> result
 * </pre>
 *
 * What waits for writers is the brake: beyond the budget no stream is read until the disks have
 * caught up. A frame that is only half here does not count, so that the writers' queue always
 * empties.
 *
 * <p>Confined to the session's event loop, apart from writer threads and the placement, which only
 * post to it.
 */
public final class ReceiverPipeline implements DataPath {
  /** Acknowledgements and results may wait this long for others to share their message. */
  private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final SessionLoop loop;
  private final TransferEvents events;
  private final ReceiverSession<ReceivedFileWriter> session;
  private final DestinationTree destination;
  private final FirstNames firstNames = new FirstNames(FileMetadata.MAX_FIRST_NAMES);
  private final HardLinks hardLinks;
  private final Preservation preservation;
  private final StreamedFileRule streamedFile;
  private final EntryPlacer placement;
  private final ThreadPoolExecutor placer;
  private final DiskScheduler writers;
  private final StreamSet streams = new StreamSet();
  private final Backpressure brake;
  private final RateEnforcer hold;
  private final CheckMeter checks = new CheckMeter();
  private final ReceivedDigests digests;
  private final FilePublisher finisher;
  private final FileComparer comparer;
  private final DeletionRun deletion;
  private final PackWriter packs;
  private final Outbox outbox;
  private final ReceiverStates states;
  private final CompletableFuture<Void> released = new CompletableFuture<>();

  private boolean hearsSender;
  private boolean rootsKnown;
  private boolean flushScheduled;
  private boolean finishing;

  /** The path of what could not be placed, while that is dealt with; otherwise empty. */
  private String failing = "";

  private boolean closed;
  private long skippedEntries;
  private long skipped;
  private long blocksRepeated;

  /**
   * @param name the session's name in thread names
   * @param destination where everything goes; closed when the path is
   */
  public ReceiverPipeline(
      String name,
      SessionLoop loop,
      TransferSettings settings,
      DestinationTree destination,
      Outbox outbox,
      TransferEvents events) {
    this.loop = loop;
    this.outbox = outbox;
    this.destination = destination;
    this.events = events;
    this.session = new ReceiverSession<>(settings.digestMethod(), outbox, new Actions());
    this.placement =
        new EntryPlacer(
            destination,
            settings.assurance().fsync(),
            settings.sync(),
            settings.dryRun(),
            firstNames);
    this.preservation = settings.preservation();
    this.streamedFile = new StreamedFileRule(settings, destination.takesStreams());
    session.takeStream(settings.bufferBytes());
    this.placer = singleThread(name + "-place");
    this.writers = new DiskScheduler(name + "-write", settings.threadsPerDisk());
    this.brake = new Backpressure(streams, settings.bufferBytes());
    this.states = new ReceiverStates(brake, writers, System.nanoTime());
    this.hold = new RateEnforcer(brake);
    this.digests = new ReceivedDigests(settings.digestMethod(), checks);
    this.finisher = new FilePublisher(name, loop, settings, digests, checks, brake, writers);
    this.comparer =
        new FileComparer(
            name, loop, settings, session, placement, digests, checks, o -> placed(List.of(o)));
    this.deletion = new DeletionRun(name, loop, settings, outbox, events, checks);
    this.packs = new PackWriter(session, digests, finisher, events);
    this.hardLinks = new HardLinks(firstNames, session, loop, writers, finisher, this::finished);
  }

  private static ThreadPoolExecutor singleThread(String name) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, name);
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  @Override
  public void limit(RateSource own, long told) {
    hold.limit(own, told);
  }

  /** The sender was asked to tell what it sees. Before {@link #start}. */
  public void hearSender() {
    hearsSender = true;
  }

  @Override
  public void start() {
    hold.start(System.nanoTime(), outbox); // otherwise the sender begins
  }

  @Override
  public void onControl(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case ROOTS -> openDestination(ManifestCoding.decodeRoots(message.getRoots()));
      case MANIFEST_BATCH -> manifest(message.getManifestBatch());
      case MANIFEST_END -> session.onManifestEnd(message.getManifestEnd());
      case FILE_ENDS -> {
        for (FileEnd end : message.getFileEnds().getFilesList()) {
          session.onFileEnd(end);
        }
      }
      case DELETION_ROOTS -> deletion.onRoots(message.getDeletionRoots());
      case DELETION_ANSWER -> deletion.onAnswer(message.getDeletionAnswer());
      case FILE_HOLES -> session.onHoles(message.getFileHoles(), this::makeHoles);
      case CHECKED -> checks.onPeer(message.getChecked());
      case SENDER_STATE -> {
        if (!hearsSender) {
          throw new FdtException(ErrorCode.PROTOCOL, "the sender's state, which nobody asked for");
        }
        events.observed(Observations.decode(message.getSenderState()));
      }
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL, "a sender does not send " + message.getBodyCase());
    }
    afterEvent();
  }

  private void openDestination(List<Root> roots) throws FdtException {
    if (rootsKnown) {
      throw new FdtException(ErrorCode.PROTOCOL, "the roots came twice");
    }
    rootsKnown = true;
    streamedFile.check(roots);
    placer.execute(
        () -> {
          FdtException failure = DiskWork.attempt(() -> placement.open(roots));
          if (failure != null) {
            loop.post(() -> events.failed(failure));
          }
        });
  }

  private void manifest(ManifestBatch batch) throws FdtException {
    List<Entry> entries = BatchCoding.decode(batch);
    MetadataRule.check(entries, preservation);
    streamedFile.checkEntries(entries);
    session.onManifest(entries);
    for (long id : batch.getEndedDirectoriesList()) {
      session.onDirectoryEnd(id);
    }
    for (SkippedEntry skippedEntry : batch.getSkippedEntriesList()) {
      report(skippedEntry);
    }
    if (!entries.isEmpty()) {
      List<EntryPlacer.Outcome> outcomes = new ArrayList<>(entries.size());
      placer.execute(
          () -> {
            FdtException defect =
                DiskWork.attempt(
                    () -> {
                      entries.forEach(deletion::placed);
                      placement.place(entries, outcomes);
                    });
            loop.post(
                () -> {
                  if (defect == null) {
                    placed(outcomes);
                  } else {
                    events.failed(defect);
                  }
                });
          });
    }
  }

  private void report(SkippedEntry skippedEntry) {
    if (skippedEntry.getSkipped()) {
      skipped++;
    } else {
      skippedEntries++;
    }
    events.problem(
        MessageText.receivedPath(skippedEntry.getPath()),
        skippedEntry.getSkipped(),
        ErrorCode.ofWireCode(skippedEntry.getCode()),
        MessageText.received(skippedEntry.getMessage()));
  }

  private void placed(List<EntryPlacer.Outcome> outcomes) {
    if (closed) {
      return;
    }
    for (EntryPlacer.Outcome outcome : outcomes) {
      Entry entry = outcome.entry();
      if (outcome instanceof EntryPlacer.Outcome.Wanted wanted) {
        IncomingFile<ReceivedFileWriter> file = session.file(entry.id());
        file.setHandle(wanted.handle());
        List<Range> again = session.onWanted(file, wanted.partial().kept());
        finisher.hash(session, file, again, this::hashed);
        if (!wanted.partial().note().isEmpty()) {
          events.notice(wanted.partial().note());
        }
      } else if (outcome instanceof EntryPlacer.Outcome.Compare compare) {
        comparer.begin(compare);
      } else if (outcome instanceof EntryPlacer.Outcome.AnotherName other) {
        IncomingFile<ReceivedFileWriter> file = session.file(entry.id());
        file.setHandle(other.handle());
        hardLinks.add(file, other.first());
      } else if (outcome instanceof EntryPlacer.Outcome.Incomplete missing) {
        ErrorCode code = missing.cause().code();
        session.onMetadataWarning(entry.id(), code, missing.cause().getMessage());
        events.problem(outcome.path(), false, code, missing.cause().getMessage());
      } else if (outcome instanceof EntryPlacer.Outcome.Unchanged) {
        session.onUnchanged(session.file(entry.id()));
        events.fileUnchanged(outcome::path, entry.size());
      } else if (outcome instanceof EntryPlacer.Outcome.Due due) {
        long toMove = session.onDue(session.file(entry.id()), due.partial().kept());
        events.fileDue(outcome::path, entry.size(), toMove);
      } else if (outcome instanceof EntryPlacer.Outcome.Failed failed) {
        failing = outcome.path();
        session.onPrepareFailed(entry, failed.cause().code(), failed.cause().getMessage());
        failing = "";
      } else {
        session.onPrepared(entry);
      }
    }
    session.flush();
    afterEvent();
  }

  private void frame(DataStream stream, ReceivedFrame frame) {
    if (closed) {
      frame.release();
      return;
    }
    if (hold.isLimited()) {
      hold.check(System.nanoTime(), streams.wireBytes());
    }
    FrameHeader header = frame.header();
    if (!frame.isIntact()) {
      blocksRepeated++;
      session.reject(stream.number(), header.number());
      frame.release();
      flushSoon();
      return;
    }
    try {
      if (header.type() == FrameHeader.Type.BLOCK) {
        block(stream.number(), frame);
      } else {
        pack(stream.number(), frame);
      }
    } catch (FdtException e) {
      events.failed(e);
    }
  }

  /** Takes over the frame. */
  private void block(int stream, ReceivedFrame frame) throws FdtException {
    FrameHeader header = frame.header();
    IncomingFile<ReceivedFileWriter> file;
    try {
      file = session.onBlock(header.fileId(), header.offset(), header.length());
    } catch (FdtException e) {
      frame.release();
      throw e;
    }
    if (file == null) {
      session.acknowledge(stream, header.number());
      frame.release();
      flushSoon();
      return;
    }
    ReceivedFileWriter handle = file.handle();
    handle.writes++;
    brake.add(header.length());
    writers.submit(
        handle.disk(),
        () -> {
          byte[][] hashes = new byte[1][];
          FdtException failure =
              DiskWork.attempt(
                  () -> {
                    hashes[0] = digests.ofBlock(frame.payload(), header.offset(), handle.size());
                    handle.writeBlock(frame.payload(), header.offset(), header.payloadCrc());
                  });
          frame.release();
          loop.post(() -> written(stream, header, file, hashes[0], failure));
        });
  }

  private void written(
      int stream,
      FrameHeader header,
      IncomingFile<ReceivedFileWriter> file,
      byte[] hashes,
      FdtException failure) {
    brake.remove(header.length());
    file.handle().writes--;
    session.acknowledge(stream, header.number());
    if (failure == null) {
      if (hashes.length > 0) {
        session.onHashed(file, header.offset(), hashes);
      }
      session.onWritten(file, header.offset(), header.length(), header.payloadCrc());
    } else {
      session.fail(file, failure.code(), failure.getMessage());
    }
    closeIfGivenUp(file);
    afterEvent();
  }

  private void makeHoles(IncomingFile<ReceivedFileWriter> file, List<Range> holes) {
    ReceivedFileWriter handle = file.handle();
    handle.writes++;
    writers.submit(
        handle.disk(),
        () -> {
          FdtException failure = DiskWork.attempt(() -> handle.makeHoles(holes));
          loop.post(
              () -> {
                handle.writes--;
                if (failure == null) {
                  finisher.hash(session, file, session.onHolesMade(file, holes), this::hashed);
                }
                hashed(file, failure);
              });
        });
  }

  /** All that was kept of a file has been read again, or could not be. */
  private void hashed(IncomingFile<ReceivedFileWriter> file, FdtException failure) {
    if (failure != null) {
      session.fail(file, failure.code(), failure.getMessage());
    }
    closeIfGivenUp(file);
    afterEvent();
  }

  /** Takes over the frame. */
  private void pack(int stream, ReceivedFrame frame) throws FdtException {
    FrameHeader header = frame.header();
    Map<DiskId, List<PackWriter.Piece>> byDisk;
    try {
      byDisk = packs.split(frame);
    } catch (FdtException e) {
      frame.release();
      throw e;
    }
    if (byDisk.isEmpty()) {
      session.acknowledge(stream, header.number());
      frame.release();
      flushSoon();
      return;
    }
    brake.add(header.length());
    int[] disksLeft = {byDisk.size()};
    for (Map.Entry<DiskId, List<PackWriter.Piece>> part : byDisk.entrySet()) {
      writers.submit(
          part.getKey(),
          () -> {
            FdtException defect = DiskWork.attempt(() -> packs.write(part.getValue()));
            loop.post(
                () -> {
                  if (defect == null) {
                    packs.stored(part.getValue());
                  } else {
                    events.failed(defect);
                  }
                  if (--disksLeft[0] == 0) {
                    frame.release();
                    brake.remove(header.length());
                    if (!closed) {
                      session.acknowledge(stream, header.number());
                    }
                  }
                  afterEvent();
                });
          });
    }
  }

  /** What the session asks for. */
  private final class Actions implements ReceiverSession.Actions<ReceivedFileWriter> {
    @Override
    public void store(IncomingFile<ReceivedFileWriter> file) {
      finisher.submit(file, ReceiverPipeline.this::finished);
    }

    @Override
    public void settled(IncomingFile<ReceivedFileWriter> file, ErrorCode failure, String message) {
      hardLinks.settled(file, failure != null);
      if (failure != null) {
        String path = file.handle() == null ? failing : file.handle().path();
        events.problem(path, false, failure, message);
        if (file.handle() != null) {
          file.handle().useless = !isWorthContinuing(failure);
        }
        closeIfGivenUp(file);
      }
    }

    @Override
    public void compared(IncomingFile<ReceivedFileWriter> file, boolean areSame) {
      comparer.end(file, areSame);
    }

    @Override
    public void givenUp(IncomingFile<ReceivedFileWriter> file, ErrorCode failure, String message) {
      comparer.giveUp(file, new FdtException(failure, message));
    }

    @Override
    public boolean isHeld(IncomingFile<ReceivedFileWriter> file) {
      return file.handle() != null;
    }

    @Override
    public void finishDirectory(Entry directory) {
      placer.execute(
          () -> {
            FdtException failure =
                DiskWork.attempt(
                    () -> {
                      deletion.ended(directory);
                      placement.finish(directory);
                    });
            loop.post(
                () -> {
                  session.onDirectoryFinished(
                      directory,
                      failure == null ? null : failure.code(),
                      failure == null ? "" : failure.getMessage());
                  afterEvent();
                });
          });
    }

    @Override
    public void failed(Entry entry, ErrorCode failure, String message) {
      events.problem(failing, false, failure, message);
    }
  }

  /** A file has its final name, or could not get it. */
  private void finished(IncomingFile<ReceivedFileWriter> file, FdtException failure) {
    if (failure == null) {
      session.onStored(file);
      packs.tellMetadataWarnings(file);
      events.fileDone(file.handle()::path, file.size(), file.digest());
    } else {
      session.fail(file, failure.code(), failure.getMessage());
    }
    afterEvent();
  }

  /** Whether what was written of a file that failed for this reason can be continued later. */
  private static boolean isWorthContinuing(ErrorCode failure) {
    return switch (failure) {
      case STORAGE_FULL, IO, READ_ONLY, RESOURCES, PERMISSION, CANCELLED -> true;
      default -> false;
    };
  }

  /** Gives back a file that failed, once nobody writes to it any more. */
  private void closeIfGivenUp(IncomingFile<ReceivedFileWriter> file) {
    ReceivedFileWriter handle = file.handle();
    if (!file.isSettled() || handle == null || handle.writes > 0 || handle.givenUp) {
      return;
    }
    handle.givenUp = true;
    writers.submit(
        handle.disk(),
        () -> {
          FdtException defect =
              DiskWork.attempt(
                  () -> {
                    if (handle.useless) {
                      handle.discard();
                    } else {
                      handle.close();
                    }
                  });
          loop.post(
              () -> {
                if (defect != null) {
                  events.failed(defect);
                }
                session.onReleased(file);
                afterEvent();
              });
        });
  }

  private void afterEvent() {
    if (closed) {
      return;
    }
    if (session.isFinished() && !finishing) {
      finishing = true;
      placer.execute(
          () -> {
            FdtException failure = DiskWork.attempt(placement::finishRoot);
            loop.post(() -> transferred(failure));
          });
    }
    flushSoon();
  }

  /** Everything is in its place; what the source lacks goes now. */
  private void transferred(FdtException failure) {
    if (closed || failure != null || !deletion.isWanted()) {
      finish(failure);
      return;
    }
    session.flush();
    deletion.start(destination, session.failures() + skippedEntries, () -> finish(null));
  }

  private void finish(FdtException failure) {
    if (closed) {
      return;
    }
    if (failure != null) {
      events.failed(failure);
      return;
    }
    session.sendFinished();
    events.finished();
  }

  private void flushSoon() {
    if (flushScheduled) {
      return;
    }
    flushScheduled = true;
    loop.after(
        FLUSH_NANOS,
        () -> {
          flushScheduled = false;
          if (!closed) {
            session.flush();
          }
        });
  }

  @Override
  public DataStream.Handler attach(DataStream stream) {
    loop.post(
        () -> {
          if (closed) {
            stream.close();
            return;
          }
          streams.add(stream, System.nanoTime());
          if (brake.isPulled()) {
            stream.setReading(false);
          }
        });
    return new DataStream.Handler() {
      @Override
      public void frame(ReceivedFrame frame) {
        loop.run(() -> ReceiverPipeline.this.frame(stream, frame));
      }

      @Override
      public void writable() {
        // Nothing is sent to a sender but control messages.
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
    }
  }

  @Override
  public boolean isComplete() {
    return false; // it would have said so, and ended
  }

  @Override
  public void dropStreams() {
    streams.closeAll();
  }

  @Override
  public void tick(long nowNanos) {
    hold.tick(nowNanos, streams.wireBytes(), outbox);
    checks.tick(nowNanos, outbox); // the sender sees which of its frames are not acknowledged
    states.tick(nowNanos, outbox);
  }

  @Override
  public Progress progress() {
    return new Progress(
        session.bytesWritten(),
        session.bytesWanted(),
        session.filesDone(),
        session.filesUnchanged(),
        session.failures() + skippedEntries + deletion.failures(),
        session.filesSeen(),
        session.directoriesDone(),
        session.linksDone(),
        skipped,
        blocksRepeated,
        session.isManifestEnded(),
        session.bytesKept(),
        streams.size(),
        streams.wireBytes(),
        checks.total(),
        session.filesDue(),
        deletion.deleted(),
        streams.segmentsRepeated(),
        streams.payloadBytes(),
        brake.waitingBytes());
  }

  @Override
  public CompletableFuture<Void> close() {
    if (closed) {
      return released;
    }
    closed = true;
    streams.closeAll();
    Map<DiskId, List<ReceivedFileWriter>> byDisk = new LinkedHashMap<>();
    for (IncomingFile<ReceivedFileWriter> file : session.openFiles()) {
      ReceivedFileWriter handle = file.handle();
      if (handle != null) {
        byDisk.computeIfAbsent(handle.disk(), d -> new ArrayList<>()).add(handle);
      }
    }
    byDisk.forEach(
        (disk, list) -> writers.submit(disk, () -> list.forEach(ReceivedFileWriter::close)));
    writers.close();
    finisher.close();
    comparer.close();
    deletion.close();
    // The placement goes last: writers may still be in its directories.
    placer.execute(
        () -> {
          try {
            writers.awaitEnd();
            finisher.awaitEnd();
            comparer.awaitEnd();
            deletion.awaitEnd();
            placement.close();
          } finally {
            released.complete(null);
          }
        });
    placer.shutdown();
    return released;
  }
}
