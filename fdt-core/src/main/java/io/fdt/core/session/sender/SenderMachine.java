package io.fdt.core.session.sender;

import com.google.protobuf.UnsafeByteOperations;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.session.HoleRules;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.Pack;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.FrameAcks;
import io.fdt.core.wire.control.ManifestEnd;
import io.fdt.core.wire.control.MetadataWarning;
import io.fdt.core.wire.control.RangeHashes;
import io.fdt.core.wire.control.ReceiverStorage;
import io.fdt.core.wire.control.Roots;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The sender's half of a session: tracks the files that the receiver wants, the next reads, and the
 * frames that were sent but not yet written at the receiver.
 *
 * <pre>
 *   found -> [offered] -> decision: wanted -> [queued] -> Read -> read -> sent -> written
 *                |                               ^                          |
 *                '-> unchanged: settled          '-- damaged, stream lost --'
 *   every block read -> FileEnd;  result of the receiver -> settled
 * </pre>
 *
 * <p>Damaged frames and lost streams are handled alike: their jobs are read again. {@link #handle}
 * takes one event and the time, and returns the actions, in order. It calls no other object and
 * holds no file, socket or clock. Not thread-safe: confined to the event loop of the session.
 *
 * @param <S> the opener of a file, opaque here
 */
public final class SenderMachine<S> {
  /** Most holes of one file that are announced. */
  public static final int MAX_HOLES = HoleRules.MAX_HOLES;

  private final TransferSpec spec;
  private final DigestMethod method;
  private final int blockSize;
  private final InOrderWindow window;
  private final ReadScheduler<S> reads;
  private final InFlightFrames<S> inFlight = new InFlightFrames<>();
  private final FileEndBatcher ends = new FileEndBatcher(this::send);
  private final DigestCheck<S> digests;
  private final OfferedFiles<S> offered;
  private final SenderEvent.Handler<S> handler = new Events();
  private List<SenderAction<S>> actions = new ArrayList<>();

  /** The time of the current event. */
  private long nowNanos;

  /** Whether the current event gives readers no work. */
  private boolean isQuiet;

  private boolean rootsAreFiles;
  private boolean manifestEnded;
  private long blocksWritten;
  private long framesRepeated;
  private long bytesSent;
  private long skipped;

  /**
   * @param inOrder whether the single file is read in order, because the source cannot seek
   * @param digests checks digests from chunks before they are sent
   */
  public SenderMachine(TransferSpec spec, boolean inOrder, DigestCheck<S> digests) {
    this(spec, new InOrderWindow(inOrder ? spec.bufferBytes() : Long.MAX_VALUE), digests);
  }

  SenderMachine(TransferSpec spec, InOrderWindow window, DigestCheck<S> digests) {
    this.digests = digests;
    this.spec = spec;
    this.method = spec.digestMethod();
    this.blockSize = method.alignedBlock(spec.blockSize());
    this.window = window;
    this.reads = new ReadScheduler<>(blockSize, Pack.RECORD_HEADER + method.packedLength(), window);
    this.offered =
        new OfferedFiles<>(
            method,
            spec.changing() == Changing.SKIP,
            reads,
            this::end,
            action -> actions.add(action));
  }

  /**
   * Cuts the first bytes into small pieces, so that all streams carry some of them and leave slow
   * start together. Called before the first event. With digests from chunks, blocks stay whole.
   *
   * @param bytes of the session that are cut, approximately
   */
  public void cutFirst(long bytes) {
    if (!method.isOfChunks()) {
      reads.cutFirst(bytes);
    }
  }

  /**
   * Handles one event.
   *
   * @return the actions, in order
   * @throws FdtException PROTOCOL for an event that a correct receiver cannot cause; ends the
   *     session
   */
  public List<SenderAction<S>> handle(SenderEvent<S> event, long nowNanos) throws FdtException {
    this.nowNanos = nowNanos;
    isQuiet = false;
    try {
      event.happenTo(handler);
    } catch (FdtException e) {
      actions.clear();
      throw e;
    }
    if (actions.isEmpty() && isQuiet) {
      return List.of();
    }
    reads.fill(actions);
    ends.flush();
    List<SenderAction<S>> due = actions;
    actions = new ArrayList<>();
    return due;
  }

  /** The handler of each event. */
  private final class Events implements SenderEvent.Handler<S> {
    @Override
    public void message(Control message) throws FdtException {
      switch (message.getBodyCase()) {
        case DECISIONS -> {
          DecisionRule.check(message.getDecisions(), spec);
          offered.onDecisions(message.getDecisions());
        }
        case RECEIVER_STORAGE -> onStorage(message.getReceiverStorage());
        case FRAME_ACKS -> onAcks(message.getFrameAcks());
        case FILE_RESULTS -> offered.onResults(message.getFileResults());
        case COMPARED -> {
          DecisionRule.check(message.getCompared(), spec);
          offered.onCompared(message.getCompared());
        }
        case RANGE_REQUEST -> offered.onRangeRequest(message.getRangeRequest());
        case METADATA_WARNINGS -> {
          for (MetadataWarning one : message.getMetadataWarnings().getEntriesList()) {
            offered.onWarning(one);
          }
        }
        case FINISHED -> {
          if (!manifestEnded) {
            throw new FdtException(
                ErrorCode.PROTOCOL,
                "finished after %d entries, before the end of the manifest"
                    .formatted(offered.lastId()));
          }
          offered.onFinished(message.getFinished());
          actions.add(new SenderAction.Complete<>());
        }
        default ->
            throw new FdtException(
                ErrorCode.PROTOCOL, "a receiver does not send " + message.getBodyCase());
      }
    }

    @Override
    public void rootsFound(List<Root> roots, String losses) {
      rootsAreFiles = roots.stream().noneMatch(Root::isContents);
      Roots.Builder message = ManifestCoding.encodeRoots(roots).toBuilder();
      send(Control.newBuilder().setRoots(message.setNotice(MessageText.fit(losses))));
    }

    @Override
    public void entriesFound(ManifestPart<S> part) {
      if (manifestEnded) {
        throw new IllegalStateException("entries after the end of the manifest");
      }
      send(Control.newBuilder().setManifestBatch(part.message(offered.lastId() + 1)));
      for (int i = 0; i < part.entries().size(); i++) {
        offered.offer(part.entries().get(i), part.files().get(i), part.queues().get(i));
      }
      for (ManifestPart.Skipped one : part.skipped()) {
        boolean isSkipped = one.failure() == null;
        skipped += isSkipped ? 1 : 0;
        if (!isSkipped) {
          offered.addFailure();
        }
        actions.add(new SenderAction.Problem<>(one.path(), isSkipped, one.code(), one.message()));
      }
    }

    @Override
    public void walkEnded(FdtException failure) {
      if (failure != null) {
        actions.add(new SenderAction.Fail<>(failure));
        return;
      }
      manifestEnded = true;
      send(
          Control.newBuilder()
              .setManifestEnd(ManifestEnd.newBuilder().setEntries(offered.lastId())));
    }

    @Override
    public void jobRead(
        ReadJob<S> job,
        int queue,
        int crc,
        byte[] hashes,
        List<SenderEvent.ReadFailure<S>> failures) {
      reads.done(queue);
      if (failures.isEmpty()) {
        onJobRead(job, crc, hashes);
      } else {
        failures.forEach(failure -> onReadFailed(job, failure));
      }
    }

    @Override
    public void fileChanged(OutgoingFile<S> file, String how) {
      file.setChange(how);
    }

    @Override
    public void jobReturned(ReadJob.Block<S> job, int queue) {
      reads.done(queue);
      reads.giveBack(job);
    }

    @Override
    public void surveyed(OutgoingFile<S> file, int queue, List<Range> holes, FdtException failure) {
      reads.done(queue);
      actions.add(
          new SenderAction.CloseFile<>(file)); // all holes, or small: not read by this reader
      if (failure != null) {
        onReadFailed(file, failure);
      } else if (!file.isSettled()) {
        long before = file.toSend();
        List<Range> told = file.leaveOut(holes);
        offered.want(file.toSend() - before);
        told.forEach(hole -> window.written(file, hole.start(), hole.length()));
        if (!told.isEmpty()) {
          send(Control.newBuilder().setFileHoles(HoleRules.message(file.id(), told)));
        }
        file.hashEarly();
        if (file.isRead()) {
          end(file);
        } else {
          reads.add(file);
        }
      }
    }

    @Override
    public void jobsAllowed(int perDisk) {
      reads.setJobs(perDisk);
    }

    @Override
    public void streamOpened(int stream, boolean atNode) {
      inFlight.opened(stream, atNode, nowNanos);
    }

    @Override
    public void frameSent(int stream, long number, ReadJob<S> job) {
      isQuiet = true;
      framesRepeated += job.repeated() ? 1 : 0;
      bytesSent += job.payload();
      switch (inFlight.sent(stream, number, job, nowNanos)) {
        case NONE -> {}
        case WRITTEN -> onWritten(job);
        case DAMAGED -> reads.again(job);
      }
    }

    @Override
    public void streamMoved(int stream) {
      isQuiet = true;
      inFlight.moved(stream, nowNanos);
    }

    @Override
    public void keptOpen(int stream) {
      inFlight.keptOpen(stream, nowNanos);
    }

    @Override
    public void streamLost(int stream) {
      inFlight.lost(stream, nowNanos);
    }

    @Override
    public void tick() {
      inFlight.takeLost(nowNanos).forEach(reads::again);
      inFlight.watch(nowNanos, actions);
    }
  }

  private void send(Control.Builder message) {
    actions.add(new SenderAction.Send<>(message));
  }

  // The manifest.

  // Messages of the receiver.

  private void onStorage(ReceiverStorage storage) throws FdtException {
    if (storage.getWindow() < 0) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "a window of %s bytes, beyond %d"
              .formatted(Long.toUnsignedString(storage.getWindow()), Long.MAX_VALUE));
    }
    if (storage.getWindow() > 0) {
      window.limit(storage.getWindow());
    }
  }

  private void onAcks(FrameAcks acks) throws FdtException {
    List<ReadJob<S>> written = new ArrayList<>();
    List<ReadJob<S>> damaged = new ArrayList<>();
    inFlight.acknowledge(acks, nowNanos, written, damaged);
    written.forEach(this::onWritten);
    damaged.forEach(reads::again);
  }

  private void onWritten(ReadJob<S> job) {
    offered.wrote(job);
    blocksWritten++;
    if (job instanceof ReadJob.Block<S> block) {
      window.written(block.file(), block.offset(), block.length());
    }
  }

  // Blocks and digests.

  private void onJobRead(ReadJob<S> job, int crc, byte[] hashes) {
    if (job instanceof ReadJob.Hash<S> hash) {
      Range range = hash.part().range();
      if (hash.file().isHashed(range)) {
        send(
            Control.newBuilder()
                .setRangeHashes(
                    RangeHashes.newBuilder()
                        .setId(hash.file().id())
                        .setStart(range.start())
                        .setEnd(range.end())
                        .setPiece(hash.part().piece())
                        .setStrong(hash.part().strong())
                        .setMicros((int) TimeUnit.NANOSECONDS.toMicros(hash.nanos()))
                        .setHashes(UnsafeByteOperations.unsafeWrap(hashes))));
      }
    } else if (job instanceof ReadJob.Check<S> check) {
      onChecked(check, crc, hashes);
    } else if (job instanceof ReadJob.Block<S> block) {
      if (hashes.length > 0) {
        onHashed(block.file(), block.offset(), hashes);
      }
      onBlockRead(block, crc);
    }
  }

  private void onReadFailed(ReadJob<S> job, SenderEvent.ReadFailure<S> failure) {
    if (isReadInBlocks(job, failure)) {
      failure.file().moveTo(OutgoingFile.State.IN_BLOCKS);
      reads.add(failure.file());
    } else {
      onReadFailed(failure.file(), failure.cause());
    }
  }

  /**
   * Handles a block read from an unchanged file. Blocks of a stream arrive in order; a short or
   * empty one ends the stream.
   */
  private void onBlockRead(ReadJob.Block<S> block, int crc) {
    OutgoingFile<S> file = block.file();
    if (block.repeated() || file.isSettled() || (file.isStream() && file.hasEnded())) {
      return;
    }
    file.accountRead(block.offset(), block.length(), crc);
    if (file.isStream()) {
      offered.want(block.length());
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

  /** Handles a range that was read only for a digest. */
  private void onChecked(ReadJob.Check<S> check, int crc, byte[] hashes) {
    OutgoingFile<S> file = check.file();
    if (file.isCompared()) {
      file.accountRead(check.offset(), check.length(), crc);
      if (hashes.length == 0) {
        endFileIfRead(file);
      }
    }
    if (hashes.length > 0) {
      onHashed(file, check.offset(), hashes);
    }
  }

  /**
   * Whether a small file is read again in blocks, because a pack cannot report a change of the
   * file.
   */
  private boolean isReadInBlocks(ReadJob<S> job, SenderEvent.ReadFailure<S> failure) {
    return spec.changing() == Changing.COPY
        && failure.cause().code() == ErrorCode.SOURCE_CHANGED
        && job instanceof ReadJob.Pack
        && failure.file().size() > 0
        && !failure.file().isSettled();
  }

  /** Handles a file that cannot be read or has changed: the receiver must drop it. */
  private void onReadFailed(OutgoingFile<S> file, FdtException cause) {
    if (!file.isSettled()) {
      file.failReading(cause.code());
      ends.add(
          FileEnd.newBuilder()
              .setId(file.id())
              .setCode(cause.code().wireCode())
              .setMessage(MessageText.fit(cause.getMessage())));
    }
  }

  private void endFileIfRead(OutgoingFile<S> file) {
    if (file.isRead()) {
      end(file);
    }
  }

  /** Checks the digest of a completely read file, and sends it. */
  private void end(OutgoingFile<S> file) {
    try {
      if (method.isOfChunks() && file.state() != OutgoingFile.State.CHECKING) {
        digests.check(file.source(), file.size(), file.digest());
      }
      ends.add(file.end());
    } catch (FdtException e) {
      onReadFailed(file, e);
    }
  }

  // Figures.

  /**
   * Whether this end knows that everything is done, even before the receiver's last message. With
   * directories and links, only that message tells.
   */
  public boolean isComplete() {
    return rootsAreFiles && offered.areOnlyFiles() && manifestEnded && offered.areAllSettled();
  }

  /** Whether the whole source was walked and the receiver has decided about every entry. */
  public boolean areTotalsFinal() {
    return manifestEnded && offered.areAllDecided();
  }

  /** The receiver's final summary; null until received. */
  public Finished finished() {
    return offered.finished();
  }

  /** Offered files without an outcome. */
  public Iterable<OutgoingFile<S>> openFiles() {
    return offered.open();
  }

  /** Bytes that the receiver has from earlier transfers. */
  public long bytesKept() {
    return offered.bytesKept();
  }

  /** Bytes that the receiver had in other versions of the files. */
  public long bytesMatched() {
    return offered.bytesMatched();
  }

  /** Bytes of the files that the receiver wants. */
  public long bytesWanted() {
    return offered.bytesWanted();
  }

  /**
   * Bytes of files that the receiver has written, each counted once. At the end this is the
   * receiver's number, which includes files that failed.
   */
  public long bytesWritten() {
    Finished all = finished();
    boolean isTold = all != null && all.getBytes() >= 0 && all.getBytes() <= bytesSent;
    return isTold ? all.getBytes() : offered.bytesWritten();
  }

  /** Blocks and packs that the receiver has written, including retransmissions. */
  public long blocksWritten() {
    return blocksWritten;
  }

  /** Blocks and packs sent again because they were damaged or lost. */
  public long framesRepeated() {
    return framesRepeated;
  }

  public long filesOffered() {
    return offered.offered();
  }

  public long filesDone() {
    return offered.done();
  }

  public long filesUnchanged() {
    return offered.unchanged();
  }

  /** Files that a dry run would send. */
  public long filesDue() {
    return offered.due();
  }

  /** Entries of any kind that failed. */
  public long failures() {
    return offered.failures();
  }

  /** Bytes that files among them lack. */
  public long failedBytes() {
    return offered.failedBytes();
  }

  /** Entries that are never copied, and files skipped because they changed. */
  public long entriesSkipped() {
    return skipped + offered.skipped();
  }
}
