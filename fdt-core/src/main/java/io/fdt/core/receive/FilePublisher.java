package io.fdt.core.receive;

import io.fdt.core.engine.Assurance;
import io.fdt.core.engine.CheckMeter;
import io.fdt.core.engine.DiskScheduler;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferSettings;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.session.IncomingFile;
import io.fdt.core.session.ReceiverSession;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The last steps of a received file: it is read back or forced to its device, where that was asked
 * for, and gets its final name.
 *
 * <p>What takes long has threads of its own for each disk, as many as writers, so that other files
 * are written meanwhile; a file that waits for them counts as a block that waits for writers.
 *
 * <p>{@link #finish} runs on threads of disks; the rest is confined to the session's event loop.
 */
final class FilePublisher implements AutoCloseable {
  private final SessionLoop loop;
  private final TransferSettings settings;
  private final Assurance assurance;
  private final ReceivedDigests digests;
  private final CheckMeter checks;
  private final Backpressure brake;
  private final DiskScheduler writers;
  private final DiskScheduler finishers;

  FilePublisher(
      String name,
      SessionLoop loop,
      TransferSettings settings,
      ReceivedDigests digests,
      CheckMeter checks,
      Backpressure brake,
      DiskScheduler writers) {
    this.loop = loop;
    this.settings = settings;
    this.assurance = settings.assurance();
    this.digests = digests;
    this.checks = checks;
    this.brake = brake;
    this.writers = writers;
    this.finishers = new DiskScheduler(name + "-finish", settings.threadsPerDisk());
  }

  /**
   * Does what is needed until the file has its final name; then calls back, on the loop.
   *
   * @param then gets the file, and why it failed or null
   */
  void submit(
      IncomingFile<ReceivedFileWriter> file,
      BiConsumer<IncomingFile<ReceivedFileWriter>, FdtException> then) {
    ReceivedFileWriter handle = file.handle();
    handle.setSize(file.size());
    byte[] digest = file.digest();
    boolean takesLong = takesLong();
    int weight = takesLong ? settings.blockSize() : 0;
    brake.add(weight);
    (takesLong ? finishers : writers)
        .submit(
            handle.disk(),
            () -> {
              FdtException failure =
                  DiskWork.attempt(
                      () -> {
                        finish(handle, digest);
                        forceName(handle);
                      });
              loop.post(
                  () -> {
                    brake.remove(weight);
                    then.accept(file, failure);
                  });
            });
  }

  private boolean takesLong() {
    return assurance.verify() || assurance.fsync();
  }

  /** Writes all of a small file; then as {@link #finish}. */
  void put(ReceivedFileWriter handle, ByteBuf bytes, byte[] digest) throws FdtException {
    if (takesLong() || !handle.put(bytes)) {
      handle.writeWhole(bytes);
      finish(handle, digest);
    }
  }

  /** All but {@link #forceName}, which may be done for several files at once. */
  private void finish(ReceivedFileWriter handle, byte[] digest) throws FdtException {
    if (assurance.verify()) {
      digests.verify(handle, digest);
    }
    if (assurance.fsync()) {
      handle.publishDurably(checks::add);
    } else {
      handle.publish();
    }
  }

  /** Forces the directory of a file that has its final name, where that was asked for. */
  void forceName(ReceivedFileWriter handle) throws FdtException {
    if (forcesNames()) {
      handle.directory().force();
    }
  }

  /** Whether {@link #forceName} does anything. */
  boolean forcesNames() {
    return assurance.fsync();
  }

  /**
   * Reads ranges that an earlier transfer wrote, for the hashes of their chunks. One step after
   * another: each is work for the disk, and for the loop.
   */
  void hash(
      ReceiverSession<ReceivedFileWriter> session,
      IncomingFile<ReceivedFileWriter> file,
      List<Range> ranges,
      BiConsumer<IncomingFile<ReceivedFileWriter>, FdtException> then) {
    if (!ranges.isEmpty()) {
      file.handle().writes++;
      hashNext(session, file, new ArrayDeque<>(ranges), then);
    }
  }

  private void hashNext(
      ReceiverSession<ReceivedFileWriter> session,
      IncomingFile<ReceivedFileWriter> file,
      ArrayDeque<Range> ranges,
      BiConsumer<IncomingFile<ReceivedFileWriter>, FdtException> then) {
    Range range = ranges.poll();
    if (range == null || file.isSettled()) {
      file.handle().writes--;
      then.accept(file, null);
      return;
    }
    int length = Math.toIntExact(Math.min(ReceivedDigests.STEP, range.length()));
    if (length < range.length()) {
      ranges.addFirst(new Range(range.start() + length, range.end()));
    }
    finishers.submit(
        file.handle().disk(),
        () -> {
          byte[][] hashes = new byte[1][];
          FdtException failure =
              DiskWork.attempt(
                  () -> hashes[0] = digests.ofWritten(file.handle(), range.start(), length));
          loop.post(
              () -> {
                if (failure == null) {
                  session.onHashed(file, range.start(), hashes[0]);
                  hashNext(session, file, ranges, then);
                } else {
                  file.handle().writes--;
                  then.accept(file, failure);
                }
              });
        });
  }

  /** What was submitted is still done; then the threads end. */
  @Override
  public void close() {
    finishers.close();
  }

  /** See {@link DiskScheduler#awaitEnd}. */
  void awaitEnd() {
    finishers.awaitEnd();
  }
}
