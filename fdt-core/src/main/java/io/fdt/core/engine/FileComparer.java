package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.Entry;
import io.fdt.core.session.IncomingFile;
import io.fdt.core.session.ReceiverSession;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.ExistingFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Files at the destination that are compared by their digests: reads them on threads of their
 * disks, as many as writers, and settles what came of it.
 *
 * <p>One that cannot be read, or is changed by somebody meanwhile, counts as different. Confined to
 * the session's event loop, but for what runs on threads of disks.
 */
final class FileComparer implements AutoCloseable {
  private record Compared(Place place, Attributes seen) {}

  private final SessionLoop loop;
  private final boolean dryRun;
  private final ReceiverSession<IncomingHandle> session;
  private final Placement placement;
  private final ReceivedDigests digests;
  private final CheckMeter checks;
  private final DiskScheduler readers;
  private final Consumer<Placement.Outcome> placed;
  private final Map<Long, Compared> open = new HashMap<>();
  private volatile boolean closed;

  /**
   * @param placed gets what came of a comparison, on the loop: as if the file had just been placed
   */
  FileComparer(
      String name,
      SessionLoop loop,
      TransferSettings settings,
      ReceiverSession<IncomingHandle> session,
      Placement placement,
      ReceivedDigests digests,
      CheckMeter checks,
      Consumer<Placement.Outcome> placed) {
    this.loop = loop;
    this.dryRun = settings.dryRun();
    this.session = session;
    this.placement = placement;
    this.digests = digests;
    this.checks = checks;
    this.placed = placed;
    this.readers = new DiskScheduler(name + "-compare", settings.threadsPerDisk());
  }

  /** Has the digest made of what is there. */
  void begin(Placement.Outcome.Compare compare) {
    IncomingFile<IncomingHandle> file = session.file(compare.entry().id());
    open.put(file.id(), new Compared(compare.place(), compare.seen()));
    session.onCompare(file);
    readers.submit(
        compare.place().directory().disk(),
        () -> {
          byte[][] digest = new byte[1][];
          FdtException failure =
              DiskWork.attempt(() -> digest[0] = read(compare.place(), compare.seen()));
          loop.post(() -> session.onDigestThere(file, failure == null ? digest[0] : null));
        });
  }

  private byte[] read(Place place, Attributes seen) throws FdtException {
    try (ExistingFile there = place.directory().openExisting(place.name(), seen)) {
      return digests.of(
          seen.size(),
          (target, length, at) -> {
            if (closed) {
              throw new FdtException(ErrorCode.CANCELLED, place.path() + ": given up");
            }
            if (there.read(target, length, at) < length) {
              throw new FdtException(ErrorCode.SOURCE_CHANGED, place.path() + " became shorter");
            }
            checks.add(length);
          });
    }
  }

  /** Both digests are known: what is the same gets mode and time, what differs is needed. */
  void end(IncomingFile<IncomingHandle> file, boolean areSame) {
    Compared compared = open.remove(file.id());
    Entry entry = file.entry();
    readers.submit(
        compared.place().directory().disk(),
        () -> {
          Placement.Outcome[] outcome = new Placement.Outcome[1];
          List<FdtException> shortcomings = new ArrayList<>();
          FdtException failure =
              DiskWork.attempt(
                  () -> outcome[0] = outcome(entry, compared, areSame, shortcomings::add));
          loop.post(
              () -> {
                if (!file.isSettled()) {
                  placed.accept(
                      failure == null
                          ? outcome[0]
                          : new Placement.Outcome.Failed(entry, compared.place().path(), failure));
                  shortcomings.forEach(
                      one ->
                          placed.accept(
                              new Placement.Outcome.Incomplete(
                                  entry, compared.place().path(), one)));
                }
              });
        });
  }

  private Placement.Outcome outcome(
      Entry entry, Compared compared, boolean areSame, Consumer<FdtException> shortcomings)
      throws FdtException {
    Place place = compared.place();
    if (areSame && (dryRun || isMadeEqual(entry, compared, shortcomings))) {
      return new Placement.Outcome.Unchanged(entry, place);
    }
    return placement.needed(entry, place.directory(), place.name());
  }

  /** Whether it is still the file that was compared, and has what is kept of the entry now. */
  private static boolean isMadeEqual(
      Entry entry, Compared compared, Consumer<FdtException> shortcomings) throws FdtException {
    DestinationDirectory directory = compared.place().directory();
    try (ExistingFile there = directory.openExisting(compared.place().name(), compared.seen())) {
      directory.refresh(there, entry.mode(), entry.modified(), entry.traits(), shortcomings);
      return true;
    } catch (FdtException e) {
      if (e.code() == ErrorCode.SOURCE_CHANGED || e.code() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /** What is being read is given up. */
  @Override
  public void close() {
    closed = true;
    readers.close();
  }

  /** See {@link DiskScheduler#awaitEnd}. */
  void awaitEnd() {
    readers.awaitEnd();
  }
}
