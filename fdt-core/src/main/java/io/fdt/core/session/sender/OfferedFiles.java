package io.fdt.core.session.sender;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.digest.PieceHasher;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Range;
import io.fdt.core.session.RangePairs;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.MetadataWarning;
import io.fdt.core.wire.control.PartialFile;
import io.fdt.core.wire.control.RangeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The entries that a sender has offered, and the receiver's messages about them: decisions, second
 * decisions on compared files, results. An invalid message throws PROTOCOL.
 *
 * <p>Not thread-safe: confined to its {@link SenderMachine}.
 *
 * @param <S> the opener of a file
 */
final class OfferedFiles<S> {
  /**
   * The most warnings about one entry that is in place: one for each extended attribute, one for
   * the owner, one for other attributes.
   */
  private static final int MAX_WARNINGS = FileMetadata.MAX_ATTRIBUTES + 2;

  /**
   * The most ranges of one file that a receiver may request to be read again: 16 KiB of checksums.
   */
  public static final int MAX_CHECKED = 4096;

  /** The most pieces into which a receiver may cut one file. */
  private static final int MAX_PIECES = 1 << 17;

  private final DigestMethod method;
  private final boolean skipsChanged;
  private final ReadScheduler<S> reads;
  private final Consumer<OutgoingFile<S>> whenRead;
  private final Consumer<SenderAction<S>> actions;
  private final HashWindow hashWindow = new HashWindow();
  private final Map<Long, OutgoingFile<S>> files = new HashMap<>();

  /** Weights above 1 of entries other than files, until their decision. */
  private final Map<Long, Integer> heavyOthers = new HashMap<>();

  private long lastId;
  private long decidedThrough;
  private long comparing;
  private boolean onlyFiles = true;
  private Finished finished;
  private long bytesWanted;
  private long bytesKept;
  private long bytesMatched;
  private long bytesWritten;
  private long warnings;
  private long offered;
  private long done;
  private long unchanged;
  private long due;
  private long failures;
  private long failedBytes;
  private long skipped;

  /**
   * @param skipsChanged whether files that change while they are read are skipped
   * @param whenRead takes files that were read completely before they were wanted
   * @param actions takes the actions, in order
   */
  OfferedFiles(
      DigestMethod method,
      boolean skipsChanged,
      ReadScheduler<S> reads,
      Consumer<OutgoingFile<S>> whenRead,
      Consumer<SenderAction<S>> actions) {
    this.method = method;
    this.skipsChanged = skipsChanged;
    this.reads = reads;
    this.whenRead = whenRead;
    this.actions = actions;
  }

  void offer(Entry entry, S source, int queue) {
    if (entry.id() != lastId + 1) {
      throw new IllegalStateException("entry " + entry.id() + " after " + lastId);
    }
    lastId = entry.id();
    if (entry.kind() == EntryKind.FILE) {
      offered++;
      files.put(entry.id(), new OutgoingFile<>(entry, source, queue, method, hashWindow));
    } else {
      onlyFiles = false;
      if (entry.metadata().weight() > 1) {
        heavyOthers.put(entry.id(), entry.metadata().weight());
      }
    }
  }

  void onDecisions(Decisions decisions) throws FdtException {
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
      actions.accept(new SenderAction.ReleaseWindow<>(others)); // no files: they have their outcome
    }
  }

  private Map<Long, List<Range>> keptRanges(List<PartialFile> partials) throws FdtException {
    Map<Long, List<Range>> kept = new HashMap<>();
    for (PartialFile partial : partials) {
      OutgoingFile<S> file = files.get(partial.getId());
      long size = file == null ? 0 : file.size();
      kept.put(partial.getId(), RangePairs.read(partial.getKeptList(), partial.getId(), size));
    }
    return kept;
  }

  private static FdtException badRange(long id, long start, long end) {
    return new FdtException(
        ErrorCode.PROTOCOL, "invalid range %d to %d of entry %d".formatted(start, end, id));
  }

  /** Handles the decisions on compared files. */
  void onCompared(Compared message) throws FdtException {
    for (ComparedFile compared : message.getFilesList()) {
      OutgoingFile<S> file = files.get(compared.getId());
      if (file == null
          || !file.isCompared()
          || !file.isRead()
          || compared.getDecision() == Decision.COMPARE
          || compared.getDecision() == Decision.LINKED
          || (compared.getDecision() == Decision.CHECK
              && file.state() == OutgoingFile.State.CHECKING)
          || (compared.hasPartial() && compared.getPartial().getId() != file.id())) {
        throw new FdtException(
            ErrorCode.PROTOCOL, "file %d was not compared".formatted(compared.getId()));
      }
      file.endComparison();
      comparing--;
      actions.accept(new SenderAction.CloseFile<>(file));
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
        if (file.state() == OutgoingFile.State.WANTED) {
          file.hashEarly();
        }
        if (file.size() > 0 && file.isRead()) {
          whenRead.accept(file);
        } else {
          reads.add(file);
        }
      }
      case LINKED -> {
        if (!file.entry().metadata().isAnotherName()) {
          throw new FdtException(ErrorCode.PROTOCOL, "entry " + file.id() + " is not a hard link");
        }
      }
      case UNCHANGED -> settle(file, FileOutcome.UNCHANGED, null, "");
      case NEWER -> settle(file, FileOutcome.NEWER, null, "");
      case DUE, REPLACEMENT_DUE -> {
        keep(file, kept);
        boolean replaces = decision == Decision.REPLACEMENT_DUE;
        settle(file, replaces ? FileOutcome.REPLACEMENT_DUE : FileOutcome.DUE, null, "");
      }
      case COMPARE -> {
        if (file.size() == 0) {
          throw new FdtException(ErrorCode.PROTOCOL, "an empty file cannot be compared");
        }
        file.moveTo(OutgoingFile.State.COMPARING);
        comparing++;
        reads.add(file);
      }
      case CHECK -> {
        if (kept.isEmpty() || kept.size() > MAX_CHECKED) {
          throw new FdtException(
              ErrorCode.PROTOCOL,
              "%d ranges to check of entry %d; 1 to %d are allowed"
                  .formatted(kept.size(), file.id(), MAX_CHECKED));
        }
        file.beginChecking(kept);
        comparing++;
        reads.add(file);
      }
      default -> throw new FdtException(ErrorCode.PROTOCOL, "unknown decision " + decision.name());
    }
  }

  private void keep(OutgoingFile<S> file, List<Range> kept) throws FdtException {
    for (Range range : kept) {
      if (!isCut(file, range)) {
        throw badRange(file.id(), range.start(), range.end());
      }
    }
    if (!kept.isEmpty()) {
      file.keep(kept);
    }
    bytesWanted += file.toSend();
    bytesKept += file.resumedBytes();
  }

  /** Handles the receiver's message about ranges of a file of which it has another version. */
  void onRangeRequest(RangeRequest request) throws FdtException {
    long id = request.getId();
    OutgoingFile<S> file = files.get(id);
    if (id < 1 || id > lastId || (file != null && file.isStream())) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "ranges of entry " + Long.toUnsignedString(id) + ", which has none");
    }
    if (file == null) {
      return; // its outcome is known
    }
    for (Range range : RangePairs.read(request.getKeptList(), id, file.size())) {
      if (!file.isWanted() || !isCut(file, range) || !file.keepHashed(range)) {
        throw badRange(id, range.start(), range.end());
      }
      bytesWanted -= range.length();
      bytesMatched += range.length();
    }
    for (Range range : RangePairs.read(request.getWantedList(), id, file.size())) {
      if (!isCut(file, range)) {
        throw badRange(id, range.start(), range.end());
      }
      file.sendHashed(range);
    }
    List<HashedRanges.Part> hashed = new ArrayList<>();
    for (Range range : RangePairs.read(request.getHashList(), id, file.size())) {
      if (!PieceHasher.isPiece(request.getPiece())) {
        throw badRange(id, range.start(), range.end());
      }
      hashed.add(new HashedRanges.Part(range, request.getPiece(), request.getStrong()));
    }
    file.hash(hashed);
    boolean isEarly = !file.isWanted() && hashed.size() > MAX_CHECKED;
    if (isEarly || file.pieces() > MAX_PIECES) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "file %d in %d pieces; at most %d are allowed".formatted(id, file.pieces(), MAX_PIECES));
    }
    if (file.isHashedTooOften()) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "file %d is to be hashed again and again".formatted(id));
    }
    if (request.getKeptCount() > 0 && file.isRead()) {
      whenRead.accept(file);
    } else if (file.state() == OutgoingFile.State.WANTED) {
      reads.more(file);
    }
  }

  private boolean isCut(OutgoingFile<S> file, Range range) {
    return method.isCutAt(range.start(), file.size()) && method.isCutAt(range.end(), file.size());
  }

  void onResults(FileResults results) throws FdtException {
    onDone(results);
    for (FileFailure failure : results.getFailedList()) {
      OutgoingFile<S> file = decidedFile(failure.getId());
      if (failure.getCode() == 0) {
        throw new FdtException(
            ErrorCode.PROTOCOL, "entry " + failure.getId() + " failed without an error code");
      }
      ErrorCode code = ErrorCode.ofWireCode(failure.getCode());
      String message = MessageText.received(failure.getMessage());
      if (file == null) {
        problem(code, message); // a directory or a link
      } else {
        boolean isSkipped = skipsChanged && file.readFailure() == ErrorCode.SOURCE_CHANGED;
        failedBytes += isSkipped ? 0 : unsignedMin(failure.getMissing(), file.size());
        settle(file, isSkipped ? FileOutcome.SKIPPED : FileOutcome.FAILED, code, message);
      }
    }
  }

  private static long unsignedMin(long claimed, long most) {
    return Long.compareUnsigned(claimed, most) < 0 ? claimed : most;
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

  /** The file of a result; null when its outcome is known already, or for other entries. */
  private OutgoingFile<S> decidedFile(long id) throws FdtException {
    if (id < 1 || id > decidedThrough) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "result of entry %s, after decisions on %d"
              .formatted(Long.toUnsignedString(id), decidedThrough));
    }
    return files.get(id);
  }

  void onWarning(MetadataWarning warning) throws FdtException {
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
    actions.accept(new SenderAction.Problem<>("", false, code, message));
  }

  void onFinished(Finished message) throws FdtException {
    if (!files.isEmpty()) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "the receiver finished with " + files.size() + " files open");
    }
    finished = message;
  }

  private void settle(OutgoingFile<S> file, FileOutcome outcome, ErrorCode code, String message) {
    files.remove(file.id());
    if (outcome == FileOutcome.DONE) {
      bytesWritten += file.wroteAll();
    }
    comparing -= file.isCompared() ? 1 : 0;
    switch (outcome) {
      case DONE -> done++;
      case UNCHANGED, NEWER -> unchanged++;
      case DUE, REPLACEMENT_DUE -> due++;
      case FAILED -> failures++;
      case SKIPPED -> skipped++;
    }
    boolean isMissing = outcome == FileOutcome.FAILED || outcome == FileOutcome.SKIPPED;
    if (isMissing && file.isWanted()) {
      bytesWanted -= file.toSend();
      bytesKept -= code.isWorthContinuing() ? 0 : file.resumedBytes();
    }
    file.moveTo(OutgoingFile.State.SETTLED);
    actions.accept(new SenderAction.FileSettled<>(file, outcome, code, message));
  }

  /** The id of the last offered entry. */
  long lastId() {
    return lastId;
  }

  /** Counts an entry that could not be read. */
  void addFailure() {
    failures++;
  }

  /** Adds to the bytes to be sent; negative to subtract. */
  void want(long bytes) {
    bytesWanted += bytes;
  }

  /** Records that the receiver has written the bytes of a job. */
  void wrote(ReadJob<S> job) {
    if (job instanceof ReadJob.Block<S> block) {
      bytesWritten += block.file().wrote(block.length());
    } else if (job instanceof ReadJob.Pack<S> pack) {
      for (OutgoingFile<S> file : pack.files()) {
        bytesWritten += file.wrote(file.size());
      }
    }
  }

  /** Whether the receiver has decided about every entry so far. */
  boolean areAllDecided() {
    return decidedThrough == lastId && comparing == 0;
  }

  /** Whether only files were offered. */
  boolean areOnlyFiles() {
    return onlyFiles;
  }

  /** Files without an outcome. */
  Iterable<OutgoingFile<S>> open() {
    return files.values();
  }

  boolean areAllSettled() {
    return files.isEmpty();
  }

  /** The receiver's final summary; null until received. */
  Finished finished() {
    return finished;
  }

  long bytesWanted() {
    return bytesWanted;
  }

  long bytesWritten() {
    return bytesWritten;
  }

  long bytesKept() {
    return bytesKept;
  }

  /** Bytes that the receiver had in other versions of the files. */
  long bytesMatched() {
    return bytesMatched;
  }

  long offered() {
    return offered;
  }

  long done() {
    return done;
  }

  long unchanged() {
    return unchanged;
  }

  /** Files that a dry run would send. */
  long due() {
    return due;
  }

  /** Files skipped because they changed. */
  long skipped() {
    return skipped;
  }

  /** Entries of any kind that failed. */
  long failures() {
    return failures;
  }

  /** Bytes that failed files lack. */
  long failedBytes() {
    return failedBytes;
  }
}
