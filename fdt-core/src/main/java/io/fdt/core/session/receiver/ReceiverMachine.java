package io.fdt.core.session.receiver;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.Pack;
import io.fdt.core.wire.PackRecord;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileHoles;
import io.fdt.core.wire.control.Finished;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The receiver's half of a session: tracks entries, received ranges of each file, and the
 * completion of files, directories and the transfer.
 *
 * <pre>
 *   entry -> Place -> placed (decision) -> frames -> WriteBlock -> written -> complete, verified
 *         -> Publish -> result
 *   directory: created when placed; finished when its last descendant has its outcome
 * </pre>
 *
 * <p>{@link #handle} takes one event and the time, and returns the actions, in order. It calls no
 * other object and holds no file, socket or clock. Not thread-safe: confined to the event loop of
 * the session.
 *
 * @param <F> the writer of a file, opaque here
 */
public final class ReceiverMachine<F> {
  /**
   * The most entries that a sender may offer ahead of their outcomes. At 150 ms of round-trip time
   * this allows 200,000 files per second. Memory: about 500 bytes each, at each end; an entry with
   * extended attributes counts as several, according to its memory.
   */
  public static final int WINDOW = 32_768;

  /** The longest delay of acknowledgements and results, so that several share a message. */
  private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final TransferSpec spec;
  private final DigestMethod method;
  private final ResultBatcher results = new ResultBatcher(this::send);
  private final ReceivedFiles<F> files;
  private final BaseMatcher<F> bases;
  private final EntryOutcomes<F> outcomes;
  private final IncomingManifest<F> manifest;
  private final ReceiverEvent.Handler<F> handler = new Events();
  private List<ReceiverAction<F>> actions = new ArrayList<>();

  /** The time of the current event. */
  private long nowNanos;

  private boolean finishing;
  private boolean flushPlanned;
  private long framesDamaged;

  /**
   * @param takesStreams whether the destination accepts a file of unknown size
   */
  public ReceiverMachine(TransferSpec spec, boolean takesStreams) {
    this(spec, takesStreams, spec.bufferBytes());
  }

  /**
   * @param streamWindow the most bytes between the first unwritten byte of a file of unknown size
   *     and the last one that may arrive
   */
  ReceiverMachine(TransferSpec spec, boolean takesStreams, long streamWindow) {
    this.spec = spec;
    this.method = spec.digestMethod();
    this.files = new ReceivedFiles<>(method, streamWindow);
    this.bases = new BaseMatcher<>(spec.delta(), method, files, action -> actions.add(action));
    this.outcomes =
        new EntryOutcomes<>(method, files, bases, results, action -> actions.add(action));
    this.manifest =
        new IncomingManifest<>(
            spec.preservation(),
            new StreamedFileRule(spec, takesStreams),
            files,
            outcomes,
            action -> actions.add(action));
  }

  /**
   * Handles one event.
   *
   * @return the actions, in order
   * @throws FdtException PROTOCOL for an event that a correct sender cannot cause; ends the session
   */
  public List<ReceiverAction<F>> handle(ReceiverEvent<F> event, long nowNanos) throws FdtException {
    this.nowNanos = nowNanos;
    try {
      event.happenTo(handler);
    } catch (FdtException e) {
      actions.clear();
      throw e;
    }
    finishIfAllDone();
    if (!flushPlanned && results.hasAny()) {
      flushPlanned = true;
      actions.add(new ReceiverAction.WakeAfter<>(FLUSH_NANOS));
    }
    List<ReceiverAction<F>> due = actions;
    actions = new ArrayList<>();
    return due;
  }

  /** The handler of each event. */
  private final class Events implements ReceiverEvent.Handler<F> {
    @Override
    public void message(Control message) throws FdtException {
      switch (message.getBodyCase()) {
        case ROOTS -> manifest.onRoots(message.getRoots());
        case MANIFEST_BATCH -> manifest.onBatch(message.getManifestBatch());
        case MANIFEST_END -> manifest.onEnd(message.getManifestEnd());
        case FILE_ENDS -> {
          for (FileEnd end : message.getFileEnds().getFilesList()) {
            onFileEnd(end);
          }
        }
        case FILE_HOLES -> onHoles(message.getFileHoles());
        case RANGE_HASHES -> bases.onHashes(message.getRangeHashes());
        default ->
            throw new FdtException(
                ErrorCode.PROTOCOL, "a sender does not send " + message.getBodyCase());
      }
    }

    @Override
    public void frameArrived(int stream, ReceivedFrame frame) throws FdtException {
      FrameHeader header = frame.header();
      if (!frame.isIntact()) {
        framesDamaged++;
        results.reject(stream, header.number());
        actions.add(new ReceiverAction.ReleaseFrame<>(frame));
      } else if (header.type() == FrameHeader.Type.BLOCK) {
        IncomingFile<F> file = files.takeBlock(header.fileId(), header.offset(), header.length());
        if (file != null) {
          file.beginWork();
          actions.add(new ReceiverAction.WriteBlock<>(file, stream, frame));
        } else if (files.waitFor(stream, header)) {
          actions.add(new ReceiverAction.ReleaseFrame<>(frame));
        } else {
          drop(stream, frame);
        }
      } else {
        List<PackedFile<F>> wanted = takePack(frame);
        if (wanted.isEmpty()) {
          drop(stream, frame);
        } else {
          actions.add(new ReceiverAction.WritePack<>(wanted, stream, frame));
        }
      }
    }

    @Override
    public void entriesPlaced(List<PlacedEntry<F>> entries) {
      entries.forEach(outcomes::onPlaced);
      results.flush();
    }

    @Override
    public void blockWritten(
        IncomingFile<F> file, int stream, FrameHeader header, byte[] hashes, FdtException failure) {
      acknowledge(file, stream, header);
      if (failure == null) {
        onBlockWritten(file, header, hashes);
      }
      onWorkDone(file, failure);
    }

    /** The sender sends the block again, as after the loss of its stream. */
    @Override
    public void blockLost(IncomingFile<F> file, int stream, FrameHeader header) {
      results.reject(stream, header.number());
      files.giveBack(file, header.offset(), header.length());
      for (DuplicateBlocks.Copy copy : file.duplicates().take(header.offset())) {
        results.reject(copy.stream(), copy.number());
      }
      onWorkDone(file, null);
    }

    @Override
    public void filesStored(List<PackedFile<F>> files) {
      files.forEach(outcomes::onStored);
    }

    @Override
    public void packWritten(int stream, long number) {
      results.acknowledge(stream, number);
    }

    @Override
    public void holesMade(IncomingFile<F> file, List<Range> holes, FdtException failure) {
      if (failure == null && !file.isSettled()) {
        file.madeHoles(holes);
        outcomes.publishIfComplete(file);
        outcomes.hashHoles(file, holes);
      }
      onWorkDone(file, failure);
    }

    @Override
    public void rangeHashed(IncomingFile<F> file, long offset, byte[] hashes) {
      if (!file.isSettled()) {
        file.hashed(offset, hashes);
        outcomes.publishIfComplete(file);
      }
    }

    @Override
    public void keptHashed(IncomingFile<F> file, FdtException failure) {
      onWorkDone(file, failure);
    }

    @Override
    public void baseMatched(
        IncomingFile<F> file,
        HashedPieces hashes,
        List<FoundRange> equal,
        long nanos,
        FdtException failure)
        throws FdtException {
      bases.onCompared(hashes);
      if (failure == null && !file.isSettled()) {
        List<Range> unhashed = bases.onMatched(file, hashes, equal, nanos);
        outcomes.publishIfComplete(file);
        outcomes.hashMatched(file, unhashed);
      }
      onWorkDone(file, failure);
    }

    @Override
    public void baseSearched(IncomingFile<F> file, OptionalLong shift, long searched)
        throws FdtException {
      bases.onSearched(file, shift, searched);
      onWorkDone(file, null);
    }

    @Override
    public void linked(IncomingFile<F> file, byte[] digest, FdtException failure) {
      outcomes.onLinked(file, digest, failure);
    }

    @Override
    public void published(IncomingFile<F> file, List<FdtException> warnings, FdtException failure) {
      outcomes.onPublished(file, warnings, failure);
    }

    @Override
    public void digestRead(IncomingFile<F> file, byte[] digest) {
      outcomes.onDigestRead(file, digest);
    }

    @Override
    public void comparisonEnded(IncomingFile<F> file, List<PlacedEntry<F>> outcome) {
      outcomes.onComparisonEnded(file, outcome);
    }

    @Override
    public void released(IncomingFile<F> file) {
      outcomes.childDone(file.entry().parentId());
    }

    @Override
    public void directoryFinished(Entry directory, FdtException failure) {
      outcomes.onDirectoryFinished(directory, failure);
    }

    @Override
    public void destinationFinished(FdtException failure, boolean differs) {
      if (differs) {
        outcomes.onDiffers();
      }
      if (failure != null) {
        actions.add(new ReceiverAction.Fail<>(failure));
      } else if (spec.delete()) {
        results.flush();
        actions.add(new ReceiverAction.Delete<>(failures() - outcomes.incomplete()));
      } else {
        complete();
      }
    }

    @Override
    public void deletionEnded() {
      complete();
    }

    @Override
    public void woken() {
      flushPlanned = false;
      results.flush();
    }
  }

  private void send(Control.Builder message) {
    actions.add(new ReceiverAction.Send<>(message));
  }

  // Messages of the sender.

  private void onFileEnd(FileEnd end) throws FdtException {
    IncomingFile<F> file = files.ended(end);
    if (file == null) {
      return;
    }
    boolean isCompared = file.state() == IncomingFile.State.COMPARING;
    if (end.getCode() != 0) {
      FdtException cause =
          new FdtException(
              ErrorCode.ofWireCode(end.getCode()), MessageText.received(end.getMessage()));
      file.setSkipped(spec.changing() == Changing.SKIP && cause.code() == ErrorCode.SOURCE_CHANGED);
      if (isCompared) {
        outcomes.giveUpComparison(file, cause);
      } else {
        outcomes.fail(file, cause);
      }
      return;
    }
    if (file.state() == IncomingFile.State.CHECKING) {
      outcomes.onChecked(file, end);
      return;
    }
    files.end(file, end);
    if (isCompared) {
      outcomes.compareIfBothAreKnown(file);
    } else {
      outcomes.publishIfComplete(file);
    }
  }

  private void onHoles(FileHoles message) throws FdtException {
    IncomingFile<F> file = files.wanted(message.getId());
    if (file != null) {
      List<Range> holes = files.takeHoles(file, message);
      bases.onHoles(file, holes);
      file.beginWork();
      actions.add(new ReceiverAction.MakeHoles<>(file, holes));
    }
  }

  // Data.

  /** Releases a frame that is not needed: it is a duplicate, or its files have failed. */
  private void drop(int stream, ReceivedFrame frame) {
    results.acknowledge(stream, frame.header().number());
    actions.add(new ReceiverAction.ReleaseFrame<>(frame));
  }

  private List<PackedFile<F>> takePack(ReceivedFrame frame) throws FdtException {
    List<PackRecord> records = Pack.read(frame.payload(), frame.header().fileId());
    List<PackedFile<F>> wanted = new ArrayList<>(records.size());
    for (PackRecord record : records) {
      IncomingFile<F> file =
          files.takeWhole(record.fileId(), record.size() - method.packedLength());
      if (file != null) {
        wanted.add(new PackedFile<>(file, record));
      }
    }
    return wanted;
  }

  /** Acknowledges a block and its duplicates. */
  private void acknowledge(IncomingFile<F> file, int stream, FrameHeader header) {
    results.acknowledge(stream, header.number());
    for (DuplicateBlocks.Copy copy : file.duplicates().take(header.offset())) {
      results.acknowledge(copy.stream(), copy.number());
    }
  }

  private void onBlockWritten(IncomingFile<F> file, FrameHeader header, byte[] hashes) {
    files.wrote(header.length());
    bases.onArrived(file, header.offset(), header.length(), nowNanos);
    if (!file.isSettled()) {
      if (hashes.length > 0) {
        file.hashed(header.offset(), hashes);
      }
      file.wrote(header.offset(), header.offset() + header.length(), header.payloadCrc());
      outcomes.publishIfComplete(file);
    }
  }

  private void onWorkDone(IncomingFile<F> file, FdtException failure) {
    file.endWork();
    if (failure != null) {
      outcomes.fail(file, failure);
    }
    outcomes.releaseIfUnused(file);
  }

  // The end.

  private void finishIfAllDone() {
    if (!finishing && manifest.hasEnded() && outcomes.directories().isAllDone()) {
      finishing = true;
      actions.add(new ReceiverAction.FinishDestination<>());
    }
  }

  private void complete() {
    results.flush();
    send(
        Control.newBuilder()
            .setFinished(
                Finished.newBuilder()
                    .setFilesDone(outcomes.filesDone())
                    .setFilesUnchanged(outcomes.filesUnchanged())
                    .setFilesFailed(outcomes.failures())
                    .setDirectories(outcomes.directoriesDone())
                    .setLinks(outcomes.linksDone())
                    .setAttributesChanged(outcomes.attributesChanged())
                    .setFilesReplaced(outcomes.filesReplaced())
                    .setLinksReplaced(outcomes.linksReplaced())
                    .setBytes(files.bytesWritten())));
    actions.add(new ReceiverAction.Complete<>());
  }

  // Figures.

  /** Files whose outcome is open. */
  public Iterable<IncomingFile<F>> openFiles() {
    return files.all();
  }

  /** Whether the whole manifest was received and every entry has its decision. */
  public boolean areTotalsFinal() {
    return manifest.hasEnded() && outcomes.areAllDecided();
  }

  /** Bytes that earlier transfers had written. */
  public long bytesKept() {
    return files.bytesKept();
  }

  /** Bytes that were in other versions of the files. */
  public long bytesMatched() {
    return files.bytesMatched();
  }

  /** Bytes of files requested from the sender. */
  public long bytesWanted() {
    return files.bytesWanted();
  }

  public long bytesWritten() {
    return files.bytesWritten();
  }

  public long filesSeen() {
    return files.seen();
  }

  public long filesDone() {
    return outcomes.filesDone();
  }

  public long filesUnchanged() {
    return outcomes.filesUnchanged();
  }

  /** Entries of which only the mode, owner or time was changed, or would be in a dry run. */
  public long attributesChanged() {
    return outcomes.attributesChanged();
  }

  /** Entries done, or due in a dry run, that replace an existing name. */
  public long filesReplaced() {
    return outcomes.filesReplaced();
  }

  /** Existing names that links and directories replaced, or would in a dry run. */
  public long linksReplaced() {
    return outcomes.linksReplaced();
  }

  /** Files that a dry run would transfer. */
  public long filesDue() {
    return outcomes.filesDue();
  }

  /** Entries of any kind that failed here, or that the sender could not read. */
  public long failures() {
    return outcomes.failures() + manifest.entriesUnreadable();
  }

  /** Bytes that files among them lack. */
  public long failedBytes() {
    return outcomes.failedBytes();
  }

  /** Entries that are never copied, and files skipped because they changed. */
  public long entriesSkipped() {
    return manifest.entriesSkipped() + outcomes.skipped();
  }

  public long directoriesDone() {
    return outcomes.directoriesDone();
  }

  public long linksDone() {
    return outcomes.linksDone();
  }

  /** Damaged frames that were requested again. */
  public long framesDamaged() {
    return framesDamaged;
  }
}
