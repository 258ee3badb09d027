package io.fdt.core.storage.forward;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
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
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Forwards every call to another directory, for subclasses to override. */
public class ForwardingDirectory implements DestinationDirectory {
  private final DestinationDirectory directory;

  public ForwardingDirectory(DestinationDirectory directory) {
    this.directory = directory;
  }

  /** Wraps a directory of the other destination; the default returns it unchanged. */
  protected DestinationDirectory wrap(DestinationDirectory child) {
    return child;
  }

  /** Wraps a file of the other destination; the default returns it unchanged. */
  protected PendingFile wrap(FileName name, FileShape shape, PendingFile file) {
    return file;
  }

  @Override
  public long journaledBytes() {
    return directory.journaledBytes();
  }

  @Override
  public DiskId disk() {
    return directory.disk();
  }

  @Override
  public boolean isFresh() {
    return directory.isFresh();
  }

  @Override
  public String path() {
    return directory.path();
  }

  @Override
  public Optional<Attributes> find(FileName name) throws FdtException {
    return directory.find(name);
  }

  @Override
  public Timestamp timeOf(Attributes seen, Timestamp wanted) {
    return directory.timeOf(seen, wanted);
  }

  @Override
  public boolean folds(FileName name) throws FdtException {
    return directory.folds(name);
  }

  @Override
  public boolean stores(FileName name) throws FdtException {
    return directory.stores(name);
  }

  @Override
  public long mostBytes() throws FdtException {
    return directory.mostBytes();
  }

  @Override
  public DestinationDirectory makeDirectory(FileName name) throws FdtException {
    return wrap(directory.makeDirectory(name));
  }

  @Override
  public boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules)
      throws InterruptedException {
    return directory.mayRemoveDirectory(name, way, rules);
  }

  @Override
  public void letReplace(FileName name, List<FileName> way, DeletionRules rules) {
    directory.letReplace(name, way, rules);
  }

  @Override
  public DestinationDirectory replaceByDirectory(FileName name) throws FdtException {
    return wrap(directory.replaceByDirectory(name));
  }

  @Override
  public ExistingFile openExisting(FileName name, Attributes seen) throws FdtException {
    return directory.openExisting(name, seen);
  }

  @Override
  public boolean agrees(Attributes seen, int mode, Timestamp modified, FileMetadata metadata) {
    return directory.agrees(seen, mode, modified, metadata);
  }

  @Override
  public boolean wouldChange(int mode, Timestamp modified, Owner owner) throws FdtException {
    return directory.wouldChange(mode, modified, owner);
  }

  @Override
  public void refresh(
      ExistingFile file,
      int mode,
      Timestamp modified,
      FileMetadata metadata,
      Consumer<FdtException> warnings)
      throws FdtException {
    directory.refresh(file, mode, modified, metadata, warnings);
  }

  @Override
  public boolean makeLink(
      FileName name,
      BytePath target,
      Timestamp modified,
      Owner owner,
      Consumer<FdtException> warnings)
      throws FdtException {
    return directory.makeLink(name, target, modified, owner, warnings);
  }

  @Override
  public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {
    directory.attach(metadata, warnings);
  }

  @Override
  public boolean makeHardLink(
      FileName name, DestinationDirectory first, FileName firstName, long size)
      throws FdtException {
    DestinationDirectory other =
        first instanceof ForwardingDirectory forwarding ? forwarding.directory : first;
    return directory.makeHardLink(name, other, firstName, size);
  }

  @Override
  public PendingFile create(FileName name, FileShape shape) throws FdtException {
    return wrap(name, shape, directory.create(name, shape));
  }

  @Override
  public boolean put(
      FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata)
      throws FdtException {
    return directory.put(name, bytes, mode, modified, metadata);
  }

  @Override
  public PartialFile findPartial(FileName name, SourceVersion version) throws FdtException {
    return directory.findPartial(name, version);
  }

  @Override
  public List<FdtException> finish(int mode, Timestamp modified, Durability durability)
      throws FdtException {
    return directory.finish(mode, modified, durability);
  }

  @Override
  public void force() throws FdtException {
    directory.force();
  }

  @Override
  public void close() {
    directory.close();
  }
}
