package io.fdt.core.session.receiver;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Root;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.ManifestEnd;
import io.fdt.core.wire.control.Roots;
import io.fdt.core.wire.control.SkippedEntry;
import java.util.List;
import java.util.function.Consumer;

/**
 * The manifest at the receiver: the roots, then entries in the order of their ids, then its end.
 * Every entry stands in a directory that is still open. Confined to the receiver's machine.
 *
 * @param <F> the writer of a file, opaque here
 */
final class IncomingManifest<F> {
  private final Preservation preservation;
  private final StreamedFileRule streamedFile;
  private final ReceivedFiles<F> files;
  private final EntryOutcomes<F> outcomes;
  private final Consumer<ReceiverAction<F>> actions;

  private boolean rootsKnown;
  private boolean ended;
  private long entriesUnreadable;
  private long entriesSkipped;

  IncomingManifest(
      Preservation preservation,
      StreamedFileRule streamedFile,
      ReceivedFiles<F> files,
      EntryOutcomes<F> outcomes,
      Consumer<ReceiverAction<F>> actions) {
    this.preservation = preservation;
    this.streamedFile = streamedFile;
    this.files = files;
    this.outcomes = outcomes;
    this.actions = actions;
  }

  /** Handles the first message, with the roots. */
  void onRoots(Roots message) throws FdtException {
    if (rootsKnown) {
      throw new FdtException(ErrorCode.PROTOCOL, "a second message with roots; one is allowed");
    }
    rootsKnown = true;
    List<Root> roots = ManifestCoding.decodeRoots(message);
    streamedFile.check(roots);
    if (!message.getNotice().isEmpty()) {
      actions.accept(new ReceiverAction.Notice<>(MessageText.received(message.getNotice())));
    }
    actions.accept(new ReceiverAction.OpenDestination<>(roots));
  }

  /** Handles the next entries, and directories whose entries are complete. */
  void onBatch(ManifestBatch batch) throws FdtException {
    List<Entry> entries = BatchCoding.decode(batch);
    MetadataRule.check(entries, preservation);
    streamedFile.checkEntries(entries);
    for (Entry entry : entries) {
      if (entry.id() != files.lastId() + 1
          || ended
          || !outcomes.directories().isOpen(entry.parentId())) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "entry %d with parent %d has no place in the manifest"
                .formatted(entry.id(), entry.parentId()));
      }
      files.add(entry);
      outcomes.directories().addChild(entry.parentId());
      if (entry.kind() == EntryKind.DIRECTORY) {
        outcomes.directories().add(entry);
      }
    }
    for (long id : batch.getEndedDirectoriesList()) {
      outcomes.directories().end(id);
      outcomes.finishIfDone(id);
    }
    for (SkippedEntry entry : batch.getSkippedEntriesList()) {
      onSkipped(entry);
    }
    if (!entries.isEmpty()) {
      actions.accept(new ReceiverAction.Place<>(entries));
    }
  }

  private void onSkipped(SkippedEntry entry) {
    if (entry.getSkipped()) {
      entriesSkipped++;
    } else {
      entriesUnreadable++;
    }
    String path = MessageText.receivedPath(entry.getPath());
    actions.accept(
        new ReceiverAction.Problem<>(
            () -> path,
            entry.getSkipped(),
            ErrorCode.ofWireCode(entry.getCode()),
            MessageText.received(entry.getMessage())));
  }

  /** Handles the end of the manifest. */
  void onEnd(ManifestEnd end) throws FdtException {
    if (ended || end.getEntries() != files.lastId()) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "manifest of %d entries ended at %d".formatted(end.getEntries(), files.lastId()));
    }
    ended = true;
    outcomes.directories().endAll();
    outcomes.finishIfDone(Entry.ROOT);
  }

  boolean hasEnded() {
    return ended;
  }

  /** Entries that the sender could not read. */
  long entriesUnreadable() {
    return entriesUnreadable;
  }

  /** Entries that are never copied. */
  long entriesSkipped() {
    return entriesSkipped;
  }
}
