package io.fdt.core.session;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Range;
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
import io.fdt.core.wire.control.PartialFile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The sender's half of a session: which files the receiver wants, what to read next, and what was
 * sent but not yet written at the other end.
 *
 * <pre>
 *   offer -> [offered] -> decision wanted -> [queued in its lane] -> nextJob -> read -> sent -> written
 *                |                               ^                                      |
 *                '-> unchanged: settled          '---- damaged frame, lost stream ------'
 *   every block read -> FileEnd;  result of the receiver -> settled
 * </pre>
 *
 * A damaged frame and a lost stream are one thing here: {@link #requeue}.
 *
 * <p>Not thread-safe: confined to the event loop of the session. Holds no file, no socket and no
 * clock.
 *
 * @param <S> what opens a file; only kept
 */
public final class SenderSession<S> {
  /** Hears of files that the session is done with. */
  @FunctionalInterface
  public interface SettledListener<S> {
    /** The outcome of a file is known: {@code code} is null when it is in place at the receiver. */
    void settled(OutgoingFile<S> file, FileOutcome outcome, ErrorCode code, String message);
  }

  /** How a file ended. */
  public enum FileOutcome {
    DONE,
    UNCHANGED,
    /** A dry run: it would be sent. */
    DUE,
    FAILED
  }

  /**
   * Of one message: with texts of three bytes a character, a fifth of the longest that is allowed.
   */
  private static final int MAX_ENDS = 256;

  private static final int MAX_END_CHARS = 64 << 10;

  /** Holes of one file that are told, at the most. */
  public static final int MAX_HOLES = HoleRules.MAX_HOLES;

  /** What can be wrong with one entry that is in place: each attribute, its owner, itself. */
  private static final int MAX_METADATA_WARNINGS = FileMetadata.MAX_ATTRIBUTES + 2;

  private final DigestMethod method;
  private final int blockSize;
  private final int packRecord;
  private final Outbox outbox;
  private final SettledListener<S> listener;
  private final Map<Long, OutgoingFile<S>> files = new HashMap<>();

  /**
   * Weights of entries that are no files, as far as these are more than 1, until their decision.
   */
  private final Map<Long, Integer> heavyOthers = new HashMap<>();

  private final List<Lane<S>> lanes = new ArrayList<>();
  private final Map<Integer, Map<Long, ReadJob<S>>> inFlight = new HashMap<>();
  private final FileEnds.Builder ends = FileEnds.newBuilder();

  private final FirstPieces first = new FirstPieces();
  private InOrderWindow window;
  private long lastId;
  private long judgedThrough;
  private int endChars;
  private boolean manifestEnded;
  private Finished finished;
  private long bytesWanted;
  private long bytesKept;
  private long bytesWritten;
  private long warnings;

  /** A session whose checksum is CRC32C. */
  public SenderSession(int blockSize, Outbox outbox, SettledListener<S> listener) {
    this(blockSize, DigestMethod.of(Checksum.CRC32C, blockSize), outbox, listener);
  }

  /**
   * @param blockSize the most bytes of one block, and of a pack
   */
  public SenderSession(
      int blockSize, DigestMethod method, Outbox outbox, SettledListener<S> listener) {
    this.method = method;
    this.blockSize = method.alignedBlock(blockSize);
    this.packRecord = Pack.RECORD_HEADER + method.packedLength();
    this.outbox = outbox;
    this.listener = listener;
  }

  /**
   * Keeps the blocks of the one file so close together, before it is offered.
   *
   * @param bytes from the first that is not known to be written to the last that is read
   */
  public void keepInOrder(long bytes) {
    window = new InOrderWindow(bytes);
  }

  /**
   * Cuts what is sent first into small pieces, so that all streams carry some of it and leave their
   * slow start together. Before a lane is added. Where digests are made of chunks, blocks stay
   * whole.
   *
   * @param bytes of the whole session, about
   */
  public void cutFirst(long bytes) {
    if (!method.isOfChunks()) {
      first.left = bytes;
    }
  }

  /** A new queue of reading work, for one disk. */
  public int addLane() {
    lanes.add(new Lane<>(blockSize, packRecord, window, first));
    return lanes.size() - 1;
  }

  /** Takes note of an entry whose manifest record goes to the receiver now. */
  public void offer(Entry entry, S source, int lane) {
    if (entry.id() != lastId + 1 || manifestEnded) {
      throw new IllegalStateException("entry " + entry.id() + " after " + lastId);
    }
    lastId = entry.id();
    if (entry.kind() == EntryKind.FILE) {
      files.put(entry.id(), new OutgoingFile<>(entry, source, lane, method));
    } else if (entry.metadata().weight() > 1) {
      heavyOthers.put(entry.id(), entry.metadata().weight());
    }
  }

  /** No entries follow. */
  public void endManifest() {
    manifestEnded = true;
    outbox.send(Control.newBuilder().setManifestEnd(ManifestEnd.newBuilder().setEntries(lastId)));
  }

  /** The highest id that was offered. */
  public long lastId() {
    return lastId;
  }

  /** The highest id on which the receiver has given its decision. */
  public long judgedThrough() {
    return judgedThrough;
  }

  /**
   * Returns the weight of the judged entries that are no files, and so have an outcome; of most it
   * is 1.
   */
  public int onDecisions(Decisions decisions) throws FdtException {
    int others = 0;
    Map<Long, List<Range>> kept = keptRanges(decisions.getPartialFilesList());
    for (DecisionRun run : decisions.getRunsList()) {
      long count = run.getCount();
      if (run.getFirstId() != judgedThrough + 1 || count < 1 || count > lastId - judgedThrough) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "decision on %s entries from %s on, after %d of %d"
                .formatted(
                    Long.toUnsignedString(count),
                    Long.toUnsignedString(run.getFirstId()),
                    judgedThrough,
                    lastId));
      }
      long end = run.getFirstId() + count;
      judgedThrough = end - 1;
      for (long id = run.getFirstId(); id < end; id++) {
        OutgoingFile<S> file = files.get(id);
        if (file == null) {
          Integer weight = heavyOthers.remove(id);
          others += weight == null ? 1 : weight;
        } else {
          judge(file, run.getDecision(), kept.getOrDefault(id, List.of()));
        }
      }
    }
    return others;
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

  /**
   * The decisions on files that were read to be compared.
   *
   * @param again is told of each that will be read once more
   */
  public void onCompared(Compared message, LongConsumer again) throws FdtException {
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
      again.accept(file.id());
      List<PartialFile> partial =
          compared.hasPartial() ? List.of(compared.getPartial()) : List.of();
      judge(file, compared.getDecision(), keptRanges(partial).getOrDefault(file.id(), List.of()));
    }
  }

  private void judge(OutgoingFile<S> file, Decision decision, List<Range> kept)
      throws FdtException {
    switch (decision) {
      case WANTED -> {
        file.want();
        if (!kept.isEmpty()) {
          file.keep(kept);
        }
        bytesWanted += file.toSend();
        bytesKept += file.size() - file.toSend();
        if (file.size() > 0 && file.isRead()) {
          endFile(file.end());
        } else {
          lanes.get(file.lane()).add(file);
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
        if (!kept.isEmpty()) {
          file.keep(kept);
        }
        bytesWanted += file.toSend();
        bytesKept += file.size() - file.toSend();
        settle(file, FileOutcome.DUE, null, "");
      }
      case COMPARE -> {
        if (file.size() == 0) {
          throw new FdtException(ErrorCode.PROTOCOL, "an empty file cannot be compared");
        }
        file.beginComparison();
        lanes.get(file.lane()).add(file);
      }
      default -> throw new FdtException(ErrorCode.PROTOCOL, "unknown decision " + decision.name());
    }
  }

  /** What a reader of this lane shall read next; null when there is nothing to read now. */
  public ReadJob<S> nextJob(int lane) {
    return lanes.get(lane).next();
  }

  /**
   * A block was read and found to be part of an unchanged file. Those of a stream come in order;
   * one that is shorter than a block, or empty, is its end.
   */
  public void onBlockRead(ReadJob.Block<S> block, int crc) {
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
    if (file.isRead()) {
      endFile(file.end());
    }
  }

  /**
   * The hashes of the chunks of what was read for the first time. Of a block that is sent they come
   * before {@link #onBlockRead}.
   */
  public void onHashed(OutgoingFile<S> file, long offset, byte[] hashes) {
    if (file.isSettled()) {
      return;
    }
    file.accountHashes(offset, hashes);
    if (file.isRead()) {
      endFile(file.end());
    }
  }

  /** A range that is not sent was read, for the digest of its file. */
  public void onChecked(ReadJob.Check<S> check, int crc, byte[] hashes) {
    OutgoingFile<S> file = check.file();
    if (file.isCompared() && !file.isSettled()) {
      file.accountRead(check.offset(), check.length(), crc);
      if (hashes.length == 0 && file.isRead()) {
        endFile(file.end());
      }
    }
    if (hashes.length > 0) {
      onHashed(file, check.offset(), hashes);
    }
  }

  /** It is known where a sparse file has holes: what is left of it can be read. */
  public void onSurveyed(OutgoingFile<S> file, List<Range> holes) {
    if (file.isSettled()) {
      return;
    }
    long before = file.toSend();
    List<Range> told = file.leaveOut(holes);
    bytesWanted -= before - file.toSend();
    if (!told.isEmpty()) {
      outbox.send(Control.newBuilder().setFileHoles(HoleRules.message(file.id(), told)));
    }
    if (file.isRead()) {
      endFile(file.end());
    } else {
      lanes.get(file.lane()).add(file);
    }
  }

  /** A file cannot be read, or is not what it was: the receiver shall forget it. */
  public void onReadFailed(OutgoingFile<S> file, FdtException cause) {
    if (file.isSettled()) {
      return;
    }
    endFile(
        FileEnd.newBuilder()
            .setId(file.id())
            .setCode(cause.code().wireCode())
            .setMessage(MessageText.fit(cause.getMessage())));
  }

  private void endFile(FileEnd.Builder end) {
    ends.addFiles(end);
    endChars += end.getMessage().length();
    if (ends.getFilesCount() >= MAX_ENDS || endChars >= MAX_END_CHARS) {
      flush();
    }
  }

  /** Sends what was collected for the receiver. To be called after each round of events. */
  public void flush() {
    if (ends.getFilesCount() > 0) {
      outbox.send(Control.newBuilder().setFileEnds(ends.build()));
      ends.clear();
      endChars = 0;
    }
  }

  /** Whether anything of this job still has to go to the receiver. */
  public boolean isStillNeeded(ReadJob<S> job) {
    if (job instanceof ReadJob.Block<S> block) {
      return !block.file().isSettled();
    }
    for (OutgoingFile<S> file : ((ReadJob.Pack<S>) job).files()) {
      if (!file.isSettled()) {
        return true;
      }
    }
    return false;
  }

  /** The frame with this number on this stream holds this job from now on. */
  public void onSent(int stream, long number, ReadJob<S> job) {
    inFlight.computeIfAbsent(stream, s -> new HashMap<>()).put(number, job);
  }

  public void onAcks(FrameAcks acks) throws FdtException {
    Map<Long, ReadJob<S>> sent = inFlight.get(acks.getStream());
    if (sent == null) {
      return; // a stream that was lost meanwhile: everything of it goes again
    }
    if (acks.getWrittenCount() % 2 != 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "odd number of values in an acknowledgement");
    }
    for (int i = 0; i < acks.getWrittenCount(); i += 2) {
      long first = acks.getWritten(i);
      long count = acks.getWritten(i + 1);
      if (count < 1 || count > sent.size() || first > Long.MAX_VALUE - count) {
        throw new FdtException(ErrorCode.PROTOCOL, "acknowledgement of frames never sent");
      }
      for (long number = first; number < first + count; number++) {
        ReadJob<S> job = taken(sent, number);
        bytesWritten += job.payload();
        if (window != null && job instanceof ReadJob.Block<S> block) {
          window.written(block.offset(), block.length());
        }
      }
    }
    for (long number : acks.getDamagedList()) {
      requeue(taken(sent, number));
    }
  }

  private ReadJob<S> taken(Map<Long, ReadJob<S>> sent, long number) throws FdtException {
    ReadJob<S> job = sent.remove(number);
    if (job == null) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "acknowledgement of frame " + number + ", which is not in flight");
    }
    return job;
  }

  /** A stream is gone: what was on it and not known to be written goes again. */
  public void onStreamLost(int stream) {
    Map<Long, ReadJob<S>> sent = inFlight.remove(stream);
    if (sent != null) {
      sent.values().forEach(this::requeue);
    }
  }

  /** Reads a job again, because what was sent of it did not arrive whole. */
  public void requeue(ReadJob<S> job) {
    ReadJob<S> left = unsettled(job);
    if (left != null) {
      lanes.get(laneOf(left)).again(left);
    }
  }

  private static <S> int laneOf(ReadJob<S> job) {
    return job instanceof ReadJob.Block<S> block
        ? block.file().lane()
        : ((ReadJob.Pack<S>) job).files().get(0).lane();
  }

  /**
   * What is to be read again of a job: all but the files whose outcome is known; null when nothing
   * is left.
   */
  private static <S> ReadJob<S> unsettled(ReadJob<S> job) {
    if (job instanceof ReadJob.Block<S> block) {
      return block.file().isSettled()
          ? null
          : new ReadJob.Block<>(block.file(), block.offset(), block.length(), true);
    }
    List<OutgoingFile<S>> left = new ArrayList<>(((ReadJob.Pack<S>) job).files());
    left.removeIf(OutgoingFile::isSettled);
    return left.isEmpty() ? null : new ReadJob.Pack<>(left);
  }

  /**
   * The outcomes of entries.
   *
   * @param others gets the failures of directories and links
   */
  public void onFileResults(FileResults results, Consumer<FileFailure> others) throws FdtException {
    onDone(results);
    for (FileFailure failure : results.getFailedList()) {
      OutgoingFile<S> file = openFile(failure.getId());
      if (failure.getCode() == 0) {
        throw new FdtException(
            ErrorCode.PROTOCOL, "entry " + failure.getId() + " failed for no reason");
      }
      if (file == null) {
        others.accept(failure);
      } else {
        settle(
            file,
            FileOutcome.FAILED,
            ErrorCode.ofWireCode(failure.getCode()),
            MessageText.received(failure.getMessage()));
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
      OutgoingFile<S> file = openFile(results.getDone(i));
      if (file != null) {
        file.setDigestAtReceiver(Arrays.copyOfRange(digests, i * length, (i + 1) * length));
        settle(file, FileOutcome.DONE, null, "");
      }
    }
  }

  /** The file that a result is of; null when its outcome is known already, or it is no file. */
  private OutgoingFile<S> openFile(long id) throws FdtException {
    if (id < 1 || id > judgedThrough) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "result of entry %s, after decisions on %d"
              .formatted(Long.toUnsignedString(id), judgedThrough));
    }
    return files.get(id);
  }

  /**
   * The receiver says that something of an entry could not be set.
   *
   * @throws FdtException PROTOCOL when it cannot say that, or says more than there can be
   */
  public void onMetadataWarning(long id) throws FdtException {
    if (id < 1 || id > judgedThrough || ++warnings > judgedThrough * MAX_METADATA_WARNINGS) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "warning %d, of entry %s, after decisions on %d"
              .formatted(warnings, Long.toUnsignedString(id), judgedThrough));
    }
  }

  private void settle(OutgoingFile<S> file, FileOutcome outcome, ErrorCode code, String message) {
    files.remove(file.id());
    file.settle();
    if (outcome == FileOutcome.FAILED && file.isWanted()) {
      bytesWanted -= file.toSend();
    }
    listener.settled(file, outcome, code, message);
  }

  public void onFinished(Finished message) throws FdtException {
    if (!manifestEnded || !files.isEmpty()) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "the receiver finished with " + files.size() + " files open");
    }
    finished = message;
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
    return lanes.stream().mapToLong(lane -> lane.repeated).sum();
  }

  /** What is cut into small pieces at the beginning of a session, whatever disk it comes from. */
  private static final class FirstPieces {
    /** 23 segments of Ethernet: two round trips of a stream that begins with ten (RFC 6928). */
    private static final int PIECE = 32 << 10;

    long left;

    /** Bytes of the next block or pack, at the most. */
    int length(int blockSize) {
      return left > 0 ? Math.min(PIECE, blockSize) : blockSize;
    }

    void planned(long bytes) {
      left = Math.max(0, left - bytes);
    }
  }

  /** What there is to read from one disk. */
  private static final class Lane<S> {
    /** Files of one pack: bounds what a reader does at a stretch, so that all readers have work. */
    private static final int MAX_PACK_FILES = 256;

    /** Large files beyond which no holes are looked for: the receiver remembers them all. */
    private static final int MAX_SURVEYED = 16;

    private final int blockSize;
    private final int packRecord;
    private final FirstPieces first;
    private final ArrayDeque<ReadJob<S>> again = new ArrayDeque<>();
    private final ArrayDeque<OutgoingFile<S>> small = new ArrayDeque<>();
    private final PriorityQueue<OutgoingFile<S>> large =
        new PriorityQueue<>((a, b) -> Long.compare(b.size(), a.size()));
    private final InOrderWindow window;
    private final ArrayDeque<OutgoingFile<S>> unsurveyed = new ArrayDeque<>();
    private boolean packNext;
    private long repeated;

    /**
     * @param packRecord bytes that each file in a pack needs besides its own
     * @param window null unless blocks are kept close together
     * @param first shared by all lanes
     */
    Lane(int blockSize, int packRecord, InOrderWindow window, FirstPieces first) {
      this.window = window;
      this.first = first;
      this.blockSize = blockSize;
      this.packRecord = packRecord;
    }

    void add(OutgoingFile<S> file) {
      if (!file.isCompared() && file.isToBeSurveyed()) {
        unsurveyed.add(file);
        return;
      }
      boolean whole = file.toSend() == file.size() && !file.isCompared() && !file.isStream();
      if (whole && file.size() + packRecord <= blockSize / 4) {
        small.add(file);
      } else {
        large.add(file);
      }
    }

    void again(ReadJob<S> job) {
      again.add(job);
    }

    /**
     * Repetitions first; then blocks of large files and packs of small ones in turn, so that
     * neither waits.
     */
    ReadJob<S> next() {
      ReadJob<S> job = null;
      while (job == null && !again.isEmpty()) {
        job = unsettled(again.poll()); // its outcome may have become known while it waited
      }
      if (job != null) {
        repeated++;
        return job;
      }
      while (!unsurveyed.isEmpty() && unsurveyed.peek().isSettled()) {
        unsurveyed.poll();
      }
      if (!unsurveyed.isEmpty() && large.size() < MAX_SURVEYED) {
        return new ReadJob.Survey<>(unsurveyed.poll());
      }
      packNext = !packNext;
      job = packNext ? nextPack() : nextBlock();
      if (job == null) {
        job = packNext ? nextBlock() : nextPack();
      }
      return job;
    }

    private ReadJob<S> nextBlock() {
      OutgoingFile<S> file = large.peek();
      while (file != null && (file.isSettled() || file.isPlanned())) {
        large.poll();
        file = large.peek();
      }
      if (file == null) {
        return null;
      }
      if (window != null && !window.allows(file.nextBlockEnd(blockSize))) {
        return null;
      }
      Range block = file.planBlock(file.isStream() ? blockSize : first.length(blockSize));
      first.planned(block.length());
      if (file.isPlanned()) {
        large.poll();
      }
      int length = Math.toIntExact(block.length());
      return file.isKept(block)
          ? new ReadJob.Check<>(file, block.start(), length)
          : new ReadJob.Block<>(file, block.start(), length, false);
    }

    private ReadJob<S> nextPack() {
      List<OutgoingFile<S>> files = new ArrayList<>();
      long bytes = 0;
      for (Iterator<OutgoingFile<S>> i = small.iterator(); i.hasNext(); ) {
        OutgoingFile<S> file = i.next();
        long needed = file.size() + packRecord;
        boolean isFull = bytes > 0 && bytes + needed > first.length(blockSize);
        if (isFull || files.size() == MAX_PACK_FILES) {
          break;
        }
        i.remove();
        if (!file.isSettled()) {
          files.add(file);
          bytes += needed;
        }
      }
      first.planned(bytes);
      return files.isEmpty() ? null : new ReadJob.Pack<>(files);
    }
  }
}
