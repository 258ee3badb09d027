package io.fdt.core.receive;

import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.PackedFile;
import io.fdt.core.session.receiver.ReceiverAction;
import io.fdt.core.storage.DiskId;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The second half of a byte's path to the disk: writes the blocks that the machine requests, on the
 * writers of their disk, and reports the outcomes.
 *
 * <pre>
 *   ReceiverMachine --- WriteBlock, WritePack ---> BlockWriting ---> writer of the disk
 *        ^------------- BlockWritten, FilesStored ---------------------------'
 * </pre>
 *
 * <p>Blocks that wait for writers count as {@link Backpressure}. Confined to the loop of the
 * session, except for the writes.
 */
final class BlockWriting implements BlockStore {
  private final SessionLoop loop;
  private final ReceiverEvents machine;
  private final TransferEvents events;
  private final DiskWorkers writers;
  private final Backpressure backpressure;
  private final ReceivedDigests digests;
  private final FilePublisher publisher;
  private final PackWriter packs;
  private final int batchesPerDisk;

  /**
   * @param batchesPerDisk into how many the small files of a pack are divided; each has its writer
   */
  BlockWriting(
      SessionLoop loop,
      ReceiverEvents machine,
      TransferEvents events,
      DiskWorkers writers,
      Backpressure backpressure,
      ReceivedDigests digests,
      FilePublisher publisher,
      int batchesPerDisk) {
    this.loop = loop;
    this.machine = machine;
    this.events = events;
    this.writers = writers;
    this.backpressure = backpressure;
    this.digests = digests;
    this.publisher = publisher;
    this.batchesPerDisk = batchesPerDisk;
    this.packs = new PackWriter(digests, publisher);
  }

  @Override
  public void write(ReceiverAction.WriteBlock<ReceivedFileWriter> action) {
    ReceivedFrame frame = action.frame();
    FrameHeader header = frame.header();
    IncomingFile<ReceivedFileWriter> file = action.file();
    ReceivedFileWriter writer = file.writer();
    backpressure.add(header.length());
    writers.submit(
        writer.disk(),
        () -> {
          byte[][] hashes = {{}};
          FdtException failure =
              DiskWork.attempt(
                  () -> {
                    hashes[0] = digests.ofBlock(frame.payload(), header.offset(), writer.size());
                    writer.writeBlock(frame.payload(), header.offset(), header.payloadCrc());
                  });
          frame.release();
          loop.post(
              () -> {
                backpressure.remove(header.length());
                machine.handle(
                    to -> to.blockWritten(file, action.stream(), header, hashes[0], failure));
              });
        });
  }

  void write(ReceiverAction.WritePack<ReceivedFileWriter> action) {
    ReceivedFrame frame = action.frame();
    FrameHeader header = frame.header();
    backpressure.add(header.length());
    List<List<PackedFile<ReceivedFileWriter>>> batches = batches(action.files());
    int[] batchesLeft = {batches.size()};
    for (List<PackedFile<ReceivedFileWriter>> files : batches) {
      writers.submit(
          files.get(0).file().writer().disk(),
          () -> {
            FdtException defect = DiskWork.attempt(() -> packs.write(files, frame.payload()));
            loop.post(
                () -> {
                  if (defect != null) {
                    events.failed(defect);
                  }
                  machine.handle(to -> to.filesStored(files));
                  if (--batchesLeft[0] == 0) {
                    frame.release();
                    backpressure.remove(header.length());
                    machine.handle(to -> to.packWritten(action.stream(), header.number()));
                  }
                });
          });
    }
  }

  /** The files of each disk, divided among its writers where a file is slow to begin. */
  private List<List<PackedFile<ReceivedFileWriter>>> batches(
      List<PackedFile<ReceivedFileWriter>> files) {
    List<List<PackedFile<ReceivedFileWriter>>> batches = new ArrayList<>();
    for (List<PackedFile<ReceivedFileWriter>> ofDisk : byDisk(files).values()) {
      int length = (ofDisk.size() + batchesPerDisk - 1) / batchesPerDisk;
      for (int i = 0; i < ofDisk.size(); i += length) {
        batches.add(ofDisk.subList(i, Math.min(ofDisk.size(), i + length)));
      }
    }
    return batches;
  }

  private static Map<DiskId, List<PackedFile<ReceivedFileWriter>>> byDisk(
      List<PackedFile<ReceivedFileWriter>> files) {
    Map<DiskId, List<PackedFile<ReceivedFileWriter>>> byDisk = new LinkedHashMap<>();
    for (PackedFile<ReceivedFileWriter> file : files) {
      byDisk.computeIfAbsent(file.file().writer().disk(), d -> new ArrayList<>()).add(file);
    }
    return byDisk;
  }

  void makeHoles(ReceiverAction.MakeHoles<ReceivedFileWriter> action) {
    ReceivedFileWriter writer = action.file().writer();
    writers.submit(
        writer.disk(),
        () -> {
          FdtException failure = DiskWork.attempt(() -> writer.makeHoles(action.holes()));
          machine.post(to -> to.holesMade(action.file(), action.holes(), failure));
        });
  }

  @Override
  public void publish(IncomingFile<ReceivedFileWriter> file) {
    publisher.publish(file, false);
  }

  @Override
  public void release(ReceiverAction.Release<ReceivedFileWriter> action) {
    ReceivedFileWriter writer = action.file().writer();
    writers.submit(
        writer.disk(),
        () -> {
          FdtException defect =
              DiskWork.attempt(
                  () -> {
                    if (action.discard()) {
                      writer.discard();
                    } else {
                      writer.close();
                    }
                  });
          loop.post(
              () -> {
                if (defect != null) {
                  events.failed(defect);
                }
                machine.handle(to -> to.released(action.file()));
              });
        });
  }

  /** Completes submitted work, then closes the open files and the writers. */
  void close(Iterable<IncomingFile<ReceivedFileWriter>> open) {
    Map<DiskId, List<ReceivedFileWriter>> byDisk = new LinkedHashMap<>();
    for (IncomingFile<ReceivedFileWriter> file : open) {
      ReceivedFileWriter writer = file.writer();
      if (writer != null) {
        byDisk.computeIfAbsent(writer.disk(), d -> new ArrayList<>()).add(writer);
      }
    }
    byDisk.forEach(
        (disk, files) -> writers.submit(disk, () -> files.forEach(ReceivedFileWriter::close)));
    writers.close();
  }

  /** See {@link DiskWorkers#awaitEnd}. */
  void awaitEnd() {
    writers.awaitEnd();
  }
}
