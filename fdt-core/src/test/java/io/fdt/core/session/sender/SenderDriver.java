package io.fdt.core.session.sender;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.session.receiver.ReceiverDriver;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.FrameAcks;
import io.fdt.core.wire.control.MetadataWarning;
import io.fdt.core.wire.control.MetadataWarnings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Gives a real {@link SenderMachine} one event at a time, and says what it wants done, as tests
 * like to read it: a fake executor that does nothing by itself, and asks for one job after another.
 */
public final class SenderDriver<S> {
  /** Hears of files whose outcome is known. */
  public interface SettledListener<S> {
    void settled(OutgoingFile<S> file, FileOutcome outcome, ErrorCode code, String message);
  }

  private final TransferSpec spec;
  private final Consumer<Control.Builder> messages;
  private final SettledListener<S> listener;
  private final ArrayDeque<ReadJob<S>> jobs = new ArrayDeque<>();
  private final List<FileFailure> others = new ArrayList<>();
  private SenderMachine<S> machine;
  private int weight;
  private int given;
  private long nowNanos;
  private long lastId;
  private long decidedThrough;

  public SenderDriver(
      int blockSize, Consumer<Control.Builder> messages, SettledListener<S> listener) {
    this(blockSize, DigestMethod.of(Checksum.CRC32C, blockSize), messages, listener);
  }

  public SenderDriver(
      int blockSize,
      DigestMethod method,
      Consumer<Control.Builder> messages,
      SettledListener<S> listener) {
    this(ReceiverDriver.spec(method, blockSize), messages, listener);
  }

  public SenderDriver(
      TransferSpec spec, Consumer<Control.Builder> messages, SettledListener<S> listener) {
    this.spec = spec;
    this.messages = messages;
    this.listener = listener;
    this.machine = new SenderMachine<>(spec, false, (file, size, digest) -> {});
  }

  public SenderMachine<S> machine() {
    return machine;
  }

  public void handle(SenderEvent<S> event) throws FdtException {
    for (SenderAction<S> action : machine.handle(event, nowNanos)) {
      if (action instanceof SenderAction.Send<S> send) {
        if (!send.message().hasManifestBatch()) { // tests make those themselves
          messages.accept(send.message());
        }
      } else if (action instanceof SenderAction.Read<S> read) {
        jobs.add(read.job());
        given++;
      } else if (action instanceof SenderAction.FileSettled<S> settled) {
        listener.settled(settled.file(), settled.outcome(), settled.code(), settled.message());
      } else if (action instanceof SenderAction.ReleaseWindow<S> window) {
        weight += window.weight();
      } else if (action instanceof SenderAction.Problem<S> problem) {
        others.add(
            FileFailure.newBuilder()
                .setCode(problem.code().wireCode())
                .setMessage(problem.message())
                .build());
      }
    }
  }

  private void must(SenderEvent<S> event) {
    try {
      handle(event);
    } catch (FdtException e) {
      throw new AssertionError(e);
    }
  }

  private void message(Control.Builder message) throws FdtException {
    handle(to -> to.message(message.build()));
  }

  public void keepInOrder(long bytes) {
    machine = new SenderMachine<>(spec, new InOrderWindow(bytes), (file, size, digest) -> {});
  }

  /** There is one disk. */
  public int addLane() {
    return 0;
  }

  public void offer(Entry entry, S source, int queue) {
    lastId = entry.id();
    ManifestPart<S> part = ManifestPart.empty();
    part.entries().add(entry);
    part.files().add(source);
    part.queues().add(queue);
    must(to -> to.entriesFound(part));
  }

  public void endManifest() {
    must(to -> to.walkEnded(null));
  }

  /** The weight of entries that are no files, and so have their outcome. */
  public int onDecisions(Decisions decisions) throws FdtException {
    weight = 0;
    message(Control.newBuilder().setDecisions(decisions));
    decidedThrough += decisions.getRunsList().stream().mapToLong(run -> run.getCount()).sum();
    return weight;
  }

  public void onCompared(Compared compared) throws FdtException {
    message(Control.newBuilder().setCompared(compared));
  }

  public void onAcks(FrameAcks acks) throws FdtException {
    message(Control.newBuilder().setFrameAcks(acks));
  }

  public void onFileResults(FileResults results, Consumer<FileFailure> ofOthers)
      throws FdtException {
    others.clear();
    message(Control.newBuilder().setFileResults(results));
    others.forEach(ofOthers);
  }

  public void onMetadataWarning(long id) throws FdtException {
    MetadataWarning one = MetadataWarning.newBuilder().setId(id).setCode(24).build();
    message(
        Control.newBuilder().setMetadataWarnings(MetadataWarnings.newBuilder().addEntries(one)));
  }

  public void onFinished(Finished finished) throws FdtException {
    message(Control.newBuilder().setFinished(finished));
  }

  /** What to read next; null when there is nothing to read now. */
  public ReadJob<S> nextJob(int queue) {
    must(to -> to.jobsAllowed(given + 1));
    must(to -> to.jobsAllowed(0));
    return jobs.poll();
  }

  private void done() {
    given--;
  }

  public void onBlockRead(ReadJob.Block<S> block, int crc) {
    onBlockRead(block, crc, new byte[0]);
  }

  public void onBlockRead(ReadJob.Block<S> block, int crc, byte[] hashes) {
    done();
    must(to -> to.jobRead(block, block.queue(), crc, hashes, List.of()));
  }

  public void onChecked(ReadJob.Check<S> check, int crc, byte[] hashes) {
    done();
    must(to -> to.jobRead(check, check.queue(), crc, hashes, List.of()));
  }

  public void onSurveyed(OutgoingFile<S> file, List<Range> holes) {
    done();
    must(to -> to.surveyed(file, file.queue(), holes, null));
  }

  /** A file cannot be read; its job is none that is under way. */
  public void onReadFailed(OutgoingFile<S> file, FdtException cause) {
    done();
    must(
        to ->
            to.jobRead(
                new ReadJob.Check<>(file, 0, 0, false, false),
                file.queue(),
                0,
                new byte[0],
                List.of(new SenderEvent.ReadFailure<>(file, cause))));
  }

  public boolean isStillNeeded(ReadJob<S> job) {
    return job.isStillNeeded();
  }

  public void onSent(int stream, long number, ReadJob<S> job) {
    must(to -> to.frameSent(stream, number, job));
  }

  /** It is gone for so long that the receiver will say nothing more of it. */
  public void onStreamLost(int stream) {
    onStreamClosed(stream);
    nowNanos += InFlightFrames.LAST_WORD_NANOS;
    flush();
  }

  /** It is gone; what the receiver has said of it may still be on its way. */
  public void onStreamClosed(int stream) {
    must(to -> to.streamLost(stream));
  }

  /** Messages leave with every event. */
  public void flush() {
    must(to -> to.tick());
  }

  /** The last entry that was offered. */
  public long lastId() {
    return lastId;
  }

  /** The last entry that a decision was taken on. */
  public long judgedThrough() {
    return decidedThrough;
  }

  public Iterable<OutgoingFile<S>> openFiles() {
    return machine.openFiles();
  }
}
