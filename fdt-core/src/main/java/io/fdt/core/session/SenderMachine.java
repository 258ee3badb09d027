package io.fdt.core.session;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.spec.TransferSettings;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.Pack;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileEnds;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.FrameAcks;
import io.fdt.core.wire.control.ManifestEnd;
import io.fdt.core.wire.control.MetadataWarning;
import io.fdt.core.wire.control.PartialFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sender's half of a session: which files the receiver wants, what to read next, and what was
 * sent but not yet written at the other end.
 *
 * <pre>
 *   found -> [offered] -> decision: wanted -> [queued] -> Read -> read -> sent -> written
 *                |                               ^                          |
 *                '-> unchanged: settled          '-- damaged, stream lost --'
 *   every block read -> FileEnd;  result of the receiver -> settled
 * </pre>
 *
 * <p>A damaged frame and a lost stream are one thing here: their jobs are read again. {@link
 * #handle} takes one event and the time, and returns what is to be done, in order. It calls nobody,
 * holds no file, no socket and no clock. Not thread-safe: confined to the event loop of the
 * session.
 *
 * @param <S> what opens a file; only kept
 */
public final class SenderMachine<S> {
  /**
   * Of one message: with texts of three bytes a character, a fifth of the longest that is allowed.
   */
  private static final int MAX_ENDS = 256;

  private static final int MAX_END_CHARS = 64 << 10;

  /** Holes of one file that are told, at the most. */
  public static final int MAX_HOLES = HoleRules.MAX_HOLES;

  /** What can be wrong with one entry that is in place: each attribute, its owner, itself. */
  private static final int MAX_WARNINGS = FileMetadata.MAX_ATTRIBUTES + 2;

  private final TransferSettings settings;
  private final DigestMethod method;
  private final int blockSize;
  private final InOrderWindow window;
  private final ReadScheduler<S> reads;
  private final InFlightFrames<S> inFlight = new InFlightFrames<>();
  private final Map<Long, OutgoingFile<S>> files = new HashMap<>();

  /**
   * Weights of entries that are no files, as far as these are more than 1, until their decision.
   */
  private final Map<Long, Integer> heavyOthers = new HashMap<>();

  private final FileEnds.Builder ends = FileEnds.newBuilder();
  private List<SenderAction<S>> actions = new ArrayList<>();
  private long lastId;
  private long decidedThrough;
  private int endChars;
  private boolean onlyFiles;
  private boolean manifestEnded;
  private Finished finished;
  private long bytesWanted;
  private long bytesKept;
  private long bytesWritten;
  private long warnings;
  private long filesOffered;
  private long filesDone;
  private long filesUnchanged;
  private long filesDue;
  private long failures;
  private long skipped;

  /**
   * @param inOrder whether blocks of the one file are kept close together, because the source or
   *     the destination cannot seek
   */
  public SenderMachine(TransferSettings settings, boolean inOrder) {
    this(settings, inOrder ? new InOrderWindow(settings.bufferBytes()) : null);
  }

  /**
   * @param window null unless blocks are kept close together
   */
  SenderMachine(TransferSettings settings, InOrderWindow window) {
    this.settings = settings;
    this.method = settings.digestMethod();
    this.blockSize = method.alignedBlock(settings.blockSize());
    this.window = window;
    this.reads = new ReadScheduler<>(blockSize, Pack.RECORD_HEADER + method.packedLength(), window);
  }

  /**
   * Cuts what is sent first into small pieces, so that all streams carry some of it and leave their
   * slow start together. Before the first event. Where digests are made of chunks, blocks stay
   * whole.
   *
   * @param bytes of the whole session, about
   */
  public void cutFirst(long bytes) {
    if (!method.isOfChunks()) {
      reads.cutFirst(bytes);
    }
  }

  /**
   * Deals with one event.
   *
   * @return what is to be done now, in this order
   * @throws FdtException PROTOCOL when no receiver that keeps the rules could have said it; the
   *     session is to end with it
   */
  public List<SenderAction<S>> handle(SenderEvent<S> event, long nowNanos) throws FdtException {
    try {
      accept(event, nowNanos);
    } catch (FdtException e) {
      actions.clear();
      throw e;
    }
    if (actions.isEmpty() && isQuiet(event)) {
      return List.of();
    }
    reads.fill(actions);
    flush();
    List<SenderAction<S>> due = actions;
    actions = new ArrayList<>();
    return due;
  }

  /** Whether an event gives readers nothing to do. */
  private static boolean isQuiet(SenderEvent<?> event) {
    return event instanceof SenderEvent.FrameSent || event instanceof SenderEvent.StreamMoved;
  }

  private void accept(SenderEvent<S> event, long nowNanos) throws FdtException {
    if (event instanceof SenderEvent.JobRead<S> read) {
      onJobRead(read);
    } else if (event instanceof SenderEvent.StreamMoved<S> moved) {
      inFlight.moved(moved.stream(), nowNanos);
    } else if (event instanceof SenderEvent.FrameSent<S> sent) {
      inFlight.sent(sent.stream(), sent.number(), sent.job(), nowNanos);
    } else if (event instanceof SenderEvent.Message<S> message) {
      onMessage(message.control(), nowNanos);
    } else if (event instanceof SenderEvent.EntriesFound<S> found) {
      onEntriesFound(found.part());
    } else if (event instanceof SenderEvent.Tick<S>) {
      inFlight.watch(nowNanos, actions);
    } else if (event instanceof SenderEvent.Surveyed<S> surveyed) {
      onSurveyed(surveyed);
    } else if (event instanceof SenderEvent.StreamOpened<S> opened) {
      inFlight.opened(opened.stream(), nowNanos);
    } else if (event instanceof SenderEvent.StreamLost<S> lost) {
      inFlight.lost(lost.stream()).forEach(reads::again);
    } else if (event instanceof SenderEvent.KeptOpen<S> kept) {
      inFlight.keptOpen(kept.stream(), nowNanos);
    } else if (event instanceof SenderEvent.JobsAllowed<S> jobs) {
      reads.setJobs(jobs.perDisk());
    } else if (event instanceof SenderEvent.RootsFound<S> found) {
      onlyFiles = found.roots().stream().noneMatch(Root::isContents);
      send(Control.newBuilder().setRoots(ManifestCoding.encodeRoots(found.roots())));
    } else if (event instanceof SenderEvent.WalkEnded<S> ended) {
      onWalkEnded(ended.failure());
    }
  }

  private void send(Control.Builder message) {
    actions.add(new SenderAction.Send<>(message));
  }

  // The manifest.

  private void onEntriesFound(ManifestPart<S> part) {
    send(Control.newBuilder().setManifestBatch(part.message(lastId + 1)));
    for (int i = 0; i < part.entries().size(); i++) {
      offer(part.entries().get(i), part.files().get(i), part.queues().get(i));
    }
    for (ManifestPart.Skipped one : part.skipped()) {
      boolean isSkipped = one.failure() == null;
      skipped += isSkipped ? 1 : 0;
      failures += isSkipped ? 0 : 1;
      actions.add(new SenderAction.Problem<>(one.path(), isSkipped, one.code(), one.message()));
    }
  }

  private void offer(Entry entry, S source, int queue) {
    if (entry.id() != lastId + 1 || manifestEnded) {
      throw new IllegalStateException("entry " + entry.id() + " after " + lastId);
    }
    lastId = entry.id();
    if (entry.kind() == EntryKind.FILE) {
      filesOffered++;
      files.put(entry.id(), new OutgoingFile<>(entry, source, queue, method));
    } else {
      onlyFiles = false;
      if (entry.metadata().weight() > 1) {
        heavyOthers.put(entry.id(), entry.metadata().weight());
      }
    }
  }

  private void onWalkEnded(FdtException failure) {
    if (failure != null) {
      actions.add(new SenderAction.Fail<>(failure));
      return;
    }
    manifestEnded = true;
    send(Control.newBuilder().setManifestEnd(ManifestEnd.newBuilder().setEntries(lastId)));
  }

  // Messages of the receiver.

  private void onMessage(Control message, long nowNanos) throws FdtException {
    switch (message.getBodyCase()) {
      case DECISIONS -> {
        DecisionRule.check(message.getDecisions(), settings);
        onDecisions(message.getDecisions());
      }
      case FRAME_ACKS -> onAcks(message.getFrameAcks(), nowNanos);
      case FILE_RESULTS -> onResults(message.getFileResults());
      case COMPARED -> {
        DecisionRule.check(message.getCompared(), settings);
        onCompared(message.getCompared());
      }
      case METADATA_WARNINGS -> {
        for (MetadataWarning one : message.getMetadataWarnings().getEntriesList()) {
          onWarning(one);
        }
      }
      case FINISHED -> onFinished(message.getFinished());
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL, "a receiver does not send " + message.getBodyCase());
    }
  }

  private void onDecisions(Decisions decisions) throws FdtException {
    int others = 0;
    Map<Long, List<Range>> kept = keptRanges(decisions.getPartialFilesList());
    for (DecisionRun run : decisions.getRunsList()) {
      long count = run.getCount();
      if (run.getFirstId() != decidedThrough + 1 || count < 1 || count > lastId - decidedThrough) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "decision on %s entries from %s on, after %d of %d"
                .formatted(
                    Long.toUnsignedString(count),
                    Long.toUnsignedString(run.getFirstId()),
                    decidedThrough,
                    lastId));
      }
      long end = run.getFirstId() + count;
      decidedThrough = end - 1;
      for (long id = run.getFirstId(); id < end; id++) {
        OutgoingFile<S> file = files.get(id);
        if (file == null) {
          Integer weight = heavyOthers.remove(id);
          others += weight == null ? 1 : weight;
        } else {
          decide(file, run.getDecision(), kept.getOrDefault(id, List.of()));
        }
      }
    }
    if (others > 0) {
      actions.add(new SenderAction.ReleaseWindow<>(others)); // no files: they have their outcome
    }
  }

  private Map<Long, List<Range>> keptRanges(List<PartialFile> partials) throws FdtException {
    Map<Long, List<Range>> kept = new HashMap<>();
    for (PartialFile partial : partials) {
      OutgoingFile<S> file = files.get(partial.getId());
      List<Range> ranges = new ArrayList<>();
      long last = 0;
      for (int i = 0; i + 1 < partial.getKeptCount(); i += 2) {
        long start = partial.getKept(i);
        long end = partial.getKept(i + 1);
        if (file == null
            || start < last
            || end <= start
            || end > file.size()
            || !method.isCutAt(start, file.size())
            || !method.isCutAt(end, file.size())) {
          throw new FdtException(
              ErrorCode.PROTOCOL,
              "range %d to %d of entry %d cannot be there".formatted(start, end, partial.getId()));
        }
        ranges.add(new Range(start, end));
        last = end;
      }
      kept.put(partial.getId(), ranges);
    }
    return kept;
  }

  /** The decisions on files that were read to be compared. */
  private void onCompared(Compared message) throws FdtException {
    for (ComparedFile compared : message.getFilesList()) {
      OutgoingFile<S> file = files.get(compared.getId());
      if (file == null
          || !file.isCompared()
          || !file.isRead()
          || compared.getDecision() == Decision.COMPARE
          || compared.getDecision() == Decision.LINKED
          || (compared.hasPartial() && compared.getPartial().getId() != file.id())) {
        throw new FdtException(
            ErrorCode.PROTOCOL, "file %d was not compared".formatted(compared.getId()));
      }
      file.endComparison();
      actions.add(new SenderAction.CloseFile<>(file));
      List<PartialFile> partial =
          compared.hasPartial() ? List.of(compared.getPartial()) : List.of();
      decide(file, compared.getDecision(), keptRanges(partial).getOrDefault(file.id(), List.of()));
    }
  }

  private void decide(OutgoingFile<S> file, Decision decision, List<Range> kept)
      throws FdtException {
    switch (decision) {
      case WANTED -> {
        file.want();
        keep(file, kept);
        if (file.size() > 0 && file.isRead()) {
          endFile(file.end());
        } else {
          reads.add(file);
        }
      }
      case LINKED -> {
        if (!file.entry().metadata().isAnotherName()) {
          throw new FdtException(
              ErrorCode.PROTOCOL, "entry " + file.id() + " is no other name of anything");
        }
      }
      case UNCHANGED -> settle(file, FileOutcome.UNCHANGED, null, "");
      case DUE -> {
        keep(file, kept);
        settle(file, FileOutcome.DUE, null, "");
      }
      case COMPARE -> {
        if (file.size() == 0) {
          throw new FdtException(ErrorCode.PROTOCOL, "an empty file cannot be compared");
        }
        file.beginComparison();
        reads.add(file);
      }
      default -> throw new FdtException(ErrorCode.PROTOCOL, "unknown decision " + decision.name());
    }
  }

  private void keep(OutgoingFile<S> file, List<Range> kept) {
    if (!kept.isEmpty()) {
      file.keep(kept);
    }
    bytesWanted += file.toSend();
    bytesKept += file.size() - file.toSend();
  }

  private void onAcks(FrameAcks acks, long nowNanos) throws FdtException {
    List<ReadJob<S>> written = new ArrayList<>();
    List<ReadJob<S>> damaged = new ArrayList<>();
    inFlight.acknowledge(acks, nowNanos, written, damaged);
    for (ReadJob<S> job : written) {
      bytesWritten += job.payload();
      if (window != null && job instanceof ReadJob.Block<S> block) {
        window.written(block.offset(), block.length());
      }
    }
    damaged.forEach(reads::again);
  }

  private void onResults(FileResults results) throws FdtException {
    onDone(results);
    for (FileFailure failure : results.getFailedList()) {
      OutgoingFile<S> file = decidedFile(failure.getId());
      if (failure.getCode() == 0) {
        throw new FdtException(
            ErrorCode.PROTOCOL, "entry " + failure.getId() + " failed for no reason");
      }
      ErrorCode code = ErrorCode.ofWireCode(failure.getCode());
      String message = MessageText.received(failure.getMessage());
      if (file == null) {
        problem(code, message); // a directory or a link
      } else {
        settle(file, FileOutcome.FAILED, code, message);
      }
    }
  }

  private void onDone(FileResults results) throws FdtException {
    int count = results.getDoneCount();
    byte[] digests = results.getDigests().toByteArray();
    int length = count == 0 ? 0 : digests.length / count;
    if (digests.length != count * length || length > DigestMethod.MAX_LENGTH) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "digests of %d files in %d bytes".formatted(count, digests.length));
    }
    for (int i = 0; i < count; i++) {
      OutgoingFile<S> file = decidedFile(results.getDone(i));
      if (file != null) {
        file.setDigestAtReceiver(Arrays.copyOfRange(digests, i * length, (i + 1) * length));
        settle(file, FileOutcome.DONE, null, "");
      }
    }
  }

  /** The file that a result is of; null when its outcome is known already, or it is no file. */
  private OutgoingFile<S> decidedFile(long id) throws FdtException {
    if (id < 1 || id > decidedThrough) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "result of entry %s, after decisions on %d"
              .formatted(Long.toUnsignedString(id), decidedThrough));
    }
    return files.get(id);
  }

  private void onWarning(MetadataWarning warning) throws FdtException {
    long id = warning.getId();
    if (id < 1 || id > decidedThrough || ++warnings > decidedThrough * MAX_WARNINGS) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "warning %d, of entry %s, after decisions on %d"
              .formatted(warnings, Long.toUnsignedString(id), decidedThrough));
    }
    problem(ErrorCode.ofWireCode(warning.getCode()), MessageText.received(warning.getMessage()));
  }

  private void problem(ErrorCode code, String message) {
    failures++;
    actions.add(new SenderAction.Problem<>("", false, code, message));
  }

  private void onFinished(Finished message) throws FdtException {
    if (!manifestEnded || !files.isEmpty()) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "the receiver finished with " + files.size() + " files open");
    }
    finished = message;
    actions.add(new SenderAction.Complete<>());
  }

  // What was read.

  private void onJobRead(SenderEvent.JobRead<S> read) {
    reads.done(read.queue());
    for (SenderEvent.ReadFailure<S> failure : read.failures()) {
      onReadFailed(failure.file(), failure.cause());
    }
    if (!read.failures().isEmpty()) {
      return;
    }
    if (read.job() instanceof ReadJob.Check<S> check) {
      onChecked(check, read.crc(), read.hashes());
    } else if (read.job() instanceof ReadJob.Block<S> block) {
      if (read.hashes().length > 0) {
        onHashed(block.file(), block.offset(), read.hashes());
      }
      onBlockRead(block, read.crc());
    }
  }

  /**
   * A block was read and found to be part of an unchanged file. Those of a stream come in order;
   * one that is shorter than a block, or empty, is its end.
   */
  private void onBlockRead(ReadJob.Block<S> block, int crc) {
    OutgoingFile<S> file = block.file();
    if (block.repeated() || file.isSettled() || (file.isStream() && file.hasEnded())) {
      return;
    }
    file.accountRead(block.offset(), block.length(), crc);
    if (file.isStream()) {
      bytesWanted += block.length();
      if (block.length() < blockSize) {
        file.endStream();
      }
    }
    endFileIfRead(file);
  }

  private void onHashed(OutgoingFile<S> file, long offset, byte[] hashes) {
    if (!file.isSettled()) {
      file.accountHashes(offset, hashes);
      endFileIfRead(file);
    }
  }

  /** A range that is not sent was read, for the digest of its file. */
  private void onChecked(ReadJob.Check<S> check, int crc, byte[] hashes) {
    OutgoingFile<S> file = check.file();
    if (file.isCompared() && !file.isSettled()) {
      file.accountRead(check.offset(), check.length(), crc);
      if (hashes.length == 0) {
        endFileIfRead(file);
      }
    }
    if (hashes.length > 0) {
      onHashed(file, check.offset(), hashes);
    }
  }

  private void onSurveyed(SenderEvent.Surveyed<S> surveyed) {
    OutgoingFile<S> file = surveyed.file();
    reads.done(surveyed.queue());
    actions.add(new SenderAction.CloseFile<>(file)); // all holes, or small: nobody reads it by this
    if (surveyed.failure() != null) {
      onReadFailed(file, surveyed.failure());
    } else if (!file.isSettled()) {
      long before = file.toSend();
      List<Range> told = file.leaveOut(surveyed.holes());
      bytesWanted -= before - file.toSend();
      if (!told.isEmpty()) {
        send(Control.newBuilder().setFileHoles(HoleRules.message(file.id(), told)));
      }
      if (file.isRead()) {
        endFile(file.end());
      } else {
        reads.add(file);
      }
    }
  }

  /** A file cannot be read, or is not what it was: the receiver shall forget it. */
  private void onReadFailed(OutgoingFile<S> file, FdtException cause) {
    if (!file.isSettled()) {
      endFile(
          FileEnd.newBuilder()
              .setId(file.id())
              .setCode(cause.code().wireCode())
              .setMessage(MessageText.fit(cause.getMessage())));
    }
  }

  private void endFileIfRead(OutgoingFile<S> file) {
    if (file.isRead()) {
      endFile(file.end());
    }
  }

  private void endFile(FileEnd.Builder end) {
    ends.addFiles(end);
    endChars += end.getMessage().length();
    if (ends.getFilesCount() >= MAX_ENDS || endChars >= MAX_END_CHARS) {
      flush();
    }
  }

  private void flush() {
    if (ends.getFilesCount() > 0) {
      send(Control.newBuilder().setFileEnds(ends.build()));
      ends.clear();
      endChars = 0;
    }
  }

  private void settle(OutgoingFile<S> file, FileOutcome outcome, ErrorCode code, String message) {
    files.remove(file.id());
    file.settle();
    if (outcome == FileOutcome.FAILED && file.isWanted()) {
      bytesWanted -= file.toSend();
    }
    switch (outcome) {
      case DONE -> filesDone++;
      case UNCHANGED -> filesUnchanged++;
      case DUE -> filesDue++;
      case FAILED -> failures++;
    }
    actions.add(new SenderAction.FileSettled<>(file, outcome, code, message));
  }

  // What others may know.

  /**
   * Whether everything is done, and this end knows it, although the other end has not said so. Of
   * directories and links only the receiver's last message tells that.
   */
  public boolean isComplete() {
    return onlyFiles && manifestEnded && files.isEmpty();
  }

  public boolean isManifestEnded() {
    return manifestEnded;
  }

  /** The receiver's account of the whole; null until it has come. */
  public Finished finished() {
    return finished;
  }

  /** Files that were offered and whose outcome is not known. */
  public Iterable<OutgoingFile<S>> openFiles() {
    return files.values();
  }

  /** Bytes that the receiver has from earlier transfers. */
  public long bytesKept() {
    return bytesKept;
  }

  /** Bytes of the files that the receiver wants. */
  public long bytesWanted() {
    return bytesWanted;
  }

  /** Bytes of files that the receiver has written, repetitions included. */
  public long bytesWritten() {
    return bytesWritten;
  }

  /** Jobs that were taken to be read again. */
  public long repeatedJobs() {
    return reads.repeatedJobs();
  }

  public long filesOffered() {
    return filesOffered;
  }

  public long filesDone() {
    return filesDone;
  }

  public long filesUnchanged() {
    return filesUnchanged;
  }

  /** Files that a dry run would send. */
  public long filesDue() {
    return filesDue;
  }

  /** Entries of any kind that failed. */
  public long failures() {
    return failures;
  }

  /** Entries that are never copied. */
  public long entriesSkipped() {
    return skipped;
  }
}
