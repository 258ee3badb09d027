package io.fdt.core.receive;

import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverAction;
import io.fdt.core.spec.Assurance;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Durability;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;

/**
 * The last steps of a received file: reads it back or forces it to its device, on request, and
 * gives it its final name.
 *
 * <p>Slow steps have separate threads for each disk, as many as writers, so that other files are
 * written meanwhile; a file that waits for them counts like a block that waits for writers.
 *
 * <p>{@link #put}, {@link #forceName} and {@link #forcesNames} run on disk threads; the rest is
 * confined to the session's loop.
 */
final class FilePublisher implements AutoCloseable {
  private final SessionLoop loop;
  private final ReceiverEvents machine;
  private final Assurance assurance;
  private final int blockSize;
  private final ReceivedDigests digests;
  private final CheckMeter checks;
  private final Backpressure backpressure;
  private final DiskWorkers writers;
  private final DiskWorkers finishers;

  /**
   * @param writers of the destination
   * @param finishers for slow steps; closed with this
   */
  FilePublisher(
      SessionLoop loop,
      ReceiverEvents machine,
      TransferSpec spec,
      ReceivedDigests digests,
      CheckMeter checks,
      Backpressure backpressure,
      DiskWorkers writers,
      DiskWorkers finishers) {
    this.loop = loop;
    this.machine = machine;
    this.assurance = spec.assurance();
    this.blockSize = spec.blockSize();
    this.digests = digests;
    this.checks = checks;
    this.backpressure = backpressure;
    this.writers = writers;
    this.finishers = finishers;
  }

  /**
   * Gives a complete file its final name.
   *
   * @param doubtful whether the file must be read back first
   */
  void publish(IncomingFile<ReceivedFileWriter> file, boolean doubtful) {
    ReceivedFileWriter writer = file.writer();
    writer.setSize(file.size());
    byte[] digest = file.digest();
    boolean takesLong = takesLong() || doubtful;
    int weight = takesLong ? blockSize : 0;
    backpressure.add(weight);
    (takesLong ? finishers : writers)
        .submit(
            writer.disk(),
            () -> {
              FdtException failure =
                  DiskWork.attempt(
                      () -> {
                        finish(writer, digest, doubtful);
                        forceName(writer);
                      });
              loop.post(
                  () -> {
                    backpressure.remove(weight);
                    machine.handle(to -> to.published(file, writer.warnings(), failure));
                  });
            });
  }

  private boolean takesLong() {
    return assurance.verify() || assurance.fsync();
  }

  /** Writes all of a small file and gives it its final name; {@link #forceName} follows. */
  void put(ReceivedFileWriter writer, ByteBuf bytes, byte[] digest) throws FdtException {
    if (takesLong() || !writer.put(bytes)) {
      writer.writeWhole(bytes);
      finish(writer, digest, false);
    }
  }

  /**
   * Gives its final name to a file that was copied from another one at this destination; {@link
   * #forceName} follows.
   *
   * @param digest of the other file; empty if unknown
   */
  void publishCopy(ReceivedFileWriter writer, byte[] digest) throws FdtException {
    if (digest.length > 0) {
      digests.verify(writer, digest);
    }
    name(writer);
  }

  /** All last steps except {@link #forceName}, which may be done for several files at once. */
  private void finish(ReceivedFileWriter writer, byte[] digest, boolean doubtful)
      throws FdtException {
    if (doubtful) {
      verifyDoubtful(writer, digest);
    } else if (assurance.verify()) {
      digests.verify(writer, digest);
    }
    name(writer);
  }

  private void name(ReceivedFileWriter writer) throws FdtException {
    writer.publish(assurance.fsync() ? Durability.forced(checks::add) : Durability.NONE);
  }

  /**
   * Reads back a file of which a lost data node has written a part. If bytes are missing, the rest
   * is still valid: the journal tells which ranges to compare and which to send again.
   */
  private void verifyDoubtful(ReceivedFileWriter writer, byte[] digest) throws FdtException {
    try {
      digests.verify(writer, digest);
    } catch (FdtException e) {
      throw e.code() == ErrorCode.VERIFICATION
          ? new FdtException(
              ErrorCode.IO,
              "'"
                  + writer.path()
                  + "': a data node has left, and a part of its data is missing; run the same"
                  + " command again to send that part",
              e)
          : e;
    }
  }

  /** Forces the directory of a file with its final name to the device, on request. */
  void forceName(ReceivedFileWriter writer) throws FdtException {
    if (forcesNames()) {
      writer.directory().force();
    }
  }

  /** Whether {@link #forceName} does anything. */
  boolean forcesNames() {
    return assurance.fsync();
  }

  /**
   * Computes the hashes of the chunks of written ranges and holes, step by step: each step has a
   * part on the disk thread and one on the loop.
   */
  void hash(ReceiverAction.HashKept<ReceivedFileWriter> action) {
    hashNext(action.file(), new ArrayDeque<>(action.ranges()), action.areHoles());
  }

  private void hashNext(
      IncomingFile<ReceivedFileWriter> file, ArrayDeque<Range> ranges, boolean areHoles) {
    Range range = ranges.poll();
    if (range == null || file.isSettled()) {
      machine.post(to -> to.keptHashed(file, null));
      return;
    }
    int length =
        Math.toIntExact(
            Math.min(
                areHoles ? ReceivedDigests.STEP_OF_HOLES : ReceivedDigests.STEP, range.length()));
    if (length < range.length()) {
      ranges.addFirst(new Range(range.start() + length, range.end()));
    }
    finishers.submit(
        file.writer().disk(),
        () -> {
          byte[][] hashes = new byte[1][];
          FdtException failure =
              DiskWork.attempt(
                  () ->
                      hashes[0] =
                          areHoles
                              ? digests.ofHole(range.start(), length, file.size())
                              : digests.ofWritten(file.writer(), range.start(), length));
          loop.post(
              () -> {
                if (failure == null) {
                  machine.handle(to -> to.rangeHashed(file, range.start(), hashes[0]));
                  hashNext(file, ranges, areHoles);
                } else {
                  machine.handle(to -> to.keptHashed(file, failure));
                }
              });
        });
  }

  /** Completes submitted work; then the threads end. */
  @Override
  public void close() {
    finishers.close();
  }

  /** See {@link DiskWorkers#awaitEnd}. */
  void awaitEnd() {
    finishers.awaitEnd();
  }
}
