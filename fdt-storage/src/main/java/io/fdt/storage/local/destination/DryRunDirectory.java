package io.fdt.storage.local.destination;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.destination.partial.PartialFinder;
import io.fdt.storage.local.destination.replace.DeletionWalk;
import io.fdt.storage.local.destination.replace.Disposal;
import io.fdt.storage.local.destination.replace.FoldingProbe;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.DiskIds;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** A directory of a {@link DryRunDestination}, which may not exist. Any thread. */
final class DryRunDirectory implements DestinationDirectory {
  private final Directory directory;
  private final String path;
  private final DirectoryScope scope;
  private final MetadataWriter metadataWriter;

  /** Names of directories that would have been removed. */
  private final Set<FileName> removed = ConcurrentHashMap.newKeySet();

  /**
   * @param directory null when it does not exist
   */
  DryRunDirectory(
      Directory directory, String path, DirectoryScope scope, MetadataWriter metadataWriter) {
    this.metadataWriter = metadataWriter;
    this.directory = directory;
    this.path = path;
    this.scope = scope;
  }

  /** The directory; null if it does not exist. */
  Directory directory() {
    return directory;
  }

  @Override
  public DiskId disk() {
    if (directory == null) {
      throw new IllegalStateException("the directory does not exist");
    }
    return DiskIds.OF_MACHINE.of(directory.firstSeen().device());
  }

  @Override
  public ExistingFile openExisting(FileName name, Attributes seen) throws FdtException {
    return LocalExistingFile.open(directory, name, seen);
  }

  @Override
  public boolean isFresh() {
    return directory == null;
  }

  /** {@inheritDoc} Creates nothing to find out: new names count as kept apart. */
  @Override
  public boolean folds(FileName name) throws FdtException {
    return directory != null && FoldingProbe.folds(directory, name);
  }

  @Override
  public long mostBytes() throws FdtException {
    return directory == null ? Long.MAX_VALUE : SizeLimit.of(directory);
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public Optional<Attributes> find(FileName name) throws FdtException {
    return directory == null || removed.contains(name)
        ? Optional.empty()
        : Optional.ofNullable(directory.find(name));
  }

  /** {@inheritDoc} Does not create it. */
  @Override
  public DryRunDirectory makeDirectory(FileName name) throws FdtException {
    String childPath = pathOf(name);
    TemporaryName.refuse(name, () -> childPath);
    Optional<Attributes> there = find(name);
    if (there.isPresent() && !there.get().is(EntryKind.DIRECTORY)) {
      throw MadeDirectory.notADirectory(childPath);
    }
    return new DryRunDirectory(
        there.isPresent() ? directory.child(scope, name) : null, childPath, scope, metadataWriter);
  }

  @Override
  public DryRunDirectory replaceByDirectory(FileName name) throws FdtException {
    String childPath = pathOf(name);
    TemporaryName.refuse(name, () -> childPath);
    return new DryRunDirectory(null, childPath, scope, metadataWriter);
  }

  @Override
  public void letReplace(FileName name, List<FileName> way, DeletionRules rules) {}

  @Override
  public boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules)
      throws InterruptedException {
    DeletionWalk walk = new DeletionWalk(directory, scope, rules, Disposal.PRETEND, null);
    boolean wouldGo = walk.remove(name, way);
    if (wouldGo) {
      removed.add(name);
    }
    return wouldGo;
  }

  @Override
  public boolean makeLink(
      FileName name,
      BytePath target,
      Timestamp modified,
      Owner owner,
      Consumer<FdtException> warnings)
      throws FdtException {
    TemporaryName.refuse(name, () -> pathOf(name));
    Optional<Attributes> there = find(name);
    if (there.filter(found -> found.is(EntryKind.DIRECTORY)).isPresent()) {
      throw Errno.ofName(Errno.EISDIR, "make the link", pathOf(name));
    }
    boolean isLink = there.filter(found -> found.is(EntryKind.SYMLINK)).isPresent();
    return !isLink || !directory.linkTarget(name).equals(Syscalls.keptTarget(target));
  }

  @Override
  public PartialFile findPartial(FileName name, SourceVersion version) throws FdtException {
    return directory == null ? PartialFile.NONE : PartialFinder.find(directory, name, version);
  }

  @Override
  public boolean agrees(Attributes seen, int mode, Timestamp modified, FileMetadata metadata) {
    return metadataWriter.agrees(directory, seen, mode, modified, metadata.owner());
  }

  @Override
  public Timestamp timeOf(Attributes seen, Timestamp wanted) {
    return metadataWriter.timeOf(directory, seen, wanted);
  }

  @Override
  public boolean wouldChange(int mode, Timestamp modified, Owner owner) throws FdtException {
    return directory != null
        && modified != null
        && !metadataWriter.agreesAsDirectory(directory, mode, modified, owner);
  }

  @Override
  public void refresh(
      ExistingFile file,
      int mode,
      Timestamp modified,
      FileMetadata metadata,
      Consumer<FdtException> warnings) {
    throw writesNothing();
  }

  @Override
  public boolean makeHardLink(
      FileName name, DestinationDirectory first, FileName firstName, long size) {
    throw writesNothing();
  }

  @Override
  public PendingFile create(FileName name, FileShape shape) {
    throw writesNothing();
  }

  private static IllegalStateException writesNothing() {
    return new IllegalStateException("a dry run writes nothing");
  }

  private String pathOf(FileName name) {
    return path.isEmpty() || path.endsWith("/") ? path + name : path + "/" + name;
  }

  /** {@inheritDoc} Does nothing, also for subdirectories. */
  @Override
  public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

  @Override
  public List<FdtException> finish(int mode, Timestamp modified, Durability durability) {
    return List.of();
  }

  @Override
  public void force() {}

  @Override
  public void close() {}
}
