package io.fdt.core.receive;

import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.engine.TransferThreads.SerialWorker;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Root;
import io.fdt.core.session.receiver.PlacedEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs the {@link EntryPlacer} on one thread, in the order of the manifest, and passes the result
 * of each entry to the machine.
 *
 * <p>Confined to the loop of the session.
 */
final class EntryPlacing {
  private final SessionLoop loop;
  private final ReceiverEvents machine;
  private final TransferEvents events;
  private final EntryPlacer placer;
  private final DeletionRun deletion;
  private final SerialWorker worker;

  EntryPlacing(
      SessionLoop loop,
      ReceiverEvents machine,
      TransferEvents events,
      EntryPlacer placer,
      DeletionRun deletion,
      SerialWorker worker) {
    this.loop = loop;
    this.machine = machine;
    this.events = events;
    this.placer = placer;
    this.deletion = deletion;
    this.worker = worker;
  }

  void open(List<Root> roots) {
    worker.execute(
        () -> {
          FdtException failure = DiskWork.attempt(() -> placer.open(roots));
          if (failure != null) {
            loop.post(() -> events.failed(failure));
          }
        });
  }

  void place(List<Entry> entries) {
    List<PlacedEntry<ReceivedFileWriter>> placed = new ArrayList<>(entries.size());
    worker.execute(
        () -> {
          FdtException defect =
              DiskWork.attempt(
                  () -> {
                    entries.forEach(deletion::placed);
                    placer.place(entries, placed);
                  });
          if (defect == null) {
            machine.post(to -> to.entriesPlaced(placed));
          } else {
            loop.post(() -> events.failed(defect));
          }
        });
  }

  void finishDirectory(Entry directory) {
    worker.execute(
        () -> {
          List<PlacedEntry<ReceivedFileWriter>> warnings = new ArrayList<>();
          FdtException failure =
              DiskWork.attempt(
                  () -> {
                    deletion.ended(directory);
                    placer.finish(directory, warnings);
                  });
          warn(warnings);
          machine.post(to -> to.directoryFinished(directory, failure));
        });
  }

  /**
   * @param bytesDue of a dry run; 0 otherwise
   * @param notices takes a warning, on the loop
   */
  void finishDestination(long bytesDue, Consumer<String> notices) {
    worker.execute(
        () -> {
          String shortage = placer.shortage(bytesDue);
          loop.post(() -> notices.accept(shortage));
          boolean[] changes = new boolean[1];
          List<PlacedEntry<ReceivedFileWriter>> warnings = new ArrayList<>();
          FdtException failure = DiskWork.attempt(() -> changes[0] = placer.finishRoot(warnings));
          warn(warnings);
          machine.post(to -> to.destinationFinished(failure, changes[0]));
        });
  }

  private void warn(List<PlacedEntry<ReceivedFileWriter>> warnings) {
    if (!warnings.isEmpty()) {
      machine.post(to -> to.entriesPlaced(warnings));
    }
  }

  /** Closes the destination after {@code before}, which may wait, and then runs {@code after}. */
  void close(Runnable before, Runnable after) {
    worker.execute(
        () -> {
          try {
            before.run();
            placer.close();
          } finally {
            after.run();
          }
        });
    worker.shutdown();
  }
}
