package io.fdt.core.receive;

import io.fdt.core.digest.PieceHasher;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.session.receiver.FoundRange;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.PlacedEntry;
import io.fdt.core.session.receiver.ReceiverAction;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.ExistingFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Computes digests of files at the destination, and acts on the comparison, on as many disk threads
 * as there are writers.
 *
 * <p>A file that cannot be read, or changes meanwhile, counts as different. Confined to the
 * session's loop, except for the work on disk threads.
 */
final class FileComparer implements AutoCloseable {
  private final ReceiverEvents machine;
  private final boolean dryRun;
  private final EntryPlacer placer;
  private final ReceivedDigests digests;
  private final CheckMeter checks;
  private final DiskWorkers readers;
  private final ThreadLocal<PieceHasher> pieces = ThreadLocal.withInitial(PieceHasher::new);

  /** Ids of files whose reading is to stop; read by disk threads. */
  private final Set<Long> stopped = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  /**
   * @param readers the disk threads; closed with this
   */
  FileComparer(
      ReceiverEvents machine,
      boolean dryRun,
      EntryPlacer placer,
      ReceivedDigests digests,
      CheckMeter checks,
      DiskWorkers readers) {
    this.machine = machine;
    this.dryRun = dryRun;
    this.placer = placer;
    this.digests = digests;
    this.checks = checks;
    this.readers = readers;
  }

  /** Computes the digest of the existing file. */
  void readDigest(ReceiverAction.ReadDigest<ReceivedFileWriter> action) {
    EntryPlacer.Existing existing = existing(action.there());
    long id = action.file().id();
    readers.submit(
        existing.place().directory().disk(),
        () -> {
          byte[][] digest = new byte[1][];
          FdtException failure = DiskWork.attempt(() -> digest[0] = read(id, existing));
          stopped.remove(id);
          machine.post(to -> to.digestRead(action.file(), failure == null ? digest[0] : null));
        });
  }

  /** Compares pieces of a file with the file that it replaces. */
  void matchBase(ReceiverAction.MatchBase<ReceivedFileWriter> action) {
    ReceivedFileWriter writer = action.file().writer();
    readers.submit(
        writer.disk(),
        () -> {
          long start = System.nanoTime();
          List<FoundRange> equal = new ArrayList<>();
          FdtException failure =
              DiskWork.attempt(() -> writer.matchBase(action.hashes(), pieces.get(), equal));
          checks.add(action.hashes().range().length());
          long nanos = System.nanoTime() - start;
          machine.post(to -> to.baseMatched(action.file(), action.hashes(), equal, nanos, failure));
        });
  }

  /** Searches the base of a file for pieces that have moved. */
  void searchBase(ReceiverAction.SearchBase<ReceivedFileWriter> action) {
    ReceivedFileWriter writer = action.file().writer();
    readers.submit(
        writer.disk(),
        () -> {
          LongAdder searched = new LongAdder();
          OptionalLong shift =
              writer
                  .base()
                  .search(
                      action.pieces(),
                      action.centre(),
                      action.reach(),
                      bytes -> {
                        searched.add(bytes);
                        checks.add(bytes);
                      });
          machine.post(to -> to.baseSearched(action.file(), shift, searched.sum()));
        });
  }

  /** Stops the computation of a digest that is no longer needed. */
  void stopReading(IncomingFile<ReceivedFileWriter> file) {
    stopped.add(file.id());
  }

  private static EntryPlacer.Existing existing(PlacedEntry.Compare<ReceivedFileWriter> compare) {
    return (EntryPlacer.Existing) compare.there();
  }

  private byte[] read(long id, EntryPlacer.Existing existing) throws FdtException {
    Place place = existing.place();
    checkWanted(id, place);
    try (ExistingFile there = place.directory().openExisting(place.name(), existing.seen())) {
      return digests.of(
          existing.seen().size(),
          (target, length, at) -> {
            checkWanted(id, place);
            if (there.read(target, length, at) < length) {
              throw new FdtException(
                  ErrorCode.SOURCE_CHANGED,
                  place.path() + " became shorter; run the command again");
            }
            checks.add(length);
          });
    }
  }

  private void checkWanted(long id, Place place) throws FdtException {
    if (closed || stopped.contains(id)) {
      throw new FdtException(ErrorCode.CANCELLED, place.path() + ": given up");
    }
  }

  /**
   * Handles a comparison with both digests known: an equal file gets mode and time, a different one
   * is requested.
   */
  void end(ReceiverAction.EndComparison<ReceivedFileWriter> action) {
    Entry entry = action.file().entry();
    EntryPlacer.Existing existing = existing(action.there());
    readers.submit(
        existing.place().directory().disk(),
        () -> {
          List<PlacedEntry<ReceivedFileWriter>> outcome = new ArrayList<>(1);
          List<FdtException> warnings = new ArrayList<>();
          FdtException failure =
              DiskWork.attempt(
                  () -> outcome.add(outcome(entry, existing, action.areSame(), warnings::add)));
          if (failure != null) {
            outcome.add(new PlacedEntry.Failed<>(entry, existing.place(), failure));
          } else if (outcome.get(0) instanceof PlacedEntry.Unchanged<ReceivedFileWriter>
              && !agrees(entry, existing)) {
            outcome.add(0, new PlacedEntry.Differs<>(entry, existing.place()));
          }
          warnings.forEach(
              one -> outcome.add(new PlacedEntry.Incomplete<>(entry, existing.place(), one)));
          stopped.remove(entry.id());
          machine.post(to -> to.comparisonEnded(action.file(), outcome));
        });
  }

  private PlacedEntry<ReceivedFileWriter> outcome(
      Entry entry, EntryPlacer.Existing existing, boolean areSame, Consumer<FdtException> warnings)
      throws FdtException {
    Place place = existing.place();
    if (areSame && (dryRun || isMadeEqual(entry, existing, warnings))) {
      return new PlacedEntry.Unchanged<>(entry, place);
    }
    return placer.needed(entry, place, Optional.of(existing.seen()));
  }

  private static boolean agrees(Entry entry, EntryPlacer.Existing existing) {
    return existing
        .place()
        .directory()
        .agrees(existing.seen(), entry.mode(), entry.modified(), entry.metadata());
  }

  /** Whether the file is still the compared one, and has the attributes of the entry now. */
  private static boolean isMadeEqual(
      Entry entry, EntryPlacer.Existing existing, Consumer<FdtException> warnings)
      throws FdtException {
    DestinationDirectory directory = existing.place().directory();
    try (ExistingFile there = directory.openExisting(existing.place().name(), existing.seen())) {
      directory.refresh(there, entry.mode(), entry.modified(), entry.metadata(), warnings);
      return true;
    } catch (FdtException e) {
      if (e.code() == ErrorCode.SOURCE_CHANGED || e.code() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /** Aborts running reads. */
  @Override
  public void close() {
    closed = true;
    readers.close();
  }

  /** See {@link DiskWorkers#awaitEnd}. */
  void awaitEnd() {
    readers.awaitEnd();
  }
}
