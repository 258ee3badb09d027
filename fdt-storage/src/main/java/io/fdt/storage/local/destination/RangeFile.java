package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.JournalHeader;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.destination.partial.CutFile;
import io.fdt.storage.local.destination.partial.CutPartial;
import io.fdt.storage.local.destination.partial.LockedPartial;
import io.fdt.storage.local.destination.partial.PartialFinder;
import io.fdt.storage.local.destination.partial.PartialJournal;
import io.fdt.storage.local.destination.partial.RangeJournals;
import io.fdt.storage.local.os.DataFile;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.HoleMaker;
import io.fdt.storage.posix.Errno;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A range of a file, written at its offset in the partial file that all ranges share. Its transfer
 * sees a file that begins at 0. Any thread.
 *
 * <pre>
 *   GROWING -- publish --&gt; VERIFIED       on the device, and recorded in its journal
 *      '------ close ----&gt; LEFT with its journal, or DISCARDED
 * </pre>
 *
 * <p>Its lock excludes other transfers of the same range.
 */
final class RangeFile implements PendingFile {
  private enum State {
    GROWING,
    VERIFIED,
    LEFT,
    DISCARDED
  }

  private final Directory directory;
  private final FileName name;
  private final SourceVersion version;
  private final Range range;
  private final CutPartial shared;
  private final FileDescriptor lock;
  private final DataFile data;
  private final KeptRanges kept;
  private final PartialJournal journal;
  private final LocalTree tree;
  private final AtomicReference<State> state = new AtomicReference<>(State.GROWING);

  private RangeFile(
      Directory directory,
      CutFile file,
      Range range,
      CutPartial shared,
      FileDescriptor lock,
      KeptRanges kept,
      PartialJournal journal,
      LocalTree tree)
      throws FdtException {
    this.directory = directory;
    this.name = file.name();
    this.version = file.version();
    this.range = range;
    this.shared = shared;
    this.lock = lock;
    this.data = DataFile.written(shared.file(), range.length(), tree.cache());
    this.kept = kept;
    this.journal = journal;
    this.tree = tree;
  }

  /**
   * Begins or resumes a range.
   *
   * @param found existing parts of the range, at offsets in the file; empty to start anew
   * @throws FdtException IN_USE while another transfer writes the range or the whole file, or when
   *     the existing parts are gone
   */
  static RangeFile open(
      Directory directory, CutFile file, Range range, List<CheckedRange> found, LocalTree tree)
      throws FdtException {
    FileName name = file.name();
    CutPartial shared = CutPartial.open(directory, file);
    FileDescriptor lock = null;
    try {
      long number = TemporaryName.number(name, range.start());
      int descriptor = LockedPartial.openOfRange(directory, name, number);
      lock = new FileDescriptor(descriptor, () -> directory.pathOf(name));
      KeptRanges kept = new KeptRanges();
      if (!found.isEmpty()) {
        KeptRanges there =
            RangeJournals.range(directory, shared.header(), range, any -> true).ranges();
        if (!found.stream().allMatch(there::covers)) {
          throw LockedPartial.inUse(directory, name);
        }
        found.forEach(kept::add);
      }
      PartialJournal journal =
          PartialJournal.begin(
              directory,
              number,
              header(name, file.version(), 0, shared.header().bootLow(), file.cut()),
              copyOf(kept));
      return new RangeFile(directory, file, range, shared, lock, kept, journal, tree);
    } catch (FdtException e) {
      if (lock != null) {
        lock.close();
      }
      shared.file().close();
      throw e;
    }
  }

  private static JournalHeader header(
      FileName name, SourceVersion version, long high, long low, FileCut cut) {
    return new JournalHeader(name, version, high, low, Optional.of(cut));
  }

  private static KeptRanges copyOf(KeptRanges ranges) {
    KeptRanges copy = new KeptRanges();
    ranges.ranges().forEach(copy::add);
    return copy;
  }

  @Override
  public void write(ByteBuf source, long offset) throws FdtException {
    check(data.write(source, range.start() + offset));
  }

  @Override
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    int there = Math.toIntExact(Math.max(0, Math.min(length, range.length() - offset)));
    return there == 0 ? 0 : shared.file().read(target, there, range.start() + offset);
  }

  @Override
  public void makeHole(Range hole) throws FdtException {
    Range inFile = new Range(range.start() + hole.start(), range.start() + hole.end());
    HoleMaker.make(shared.file(), inFile, false);
  }

  @Override
  public void keep(CheckedRange written) throws FdtException {
    CheckedRange inFile =
        new CheckedRange(
            range.start() + written.start(), range.start() + written.end(), written.crc());
    synchronized (kept) {
      kept.add(inFile);
    }
    journal.add(inFile);
  }

  @Override
  public void forget(LongConsumer forced) throws FdtException {
    force(forced);
    int unused = shared.file().call(tree.calls()::dropCache);
  }

  private void force(LongConsumer forced) throws FdtException {
    check(PieceByPiece.force(shared.file(), tree.calls(), range, forced));
    check(shared.file().call(tree.calls()::fsync));
    if (tree.mayFailAtClose(directory)) {
      check(shared.file().call(tree.calls()::flush));
    }
  }

  private void check(int result) throws FdtException {
    if (result < 0) {
      discard(); // the state of its bytes is unknown
      throw Errno.ofData(-result, "sync", directory.pathOf(name));
    }
  }

  /** {@inheritDoc} The whole file gets them. */
  @Override
  public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

  /** {@inheritDoc} A range gets no name: its journal records it, once it is synced. */
  @Override
  public void publish(int mode, Timestamp modified, Durability durability) throws FdtException {
    force(durability.synced());
    check(data.finish());
    CheckedRange whole = wholeRange();
    if (!state.compareAndSet(State.GROWING, State.VERIFIED)) {
      throw new FdtException(
          ErrorCode.CANCELLED, "'" + directory.pathOf(name) + "' was closed before it was done");
    }
    journal.close();
    try {
      KeptRanges all = new KeptRanges();
      all.add(whole);
      JournalHeader header = shared.header();
      PartialJournal.begin(
              directory,
              TemporaryName.number(name, range.start()),
              header(name, version, header.bootHigh(), header.bootLow(), cut()),
              all)
          .close();
    } finally {
      release();
    }
  }

  private FileCut cut() {
    return shared.header().cut().orElseThrow();
  }

  /** The range with its checksum, read from the file where the journal is incomplete. */
  private CheckedRange wholeRange() throws FdtException {
    synchronized (kept) {
      List<CheckedRange> ranges = kept.ranges();
      if (ranges.size() == 1
          && ranges.get(0).start() == range.start()
          && ranges.get(0).end() == range.end()) {
        return ranges.get(0);
      }
    }
    return PartialFinder.checked(shared.file(), range);
  }

  @Override
  public void discard() {
    if (state.compareAndSet(State.GROWING, State.DISCARDED)) {
      journal.close();
      try {
        int pinned = directory.pin();
        try {
          PartialJournal.remove(pinned, TemporaryName.number(name, range.start()));
        } finally {
          directory.unpin();
        }
      } catch (FdtException e) {
        // The directory is gone or was replaced: it holds none of these files.
      }
      release();
    }
  }

  @Override
  public void close() {
    if (state.compareAndSet(State.GROWING, State.LEFT)) {
      journal.close();
      release();
    }
  }

  private void release() {
    lock.close();
    data.close();
    shared.file().close();
    tree.done(this);
  }
}
