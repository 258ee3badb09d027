package io.fdt.core.session.receiver;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Range;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.FileEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The path of each entry at a receiver: its place and the decision on it, its comparison, its final
 * name or its failure, and the directories that end with it.
 *
 * <p>Not thread-safe: confined to its {@link ReceiverMachine}.
 *
 * @param <F> the writer of a file
 */
final class EntryOutcomes<F> {
  private static final Supplier<String> NO_PATH = () -> "";

  private final DigestMethod method;
  private final ReceivedFiles<F> files;
  private final BaseMatcher<F> bases;
  private final ResultBatcher results;
  private final Consumer<ReceiverAction<F>> actions;
  private final DirectoryTracker directories = new DirectoryTracker();
  private final List<Entry> finishable = new ArrayList<>();
  private long comparing;
  private long filesDone;
  private long filesUnchanged;
  private long filesDue;
  private long filesReplaced;
  private long attributesChanged;
  private long failures;
  private long failedBytes;

  /** Warnings among them: entries that are in place without all attributes. */
  private long incomplete;

  private long skipped;
  private long directoriesDone;
  private long linksDone;
  private long linksReplaced;

  /**
   * @param actions takes the actions, in order
   */
  EntryOutcomes(
      DigestMethod method,
      ReceivedFiles<F> files,
      BaseMatcher<F> bases,
      ResultBatcher results,
      Consumer<ReceiverAction<F>> actions) {
    this.method = method;
    this.files = files;
    this.bases = bases;
    this.results = results;
    this.actions = actions;
  }

  /** The unfinished directories. */
  DirectoryTracker directories() {
    return directories;
  }

  // Places.

  void onPlaced(PlacedEntry<F> placed) {
    Entry entry = placed.entry();
    if (placed instanceof PlacedEntry.Wanted<F> wanted) {
      IncomingFile<F> file = open(placed);
      file.setWriter(wanted.writer());
      want(file, wanted);
    } else if (placed instanceof PlacedEntry.Compare<F> compare) {
      IncomingFile<F> file = open(placed);
      results.decide(file.id(), Decision.COMPARE, List.of());
      file.beginComparison(compare);
      comparing++;
      actions.accept(new ReceiverAction.ReadDigest<>(file, compare));
    } else if (placed instanceof PlacedEntry.Check<F> check) {
      check(open(placed), check);
    } else if (placed instanceof PlacedEntry.AnotherName<F> other) {
      IncomingFile<F> file = open(placed);
      file.setWriter(other.writer());
      results.decide(file.id(), Decision.LINKED, List.of());
      files.link(file);
      actions.accept(new ReceiverAction.MakeLink<>(file));
    } else if (placed instanceof PlacedEntry.Incomplete<F> missing) {
      warn(entry.id(), missing.path(), missing.cause());
    } else if (placed instanceof PlacedEntry.Unchanged<F> unchanged) {
      onUnchanged(open(placed), unchanged.isNewer());
    } else if (placed instanceof PlacedEntry.Differs<F>) {
      onDiffers();
    } else if (placed instanceof PlacedEntry.Replaces<F>) {
      onReplaces(entry);
    } else if (placed instanceof PlacedEntry.Due<F> due) {
      onDue(open(placed), due.kept());
    } else if (placed instanceof PlacedEntry.Failed<F> failed) {
      onPlaceFailed(placed, failed.cause());
    } else {
      onMade(entry, ((PlacedEntry.Made<F>) placed).counts());
    }
  }

  private IncomingFile<F> open(PlacedEntry<F> placed) {
    IncomingFile<F> file = files.file(placed.entry().id());
    file.setPath(placed.path());
    return file;
  }

  private void check(IncomingFile<F> file, PlacedEntry.Check<F> check) {
    List<Range> doubtful =
        check.doubtful().stream().map(range -> new Range(range.start(), range.end())).toList();
    decide(file, Decision.CHECK, doubtful, file.state());
    comparing += file.state().isCompared() ? 0 : 1;
    file.beginChecking(check);
  }

  /** Handles the checksums of a partial file, which the sender has read again. */
  void onChecked(IncomingFile<F> file, FileEnd said) throws FdtException {
    List<CheckedRange> doubtful = file.check().doubtful();
    if (said.getKeptCrc32CCount() != doubtful.size()) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "%d checksums for %d ranges of file %d"
              .formatted(said.getKeptCrc32CCount(), doubtful.size(), file.id()));
    }
    List<CheckedRange> same = new ArrayList<>();
    for (int i = 0; i < doubtful.size(); i++) {
      if (doubtful.get(i).crc() == said.getKeptCrc32C(i)) {
        same.add(doubtful.get(i));
      }
    }
    PlacedEntry.Wanted<F> wanted = file.check().same().apply(same);
    file.setWriter(wanted.writer());
    want(file, wanted);
  }

  private void want(IncomingFile<F> file, PlacedEntry.Wanted<F> wanted) {
    List<Range> kept = decide(file, Decision.WANTED, wanted.kept());
    comparing -= file.state().isCompared() ? 1 : 0;
    file.moveTo(IncomingFile.State.WANTED);
    if (wanted.baseSize() > 0) {
      bases.onWanted(file, wanted.baseSize());
    }
    hash(file, kept, false);
    if (!wanted.note().isEmpty()) {
      actions.accept(new ReceiverAction.Notice<>(wanted.note()));
    }
  }

  private List<Range> decide(IncomingFile<F> file, Decision decision, List<CheckedRange> written) {
    List<Range> kept = files.keep(file, written);
    decide(file, decision, kept, file.state());
    return kept;
  }

  private void decide(
      IncomingFile<F> file, Decision decision, List<Range> kept, IncomingFile.State state) {
    if (state.isCompared()) {
      results.decideCompared(file.id(), decision, kept);
    } else {
      results.decide(file.id(), decision, kept);
    }
  }

  /** Adds the hashes of holes to the digest. */
  void hashHoles(IncomingFile<F> file, List<Range> holes) {
    hash(file, holes, true);
  }

  /** Adds the hashes of ranges from another version of the file to the digest. */
  void hashMatched(IncomingFile<F> file, List<Range> equal) {
    hash(file, equal, false);
  }

  /** Adds the hashes of kept ranges to the digest, once they are read. */
  private void hash(IncomingFile<F> file, List<Range> ranges, boolean areHoles) {
    if (method.isOfChunks() && !ranges.isEmpty()) {
      file.beginWork();
      actions.accept(new ReceiverAction.HashKept<>(file, ranges, areHoles));
    }
  }

  private void onUnchanged(IncomingFile<F> file, boolean isNewer) {
    decide(file, isNewer ? Decision.NEWER : Decision.UNCHANGED, List.of(), file.state());
    filesUnchanged++;
    actions.accept(new ReceiverAction.FileUnchanged<>(file, isNewer));
    settle(file, null);
  }

  private void onDue(IncomingFile<F> file, List<CheckedRange> written) {
    decide(file, file.replaces() ? Decision.REPLACEMENT_DUE : Decision.DUE, written);
    filesDue++;
    filesReplaced += file.replaces() ? 1 : 0;
    actions.accept(new ReceiverAction.FileDue<>(file));
    settle(file, null);
  }

  /** Counts an existing entry whose mode, owner or time was changed, or would be in a dry run. */
  void onDiffers() {
    attributesChanged++;
  }

  private void onReplaces(Entry entry) {
    if (entry.kind() == EntryKind.FILE) {
      files.file(entry.id()).setReplaces(); // counts when it is done
    } else {
      linksReplaced++;
    }
  }

  /** Handles a created or existing directory or link. */
  private void onMade(Entry entry, boolean counts) {
    results.decide(entry.id(), Decision.WANTED, List.of());
    files.removeWeight(entry);
    if (entry.kind() == EntryKind.DIRECTORY) {
      directories.setUsable(entry.id());
      directoriesDone += counts ? 1 : 0;
      finishIfDone(entry.id());
    } else {
      linksDone += counts ? 1 : 0;
      childDone(entry.parentId());
    }
  }

  private void onPlaceFailed(PlacedEntry<F> placed, FdtException cause) {
    Entry entry = placed.entry();
    IncomingFile<F> file = files.file(entry.id());
    if (file == null || file.state() != IncomingFile.State.COMPARING) {
      results.decide(entry.id(), Decision.WANTED, List.of()); // otherwise it has its decision
    }
    if (file != null) {
      file.setPath(placed.path());
      fail(file, cause);
      return;
    }
    files.removeWeight(entry);
    failOther(entry, placed.path(), cause);
    if (entry.kind() == EntryKind.DIRECTORY) {
      finishIfDone(entry.id());
    } else {
      childDone(entry.parentId());
    }
  }

  private void failOther(Entry entry, Supplier<String> path, FdtException cause) {
    failures++;
    results.fail(entry.id(), cause.code(), cause.getMessage(), 0);
    actions.accept(new ReceiverAction.Problem<>(path, false, cause.code(), cause.getMessage()));
  }

  private void warn(long id, Supplier<String> path, FdtException warning) {
    failures++;
    incomplete++;
    results.warn(id, warning.code(), warning.getMessage());
    actions.accept(new ReceiverAction.Problem<>(path, false, warning.code(), warning.getMessage()));
  }

  // Comparisons.

  void onDigestRead(IncomingFile<F> file, byte[] digest) {
    if (!file.endReadingDigest(digest)) {
      fail(file, file.comparisonFailure());
    } else {
      compareIfBothAreKnown(file);
    }
  }

  void compareIfBothAreKnown(IncomingFile<F> file) {
    if (file.knowsBothDigests()) {
      boolean areSame = file.compareDigests();
      actions.accept(new ReceiverAction.EndComparison<>(file, file.comparison(), areSame));
    }
  }

  /**
   * Ends a comparison that the sender gave up. The file stays in the window until no thread reads
   * it, which bounds the number of waiting files.
   */
  void giveUpComparison(IncomingFile<F> file, FdtException cause) {
    if (!file.giveUpComparison(cause)) {
      return;
    }
    if (file.isComparisonBusy()) {
      actions.accept(new ReceiverAction.StopReading<>(file));
    } else {
      fail(file, cause);
    }
  }

  void onComparisonEnded(IncomingFile<F> file, List<PlacedEntry<F>> outcome) {
    if (file.comparisonFailure() == null) {
      outcome.forEach(this::onPlaced);
      results.flush();
    } else {
      fail(file, file.comparisonFailure());
    }
  }

  // Outcomes.

  void publishIfComplete(IncomingFile<F> file) {
    if (file.state() != IncomingFile.State.WANTED || !file.isComplete()) {
      return;
    }
    if (!file.isVerified()) {
      // When the source changes, a repeated block may differ from its first copy.
      ErrorCode code = file.change().isEmpty() ? ErrorCode.VERIFICATION : ErrorCode.SOURCE_CHANGED;
      fail(file, new FdtException(code, file.difference()));
      return;
    }
    file.moveTo(IncomingFile.State.STORING);
    actions.accept(new ReceiverAction.Publish<>(file));
  }

  void onPublished(IncomingFile<F> file, List<FdtException> warnings, FdtException failure) {
    if (failure == null) {
      done(file, warnings);
    } else {
      fail(file, failure);
    }
  }

  void onLinked(IncomingFile<F> file, byte[] digest, FdtException failure) {
    if (failure == null) {
      file.setPackedDigest(digest);
      done(file, List.of());
    } else {
      fail(file, failure);
    }
  }

  void onStored(PackedFile<F> packed) {
    IncomingFile<F> file = packed.file();
    if (packed.failure() == null) {
      file.setPackedDigest(packed.digest());
      files.wrote(file.size());
      done(file, packed.warnings());
    } else {
      fail(file, packed.failure());
    }
  }

  /** Handles a file with its final name. */
  private void done(IncomingFile<F> file, List<FdtException> warnings) {
    if (file.isSettled()) {
      return;
    }
    filesDone++;
    filesReplaced += file.replaces() ? 1 : 0;
    results.done(file.id(), file.digest());
    settle(file, null);
    for (FdtException warning : warnings) {
      warn(file.id(), file.path(), warning);
    }
    actions.accept(new ReceiverAction.FileDone<>(file));
    if (!file.change().isEmpty()) {
      actions.accept(new ReceiverAction.Notice<>(file.change()));
    }
  }

  /** Fails a file that cannot be written, named or verified. */
  void fail(IncomingFile<F> file, FdtException cause) {
    if (file.isSettled()) {
      return;
    }
    long missing = file.missingAfter(cause.code());
    if (file.isSkipped()) {
      skipped++;
    } else {
      failures++;
      failedBytes += missing;
    }
    results.fail(file.id(), cause.code(), cause.getMessage(), missing);
    if (!file.state().isBeforeData()) {
      files.unwant(file, cause.code());
    }
    settle(file, cause.code());
    actions.accept(new ReceiverAction.FileFailed<>(file, cause));
    releaseIfUnused(file);
  }

  private void settle(IncomingFile<F> file, ErrorCode failure) {
    comparing -= file.state().isCompared() ? 1 : 0;
    files.settle(file);
    bases.onSettled(file);
    file.setFailure(failure);
    if (file.entry().metadata().nameCount() > 1) {
      actions.accept(new ReceiverAction.FileSettled<>(file));
    }
    if (failure == null || file.writer() == null) {
      childDone(file.entry().parentId()); // otherwise once nothing of it is in its directory
    }
  }

  /** Releases a file that failed, once no thread writes to it. */
  void releaseIfUnused(IncomingFile<F> file) {
    if (file.failure() != null && file.writer() != null && file.takeRelease()) {
      actions.accept(new ReceiverAction.Release<>(file, !file.failure().isWorthContinuing()));
    }
  }

  // Directories.

  void childDone(long parentId) {
    directories.childDone(parentId, results.decidedThrough(), finishable);
    finishAll();
  }

  void finishIfDone(long id) {
    directories.finishIfDone(id, results.decidedThrough(), finishable);
    finishAll();
  }

  private void finishAll() {
    finishable.forEach(entry -> actions.accept(new ReceiverAction.FinishDirectory<>(entry)));
    finishable.clear();
  }

  void onDirectoryFinished(Entry entry, FdtException failure) {
    if (failure != null) {
      failOther(entry, NO_PATH, failure);
    }
    directories.close(entry, results.decidedThrough(), finishable);
    finishAll();
  }

  // Totals.

  /** Whether every received entry has its final decision. */
  boolean areAllDecided() {
    return results.decidedThrough() == files.lastId() && comparing == 0;
  }

  long filesDone() {
    return filesDone;
  }

  long filesUnchanged() {
    return filesUnchanged;
  }

  long attributesChanged() {
    return attributesChanged;
  }

  /** Files that a dry run would transfer. */
  long filesDue() {
    return filesDue;
  }

  /** Files done or due that replace an existing name. */
  long filesReplaced() {
    return filesReplaced;
  }

  /** Existing names that links and directories replaced. */
  long linksReplaced() {
    return linksReplaced;
  }

  /** Files skipped because they changed at the sender. */
  long skipped() {
    return skipped;
  }

  /** Entries of any kind that failed here. */
  long failures() {
    return failures;
  }

  /** Bytes that failed files lack. */
  long failedBytes() {
    return failedBytes;
  }

  /** Entries in place with attributes that could not be set. */
  long incomplete() {
    return incomplete;
  }

  long directoriesDone() {
    return directoriesDone;
  }

  long linksDone() {
    return linksDone;
  }
}
