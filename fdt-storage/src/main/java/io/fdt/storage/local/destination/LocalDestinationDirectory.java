package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Range;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.model.WindowsName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.destination.partial.CutFile;
import io.fdt.storage.local.destination.partial.PartialFinder;
import io.fdt.storage.local.destination.replace.DeletionWalk;
import io.fdt.storage.local.destination.replace.FoldingProbe;
import io.fdt.storage.local.destination.replace.HardLinker;
import io.fdt.storage.local.destination.replace.Replacer;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.DiskIds;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * A directory of a {@link LocalDestination}. Any thread.
 *
 * <p>A directory created for an entry is accessible to its owner only until {@link #finish}, so
 * that its content is never more accessible than in the end.
 */
public final class LocalDestinationDirectory implements DestinationDirectory {
  private static final int PRIVATE = 0700;
  private static final int SEARCH = 0100;
  private static final String LINKING = "make the link";

  private final Directory directory;
  private final boolean fresh;
  private final DirectoryScope scope;
  private final LocalTree tree;

  /** The owner to set when the directory is finished; null to keep it. */
  private volatile Owner owner;

  /** Created on demand. */
  private volatile FoldingProbe probe;

  LocalDestinationDirectory(MadeDirectory made, DirectoryScope scope, LocalTree tree) {
    this.directory = made.directory();
    this.fresh = made.isFresh();
    this.scope = scope;
    this.tree = tree;
  }

  Directory directory() {
    return directory;
  }

  /** {@inheritDoc} No file has one in an append-only directory, where the journal would stay. */
  @Override
  public long journaledBytes() {
    return directory.isAppendOnly() ? Long.MAX_VALUE : JOURNALED_BYTES;
  }

  @Override
  public DiskId disk() {
    return DiskIds.OF_MACHINE.of(directory.firstSeen().device());
  }

  @Override
  public boolean isFresh() {
    return fresh;
  }

  /** {@inheritDoc} False in a read-only directory, where nothing is replaced anyway. */
  @Override
  public boolean folds(FileName name) throws FdtException {
    return probed(() -> probe().foldsNew(name), false);
  }

  /** {@inheritDoc} True in a read-only directory, where the call that fails gives the reason. */
  @Override
  public boolean stores(FileName name) throws FdtException {
    Set<FileName> flaws = WindowsName.flaws(name);
    return flaws.isEmpty() || probed(() -> tree.names().stores(directory, scope, flaws), true);
  }

  private boolean probed(Attempt<Boolean> probing, boolean otherwise) throws FdtException {
    if (directory.isAppendOnly()) {
      return otherwise; // the probe's files would stay
    }
    try {
      return admitting(probing);
    } catch (FdtException e) {
      if (e.code() == ErrorCode.PERMISSION || e.code() == ErrorCode.READ_ONLY) {
        return otherwise;
      }
      throw e;
    }
  }

  @Override
  public long mostBytes() throws FdtException {
    return SizeLimit.of(directory);
  }

  private FoldingProbe probe() throws FdtException {
    if (probe == null) {
      probe = FoldingProbe.of(directory, scope);
    }
    return probe;
  }

  @Override
  public String path() {
    return directory.path();
  }

  @Override
  public Optional<Attributes> find(FileName name) throws FdtException {
    return Optional.ofNullable(admitting(() -> directory.find(name)));
  }

  @Override
  public ExistingFile openExisting(FileName name, Attributes seen) throws FdtException {
    return admitting(() -> LocalExistingFile.open(directory, name, seen));
  }

  @Override
  public boolean agrees(Attributes seen, int mode, Timestamp modified, FileMetadata metadata) {
    return tree.metadataWriter().agrees(directory, seen, mode, modified, metadata.owner());
  }

  @Override
  public Timestamp timeOf(Attributes seen, Timestamp wanted) {
    return tree.metadataWriter().timeOf(directory, seen, wanted);
  }

  @Override
  public boolean wouldChange(int mode, Timestamp modified, Owner wanted) throws FdtException {
    return !fresh
        && modified != null
        && !tree.metadataWriter().agreesAsDirectory(directory, mode, modified, wanted);
  }

  @Override
  public void refresh(
      ExistingFile file,
      int mode,
      Timestamp modified,
      FileMetadata metadata,
      Consumer<FdtException> warnings)
      throws FdtException {
    ((LocalExistingFile) file)
        .refresh(tree.metadataWriter(), directory, mode, modified, metadata.owner(), warnings);
  }

  @Override
  public DestinationDirectory makeDirectory(FileName name) throws FdtException {
    checkFree(name);
    MadeDirectory made = admitting(() -> MadeDirectory.make(directory, scope, name, PRIVATE));
    tree.checkTakesData(made.directory());
    return new LocalDestinationDirectory(made, scope, tree);
  }

  /** {@inheritDoc} A directory created meanwhile is kept. */
  @Override
  public DestinationDirectory replaceByDirectory(FileName name) throws FdtException {
    checkFree(name);
    Attributes there = admitting(() -> directory.find(name));
    if (there == null || Replacer.isDirectory(there)) {
      return makeDirectory(name);
    }
    admitting(
        () -> {
          tree.replacer().putDirectory(directory, name, PRIVATE);
          return true;
        });
    MadeDirectory made = new MadeDirectory(directory.child(scope, name), true);
    tree.checkTakesData(made.directory());
    return new LocalDestinationDirectory(made, scope, tree);
  }

  @Override
  public boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules)
      throws InterruptedException {
    return new DeletionWalk(
            directory, scope, rules, tree.replacer().disposal(true), tree.replacer().backupPlace())
        .remove(name, way);
  }

  @Override
  public void letReplace(FileName name, List<FileName> way, DeletionRules rules) {
    tree.replacer().letReplace(directory, name, way, rules);
  }

  /** A call that may fail for lack of permission. */
  private interface Attempt<T> {
    T run() throws FdtException;
  }

  /** Repeats a call after gaining access to a directory of this user, if possible. */
  private <T> T admitting(Attempt<T> attempt) throws FdtException {
    try {
      return attempt.run();
    } catch (FdtException e) {
      if (e.code() != ErrorCode.PERMISSION || !tree.modes().widen(directory)) {
        throw e;
      }
      return attempt.run();
    }
  }

  private PendingFile opened(LocalTree.Opening opening) throws FdtException {
    return admitting(() -> tree.open(opening));
  }

  private void checkFree(FileName name) throws FdtException {
    TemporaryName.refuse(name, () -> directory.pathOf(name));
  }

  @Override
  public PendingFile create(FileName name, FileShape shape) throws FdtException {
    checkFree(name);
    directory.pin();
    try {
      return opened(() -> LocalPendingFile.create(directory, name, shape, !fresh, tree));
    } finally {
      directory.unpin();
    }
  }

  @Override
  public boolean put(
      FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata)
      throws FdtException {
    MetadataWriter metadataWriter = tree.metadataWriter();
    if (!fresh
        || metadata.sparse()
        || metadata.owner() != null
        || MetadataWriter.isUnusual(modified)
        || metadataWriter.touchesAttributes(metadata)
        || tree.mayFailAtClose(directory)) {
      return false;
    }
    checkFree(name);
    return tree.nameless()
        .put(
            directory,
            name,
            bytes,
            metadataWriter.modeOfFile(mode, directory),
            metadataWriter.time(modified));
  }

  @Override
  public PartialFile findPartial(FileName name, SourceVersion version) throws FdtException {
    return fresh ? PartialFile.NONE : admitting(() -> PartialFinder.find(directory, name, version));
  }

  /** See {@link PartialFinder#findRange}. */
  PartialFile findRange(FileName name, SourceVersion version, FileCut cut, Range range)
      throws FdtException {
    return admitting(() -> PartialFinder.findRange(directory, name, version, cut, range));
  }

  /** See {@link RangeFile#open}. */
  PendingFile openRange(CutFile file, Range range, List<CheckedRange> kept) throws FdtException {
    checkFree(file.name());
    if (directory.isAppendOnly()) {
      throw Replacer.appendOnly(directory, file.name());
    }
    directory.pin();
    try {
      return opened(() -> RangeFile.open(directory, file, range, kept, tree));
    } finally {
      directory.unpin();
    }
  }

  @Override
  public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {
    owner = metadata.owner();
    if (tree.metadataWriter().touchesAttributes(metadata)) {
      try (FileDescriptor opened = admitting(directory::openToRead)) {
        tree.metadataWriter().setAttributesOfDirectory(opened, fresh, metadata, warnings);
      } catch (FdtException e) {
        warnings.accept(e);
      }
    }
  }

  @Override
  public boolean makeHardLink(
      FileName name, DestinationDirectory first, FileName firstName, long size)
      throws FdtException {
    checkFree(name);
    Directory from = ((LocalDestinationDirectory) first).directory;
    return admitting(
        () -> HardLinker.link(from, firstName, size, directory, name, tree.replacer()));
  }

  @Override
  public boolean makeLink(
      FileName name,
      BytePath target,
      Timestamp modified,
      Owner ownerOfLink,
      Consumer<FdtException> warnings)
      throws FdtException {
    checkFree(name);
    boolean isNew = admitting(() -> putLink(name, target, modified));
    if (ownerOfLink != null) {
      set(
          MetadataWriter.Item.OWNER,
          pinned -> Syscalls.chown(pinned, name, ownerOfLink.user(), ownerOfLink.group()),
          directory.pathOf(name),
          warnings);
    }
    return isNew;
  }

  private boolean putLink(FileName name, BytePath target, Timestamp modified) throws FdtException {
    int pinned = directory.pin();
    try {
      int result = Syscalls.symlink(target.bytes(), pinned, name);
      boolean isNew = result != -Errno.EEXIST || !isLink(pinned, name, target);
      if (result == -Errno.EEXIST) {
        result = isNew ? replaceByLink(pinned, name, target) : 0;
      }
      if (result < 0) {
        throw Errno.ofName(-result, LINKING, directory.pathOf(name));
      }
      setTimeOfLink(pinned, name, tree.metadataWriter().time(modified));
      return isNew;
    } finally {
      directory.unpin();
    }
  }

  /** Whether this link exists already. */
  private static boolean isLink(int pinned, FileName name, BytePath target) {
    byte[] wanted = Syscalls.keptTarget(target).bytes();
    int length = Syscalls.readlink(pinned, name);
    return length == wanted.length && Arrays.equals(Syscalls.data(length), wanted);
  }

  /** Replaces the entry of a name by a link. */
  private int replaceByLink(int pinned, FileName name, BytePath target) throws FdtException {
    if (directory.isAppendOnly()) {
      throw Replacer.appendOnly(directory, name);
    }
    byte[] wanted = target.bytes();
    FileName temporary = TemporaryName.Kind.PART.name(ThreadLocalRandom.current().nextLong());
    int result = Syscalls.symlink(wanted, pinned, temporary);
    if (result < 0) {
      return result;
    }
    Replacer.Replaced old;
    try {
      old = tree.replacer().put(directory, temporary, name, LINKING);
    } catch (FdtException e) {
      Syscalls.unlink(pinned, temporary);
      throw e;
    }
    old.remove();
    return 0;
  }

  /** Some file systems keep no time for links, which is not an error. */
  private void setTimeOfLink(int pinned, FileName name, Timestamp modified) throws FdtException {
    if (modified == null) {
      return;
    }
    int result = Syscalls.setModified(pinned, name, modified);
    if (result < 0 && !Errno.isRefusal(-result)) {
      throw Errno.ofName(-result, "set the time of", directory.pathOf(name));
    }
  }

  /** {@inheritDoc} Sets the time first: the new mode may deny this process access. */
  @Override
  public List<FdtException> finish(int mode, Timestamp modified, Durability durability)
      throws FdtException {
    if (!durability.isForced()) {
      return finish(mode, modified);
    }
    try (FileDescriptor opened = admitting(directory::openToForce)) {
      List<FdtException> warnings = finish(mode, modified);
      directory.force(opened);
      return warnings;
    }
  }

  private List<FdtException> finish(int mode, Timestamp modified) throws FdtException {
    if (modified != null && (directory.firstSeen().mode() & SEARCH) == 0) {
      tree.modes().widen(directory); // otherwise its attributes could not be set
    }
    List<FdtException> warnings = setAll(mode, modified);
    tree.modes().forget(directory);
    return warnings;
  }

  private List<FdtException> setAll(int mode, Timestamp modified) throws FdtException {
    List<FdtException> warnings = new ArrayList<>();
    if (modified == null) {
      if (fresh) {
        setMode(FileCreationMask.applyTo(mode), warnings);
      } else {
        tree.modes().restore(directory);
      }
      return warnings;
    }
    if (tree.metadataWriter().keepsTimes()) {
      set(
          MetadataWriter.Item.TIME,
          pinned -> Syscalls.setModifiedOfDirectory(pinned, modified),
          path(),
          warnings::add);
    }
    if (owner != null) {
      set(
          MetadataWriter.Item.OWNER,
          pinned -> Syscalls.chownDirectory(pinned, owner.user(), owner.group()),
          path(),
          warnings::add);
    }
    setMode(mode, warnings);
    return warnings;
  }

  private void set(
      MetadataWriter.Item item,
      FileDescriptor.Call call,
      String path,
      Consumer<FdtException> warnings)
      throws FdtException {
    int pinned = directory.pin();
    try {
      long device = directory.firstSeen().device();
      tree.metadataWriter().isSet(item, call.on(pinned), device, path, warnings);
    } finally {
      directory.unpin();
    }
  }

  private void setMode(int mode, List<FdtException> warnings) throws FdtException {
    int now = directory.current().mode();
    int before = tree.modes().modeOf(directory, now);
    int after = tree.metadataWriter().modeOfDirectory(directory, mode, before, fresh);
    if (after != now) {
      set(
          MetadataWriter.Item.MODE,
          pinned -> Syscalls.chmodDirectory(pinned, after),
          path(),
          warnings::add);
    }
  }

  @Override
  public void force() throws FdtException {
    directory.force();
  }

  /** Nothing to release: its descriptor is bounded by {@link IdleDirectories}. */
  @Override
  public void close() {}
}
