package io.fdt.core.receive;

import io.fdt.core.engine.CheckMeter;
import io.fdt.core.engine.DiskScheduler;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferSettings;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
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
  /** A file between its two decisions. */
  private static final class Compared {
    private final Place place;
    private final Attributes seen;

    /** Whether a thread has, or will have, to do with it. */
    boolean busy = true;

    /** Why the sender gave it up; null as long as it has not. Read by threads of disks. */
    volatile FdtException givenUp;

    Compared(Place place, Attributes seen) {
      this.place = place;
      this.seen = seen;
    }

    Place place() {
      return place;
    }

    /** What was found there. */
    Attributes seen() {
      return seen;
    }
  }

  private final SessionLoop loop;
  private final boolean dryRun;
  private final ReceiverSession<ReceivedFileWriter> session;
  private final EntryPlacer placement;
  private final ReceivedDigests digests;
  private final CheckMeter checks;
  private final DiskScheduler readers;
  private final Consumer<EntryPlacer.Outcome> placed;
  private final Map<Long, Compared> open = new HashMap<>();
  private volatile boolean closed;

  /**
   * @param placed gets what came of a comparison, on the loop: as if the file had just been placed
   */
  FileComparer(
      String name,
      SessionLoop loop,
      TransferSettings settings,
      ReceiverSession<ReceivedFileWriter> session,
      EntryPlacer placement,
      ReceivedDigests digests,
      CheckMeter checks,
      Consumer<EntryPlacer.Outcome> placed) {
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
  void begin(EntryPlacer.Outcome.Compare compare) {
    IncomingFile<ReceivedFileWriter> file = session.file(compare.entry().id());
    Compared compared = new Compared(compare.place(), compare.seen());
    open.put(file.id(), compared);
    session.onCompare(file);
    readers.submit(
        compare.place().directory().disk(),
        () -> {
          byte[][] digest = new byte[1][];
          FdtException failure = DiskWork.attempt(() -> digest[0] = read(compared));
          loop.post(() -> hasRead(file, compared, failure == null ? digest[0] : null));
        });
  }

  private void hasRead(IncomingFile<ReceivedFileWriter> file, Compared compared, byte[] digest) {
    compared.busy = false;
    if (compared.givenUp != null) {
      fail(file, compared);
    } else {
      session.onDigestThere(file, digest);
    }
  }

  /**
   * The sender has given up a file that is compared. It fails when no thread has to do with it any
   * more, which is soon: until then it keeps its place in the window, which bounds what waits here.
   */
  void giveUp(IncomingFile<ReceivedFileWriter> file, FdtException cause) {
    Compared compared = open.get(file.id());
    if (compared != null && compared.givenUp == null) { // null once the session is being closed
      compared.givenUp = cause;
      if (!compared.busy) {
        fail(file, compared);
      }
    }
  }

  private void fail(IncomingFile<ReceivedFileWriter> file, Compared compared) {
    open.remove(file.id());
    placed.accept(
        new EntryPlacer.Outcome.Failed(file.entry(), compared.place().path(), compared.givenUp));
  }

  private byte[] read(Compared compared) throws FdtException {
    Place place = compared.place();
    if (compared.givenUp != null) {
      throw compared.givenUp;
    }
    try (ExistingFile there = place.directory().openExisting(place.name(), compared.seen())) {
      return digests.of(
          compared.seen().size(),
          (target, length, at) -> {
            if (closed || compared.givenUp != null) {
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
  void end(IncomingFile<ReceivedFileWriter> file, boolean areSame) {
    Compared compared = open.get(file.id());
    compared.busy = true;
    Entry entry = file.entry();
    readers.submit(
        compared.place().directory().disk(),
        () -> {
          EntryPlacer.Outcome[] outcome = new EntryPlacer.Outcome[1];
          List<FdtException> warnings = new ArrayList<>();
          FdtException failure =
              DiskWork.attempt(() -> outcome[0] = outcome(entry, compared, areSame, warnings::add));
          loop.post(
              () -> {
                if (compared.givenUp != null) {
                  fail(file, compared);
                  return;
                }
                open.remove(file.id());
                placed.accept(
                    failure == null
                        ? outcome[0]
                        : new EntryPlacer.Outcome.Failed(entry, compared.place().path(), failure));
                warnings.forEach(
                    one ->
                        placed.accept(
                            new EntryPlacer.Outcome.Incomplete(
                                entry, compared.place().path(), one)));
              });
        });
  }

  private EntryPlacer.Outcome outcome(
      Entry entry, Compared compared, boolean areSame, Consumer<FdtException> warnings)
      throws FdtException {
    Place place = compared.place();
    if (areSame && (dryRun || isMadeEqual(entry, compared, warnings))) {
      return new EntryPlacer.Outcome.Unchanged(entry, place);
    }
    return placement.needed(entry, place.directory(), place.name());
  }

  /** Whether it is still the file that was compared, and has what is kept of the entry now. */
  private static boolean isMadeEqual(
      Entry entry, Compared compared, Consumer<FdtException> warnings) throws FdtException {
    DestinationDirectory directory = compared.place().directory();
    try (ExistingFile there = directory.openExisting(compared.place().name(), compared.seen())) {
      directory.refresh(there, entry.mode(), entry.modified(), entry.metadata(), warnings);
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
