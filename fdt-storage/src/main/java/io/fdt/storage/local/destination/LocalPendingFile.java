package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.SharedFile;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.destination.partial.FreeSpace;
import io.fdt.storage.local.destination.partial.LockedPartial;
import io.fdt.storage.local.destination.partial.PartialFinder;
import io.fdt.storage.local.destination.partial.PartialJournal;
import io.fdt.storage.local.destination.partial.RangeJournals;
import io.fdt.storage.local.destination.replace.FinishingCalls;
import io.fdt.storage.local.destination.replace.Replacer;
import io.fdt.storage.local.os.DataFile;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.HoleMaker;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A file under its temporary name. Any thread.
 *
 * <pre>
 *   GROWING -- publish --&gt; PUBLISHED
 *      '------ close ----&gt; REMOVED, or LEFT with its journal
 * </pre>
 *
 * <p>Its lock (flock) shows other transfers, of any process, that it is being written. An unlocked
 * temporary file belongs to a dead transfer, and is replaced.
 */
final class LocalPendingFile implements DestinationDirectory.PendingFile, SharedFile {

  /** From 1 MiB on, a full disk should be detected before the first byte. */
  private static final long LARGE_BYTES = 1 << 20;

  private enum State {
    GROWING,
    PUBLISHED,
    REMOVED,
    /** Unfinished, with a journal for the next transfer. */
    LEFT
  }

  private final Directory directory;
  private final FileName name;
  private final FileName temporary;
  private final long size;
  private final FileDescriptor file;
  private final DataFile data;
  private final LocalTree tree;
  private final FinishingCalls calls;

  /** False in an append-only directory, where a temporary name could not be removed. */
  private final boolean hasName;

  private PartialJournal journal;

  /** Whether its name must be free when it is published. */
  private boolean isNew;

  /** Created as one hole: unwritten bytes read as zeros; nothing is written twice. */
  private boolean beganSparse;

  private volatile boolean lost;
  private volatile boolean isOwned = true;
  private volatile Consumer<FdtException> warnings = warning -> {};
  private final AtomicReference<State> state = new AtomicReference<>(State.GROWING);

  private LocalPendingFile(
      Directory directory, FileName name, long size, int descriptor, LocalTree tree)
      throws FdtException {
    this.directory = directory;
    this.hasName = !directory.isAppendOnly();
    this.name = name;
    this.temporary = TemporaryName.of(name);
    this.size = size;
    this.file = new FileDescriptor(descriptor, () -> directory.pathOf(name));
    this.data = DataFile.written(file, size, tree.cache());
    this.tree = tree;
    this.calls = tree.calls();
  }

  /**
   * Creates a file and reserves its space, or resumes an existing one.
   *
   * @param mayExist whether a file of this name from another transfer may exist
   */
  static LocalPendingFile create(
      Directory directory, FileName name, FileShape shape, boolean mayExist, LocalTree tree)
      throws FdtException {
    if (!shape.kept().isEmpty()) {
      LocalPendingFile opened = resumed(directory, name, shape.version(), shape.kept(), tree);
      opened.isNew = shape.isNew();
      return opened;
    }
    LocalPendingFile created = createEmpty(directory, name, shape.size(), mayExist, tree);
    created.isNew = shape.isNew();
    created.prepare(shape.isSparse() ? created::beginSparse : created::reserve);
    if (shape.version() != null) {
      created.startJournal(shape.version(), new KeptRanges());
    }
    return created;
  }

  private void beginSparse() throws FdtException {
    check(file.call(descriptor -> Syscalls.truncate(descriptor, size)), "set the size of");
    beganSparse = true;
  }

  private static LocalPendingFile createEmpty(
      Directory directory, FileName name, long size, boolean mayExist, LocalTree tree)
      throws FdtException {
    if (mayExist && size >= LARGE_BYTES && !tree.replacer().mayReplaceDirectory(directory, name)) {
      Attributes there = directory.find(name);
      if (there != null && there.is(EntryKind.DIRECTORY)) {
        throw Errno.ofName(Errno.EISDIR, "write", directory.pathOf(name));
      }
    }
    int descriptor =
        directory.isAppendOnly()
            ? createUnnamed(directory, name)
            : LockedPartial.create(directory, name);
    LocalPendingFile created = new LocalPendingFile(directory, name, size, descriptor, tree);
    created.prepare(created::forgetOlderJournal);
    return created;
  }

  private static int createUnnamed(Directory directory, FileName name) throws FdtException {
    if (directory.find(name) != null) {
      throw Replacer.appendOnly(directory, name);
    }
    int pinned = directory.pin();
    try {
      int descriptor =
          Syscalls.open(
              pinned, Flags.ITSELF, Flags.O_TMPFILE | Flags.O_RDWR, FileCreationMask.TEMPORARY);
      if (descriptor == -Errno.EOPNOTSUPP || descriptor == -Errno.EISDIR) {
        throw Replacer.appendOnly(directory, name);
      }
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "create", directory.pathOf(name));
      }
      return descriptor;
    } finally {
      directory.unpin();
    }
  }

  private interface Preparation {
    void run() throws FdtException;
  }

  /** Prepares a new file, or removes it on failure. */
  private void prepare(Preparation preparation) throws FdtException {
    try {
      preparation.run();
    } catch (FdtException e) {
      close();
      throw e;
    }
  }

  private static LocalPendingFile resumed(
      Directory directory,
      FileName name,
      SourceVersion version,
      List<CheckedRange> kept,
      LocalTree tree)
      throws FdtException {
    int descriptor = LockedPartial.open(directory, name);
    LocalPendingFile opened =
        new LocalPendingFile(directory, name, version.size(), descriptor, tree);
    try {
      if (!PartialFinder.isStillThere(directory, name, version, kept)) {
        throw LockedPartial.inUse(directory, name);
      }
    } catch (FdtException e) {
      opened.data.close();
      opened.file.close();
      throw e;
    }
    KeptRanges ranges = new KeptRanges();
    kept.forEach(ranges::add);
    opened.startJournal(version, ranges);
    return opened;
  }

  private void startJournal(SourceVersion version, KeptRanges ranges) throws FdtException {
    try {
      journal = RangeJournals.beginWhole(directory, name, version, ranges);
      if (tree.mayFailAtClose(directory)) {
        journal.distrust(); // a later loss of data would not be reported to this process
      }
    } catch (FdtException e) {
      if (ranges.isEmpty()) {
        close();
      } else {
        data.close();
        file.close();
      }
      throw withNumbers(e);
    }
  }

  /** Removes a stale journal, so that it is not applied to the new file. */
  private void forgetOlderJournal() throws FdtException {
    if (!hasName || (size >= 0 && size < LARGE_BYTES)) {
      return; // files this small have no journal, and no journal is this small
    }
    RangeJournals.forgetOlder(directory, name);
  }

  private void reserve() throws FdtException {
    if (size < LARGE_BYTES) {
      return;
    }
    int result = file.call(descriptor -> Syscalls.allocate(descriptor, size));
    if (result == -Errno.ENOSPC || result == -Errno.EDQUOT || result == -Errno.EFBIG) {
      file.call(descriptor -> Syscalls.truncate(descriptor, 0)); // ext4 keeps the space it had
      throw withNumbers(Errno.ofData(-result, "reserve space for", directory.pathOf(name)));
    }
    // Other errors mean that this file system cannot reserve space: writing will report a full
    // disk.
  }

  @Override
  public void write(ByteBuf source, long offset) throws FdtException {
    int result;
    try {
      result = data.write(source, offset);
    } catch (FdtException e) {
      throw withNumbers(e);
    }
    checkForced(result);
  }

  @Override
  public Shared share() throws FdtException {
    if (journal != null) {
      try {
        journal.distrust();
      } catch (FdtException e) {
        throw withNumbers(e);
      }
    }
    long[] inode = new long[1];
    check(
        file.call(
            descriptor -> {
              int result = Syscalls.statx(descriptor);
              inode[0] = result < 0 ? 0 : Syscalls.attributes().inode();
              return result;
            }),
        "examine");
    return new Shared(directory.pathTo(temporary), inode[0]);
  }

  @Override
  public void makeHole(Range range) throws FdtException {
    try {
      HoleMaker.make(file, range, beganSparse);
    } catch (FdtException e) {
      throw withNumbers(e);
    }
  }

  @Override
  public void attach(FileMetadata metadata, Consumer<FdtException> problems) throws FdtException {
    warnings = problems;
    isOwned = tree.metadataWriter().setOwner(file, metadata.owner(), problems);
    tree.metadataWriter().setAttributes(file, metadata, problems);
  }

  @Override
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    return file.read(target, length, offset);
  }

  @Override
  public void forget(LongConsumer forced) throws FdtException {
    force(forced);
    file.call(calls::dropCache);
  }

  /**
   * Syncs the file to its device. After an error the state of its bytes is unknown, and the next
   * call would not report it: the file is useless.
   */
  private void force(LongConsumer forced) throws FdtException {
    checkForced(PieceByPiece.force(file, calls, size, forced));
    checkForced(file.call(calls::fsync));
  }

  private void checkForced(int result) throws FdtException {
    if (result < 0) {
      lost = true;
      throw withNumbers(Errno.ofData(-result, "sync", directory.pathOf(name)));
    }
  }

  @Override
  public void keep(CheckedRange range) throws FdtException {
    if (journal != null) {
      try {
        journal.add(range);
      } catch (FdtException e) {
        throw withNumbers(e);
      }
    }
  }

  private FdtException withNumbers(FdtException e) {
    return e.code() == ErrorCode.STORAGE_FULL && size >= 0
        ? FreeSpace.explain(e, directory, name, size)
        : e;
  }

  @Override
  public void publish(int mode, Timestamp modified, Durability durability) throws FdtException {
    if (durability.isForced()) {
      force(durability.synced());
    }
    checkForced(data.finish());
    flush();
    // The mode comes last: without it, an unfinished file could not be reopened.
    setAttributes(mode, modified);
    if (durability.isForced()) {
      checkForced(file.call(calls::fsync));
    }
    rename();
  }

  /**
   * Makes network file systems report lost data while the old file still exists. After an error the
   * state of its bytes is unknown.
   */
  private void flush() throws FdtException {
    if (!tree.mayFailAtClose(directory)) {
      return;
    }
    int result = file.call(calls::flush);
    if (result < 0) {
      lost = true;
      throw withNumbers(Errno.ofData(-result, "write", directory.pathOf(name)));
    }
  }

  private void setAttributes(int mode, Timestamp modified) throws FdtException {
    MetadataWriter writer = tree.metadataWriter();
    int allowed = isOwned ? 07777 : 0777; // special bits need the right owner
    int permissions = writer.modeOfFile(mode, directory) & allowed;
    if (permissions != FileCreationMask.TEMPORARY) {
      set(MetadataWriter.Item.MODE, descriptor -> calls.chmod(descriptor, permissions));
    }
    if (writer.keepsTimes()) {
      boolean isSet =
          set(MetadataWriter.Item.TIME, descriptor -> calls.setModified(descriptor, modified));
      if (isSet && writer.hasToBeSeen(modified, directory.firstSeen().device())) {
        file.call(descriptor -> checkTime(descriptor, modified));
      }
    }
  }

  private boolean set(MetadataWriter.Item item, FileDescriptor.Call call) throws FdtException {
    long device = directory.firstSeen().device();
    try {
      return tree.metadataWriter()
          .isSet(item, file.call(call), device, directory.pathOf(name), warnings);
    } catch (FdtException e) {
      throw withNumbers(e);
    }
  }

  private int checkTime(int descriptor, Timestamp modified) {
    int result = Syscalls.statx(descriptor);
    if (result >= 0) {
      Attributes now = Syscalls.attributes();
      tree.metadataWriter().checkTime(directory, modified, now, directory.pathOf(name), warnings);
    }
    return result;
  }

  /** Moves the file to its final name. On failure, the file is kept for a later transfer. */
  private void rename() throws FdtException {
    int pinned = directory.pin();
    try {
      if (!state.compareAndSet(State.GROWING, State.PUBLISHED)) {
        throw new FdtException(
            ErrorCode.CANCELLED, "'" + directory.pathOf(name) + "' was closed before it was done");
      }
      Replacer.Replaced old = take();
      if (journal != null) {
        PartialJournal.remove(pinned, TemporaryName.number(name)); // while the lock is held
      }
      data.close();
      int result = file.closeNow();
      if (result < 0 && result != -Errno.EINTR) { // although all data was flushed before
        throw Errno.ofData(-result, "write", directory.pathOf(name));
      }
      old.remove();
    } finally {
      if (state.get() == State.PUBLISHED) {
        closeJournal();
        tree.done(this);
      }
      directory.unpin();
    }
  }

  private Replacer.Replaced take() throws FdtException {
    try {
      if (!hasName) {
        link();
        return Replacer.Replaced.NOTHING;
      }
      return isNew
          ? tree.replacer().putNew(directory, temporary, name, "give its final name to")
          : tree.replacer().put(directory, temporary, name, "give its final name to");
    } catch (FdtException e) {
      file.call(
          descriptor -> calls.chmod(descriptor, FileCreationMask.TEMPORARY)); // allows resuming it
      state.set(State.GROWING);
      throw withNumbers(e);
    }
  }

  private void link() throws FdtException {
    int pinned = directory.pin();
    try {
      check(
          file.call(descriptor -> Syscalls.link(descriptor, pinned, name)),
          "give its final name to");
    } finally {
      directory.unpin();
    }
  }

  private void check(int result, String doing) throws FdtException {
    if (result < 0) {
      throw withNumbers(Errno.ofName(-result, doing, directory.pathOf(name)));
    }
  }

  @Override
  public void close() {
    end(journal != null && !journal.isEmpty() && !lost);
  }

  @Override
  public void discard() {
    end(false);
  }

  private void end(boolean worthKeeping) {
    if (state.compareAndSet(State.GROWING, worthKeeping ? State.LEFT : State.REMOVED)) {
      if (!worthKeeping && hasName) {
        removeTemporary();
      }
    } else if (state.get() == State.PUBLISHED) {
      return; // the publishing thread closes it, and checks the result
    }
    closeJournal();
    data.close();
    file.close();
    tree.done(this);
  }

  private void closeJournal() {
    if (journal != null) {
      journal.close();
    }
  }

  /**
   * Removes the file while its lock is held. On failure, the file is kept under its temporary name
   * for the next transfer.
   */
  private void removeTemporary() {
    try {
      int pinned = directory.pin();
      try {
        Syscalls.unlink(pinned, temporary);
        if (journal != null) {
          PartialJournal.remove(pinned, TemporaryName.number(name));
        }
      } finally {
        directory.unpin();
      }
    } catch (FdtException e) {
      // The directory is gone or was replaced: it holds none of these files.
    }
  }
}
