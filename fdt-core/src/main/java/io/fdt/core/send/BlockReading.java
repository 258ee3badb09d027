package io.fdt.core.send;

import io.fdt.core.buffer.BufferBudget;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.send.ReadWork.Filled;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderAction;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree.SourceFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The first half of a byte's path from the disk: fills buffers with the blocks that the machine
 * requests, on the readers of their disk, and passes them on.
 *
 * <pre>
 *   SenderMachine --- Read ---> BlockReading ---> reader of the disk: ReadWork fills a buffer
 *        ^------- JobRead -----------'------ filled buffer ---> FrameDispatch
 * </pre>
 *
 * <p>Readers wait for the {@link BufferBudget}; it is given back when a stream has sent the buffer.
 * Confined to the loop of the session, except for the reads.
 */
final class BlockReading implements BlockSource {
  private final SessionLoop loop;
  private final SenderEvents machine;
  private final DiskWorkers readers;
  private final ReadWork work;
  private final CheckMeter checks;
  private final FrameDispatch dispatch;

  /** Disks by the number of their queue, and the reverse map. */
  private final List<DiskId> disks = new ArrayList<>();

  private final Map<DiskId, Integer> queues = new HashMap<>();

  /** Large files that readers have open, by id. */
  private final Map<Long, SharedReader> shared = new HashMap<>();

  private int pending;
  private boolean closed;

  BlockReading(
      SessionLoop loop,
      SenderEvents machine,
      DiskWorkers readers,
      ReadWork work,
      CheckMeter checks,
      FrameDispatch dispatch) {
    this.loop = loop;
    this.machine = machine;
    this.readers = readers;
    this.work = work;
    this.checks = checks;
    this.dispatch = dispatch;
  }

  /** The number of the queue for reads from this disk. */
  int queueOf(DiskId disk) {
    Integer known = queues.get(disk);
    if (known != null) {
      return known;
    }
    queues.put(disk, disks.size());
    disks.add(disk);
    return disks.size() - 1;
  }

  /** Unfinished jobs of readers. */
  int pending() {
    return pending;
  }

  @Override
  public void read(SenderAction.Read<SourceFile> action) {
    DiskId disk = disks.get(action.queue());
    if (action.job() instanceof ReadJob.Block<SourceFile> block) {
      SharedReader reader = reader(block.file());
      submit(disk, action.queue(), () -> work.block(block, reader));
    } else if (action.job() instanceof ReadJob.Check<SourceFile> check) {
      SharedReader reader = reader(check.file());
      submit(disk, action.queue(), () -> work.check(check, reader));
    } else if (action.job() instanceof ReadJob.Hash<SourceFile> hash) {
      SharedReader reader = reader(hash.file());
      submit(disk, action.queue(), () -> work.hash(hash, reader));
    } else if (action.job() instanceof ReadJob.Survey<SourceFile> survey) {
      survey(disk, action.queue(), survey.file());
    } else {
      ReadJob.Pack<SourceFile> pack = (ReadJob.Pack<SourceFile>) action.job();
      submit(disk, action.queue(), () -> work.pack(pack));
    }
  }

  private interface Reading {
    Filled run() throws InterruptedException;
  }

  private void submit(DiskId disk, int queue, Reading reading) {
    pending++;
    readers.submit(
        disk,
        () -> {
          try {
            Filled filled = reading.run();
            if (filled != null) { // otherwise the session has ended meanwhile
              loop.post(() -> filled(queue, filled));
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (RuntimeException | Error e) {
            loop.fail("reading failed", e);
          }
        });
  }

  private void filled(int queue, Filled filled) {
    pending--;
    if (closed) {
      dispatch.drop(filled);
      return;
    }
    ReadJob<SourceFile> job = filled.job();
    if ((job instanceof ReadJob.Check || job instanceof ReadJob.Hash)
        && filled.failures().isEmpty()) {
      checks.add(job.payload());
    }
    if (!(job instanceof ReadJob.Pack)) {
      tellChange(job.first());
    }
    machine.handle(
        to -> to.jobRead(filled.job(), queue, filled.crc(), filled.hashes(), filled.failures()));
    if (filled.frame() != null) {
      dispatch.add(filled);
    }
  }

  private void tellChange(OutgoingFile<SourceFile> file) {
    String how = file.source().change();
    if (!how.isEmpty() && file.change().isEmpty()) {
      machine.handle(to -> to.fileChanged(file, how));
    }
  }

  private void survey(DiskId disk, int queue, OutgoingFile<SourceFile> file) {
    SharedReader reader = reader(file);
    readers.submit(
        disk,
        () -> {
          List<Range> holes = new ArrayList<>();
          FdtException failure = DiskWork.attempt(() -> holes.addAll(reader.holes()));
          loop.post(() -> machine.handle(to -> to.surveyed(file, queue, holes, failure)));
        });
  }

  private SharedReader reader(OutgoingFile<SourceFile> file) {
    return shared.computeIfAbsent(file.id(), id -> new SharedReader(file.source(), file.size()));
  }

  @Override
  public void closeFile(OutgoingFile<SourceFile> file) {
    SharedReader reader = shared.remove(file.id());
    if (reader != null) {
      reader.retire();
    }
  }

  /** Starts no more work. Running reads are completed. */
  void close() {
    closed = true;
    readers.close();
    shared.values().forEach(SharedReader::retire);
    shared.clear();
  }
}
