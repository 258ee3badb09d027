package io.fdt.storage.local;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.NodeFiles;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.RemovalVisitor;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.local.destination.DryRunDestination;
import io.fdt.storage.local.destination.LocalDestination;
import io.fdt.storage.local.destination.RangeDestination;
import io.fdt.storage.local.export.ExportEdit;
import io.fdt.storage.local.export.LocalListing;
import io.fdt.storage.local.export.LocalNodeFiles;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.source.LocalSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Local directories that a server exports: links are not followed, ".." is refused. */
public final class LocalExports implements ExportedStorage {
  private final ExportedRoots roots;

  private LocalExports(ExportedRoots roots) {
    this.roots = roots;
  }

  /**
   * Opens the exports.
   *
   * @throws FdtException NOT_FOUND, WRONG_KIND or PERMISSION unless each is a readable directory;
   *     USAGE for a duplicate name or for several exports of which one has no name
   */
  public static LocalExports open(List<Root> exports) throws FdtException {
    return new LocalExports(ExportedRoots.open(exports));
  }

  @Override
  public int newFileMode() {
    return FileCreationMask.applyTo(0666);
  }

  @Override
  public SourceTree source(TransferSpec spec) {
    return LocalSource.confined(
            roots, spec.sources(), spec.recursive(), spec.selection(), spec.preservation())
        .changing(spec.changing())
        .directIo(spec.directIo());
  }

  @Override
  public DestinationTree destination(TransferSpec spec, OpenFileLimit openFiles) {
    return spec.dryRun()
        ? DryRunDestination.confined(
            roots,
            spec.destination(),
            spec.destinationIsDirectory(),
            spec.preservation(),
            spec.backups())
        : RangeDestination.of(
            LocalDestination.confined(
                    roots,
                    spec.destination(),
                    spec.destinationIsDirectory(),
                    spec.preservation(),
                    spec.backups(),
                    openFiles)
                .withOlder(spec.deltaFrom())
                .directIo(spec.directIo()),
            spec.part());
  }

  @Override
  public void list(BytePath path, Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    LocalListing.list(roots, path, depth, visitor);
  }

  @Override
  public ExportedStorage view(Set<FileName> names, boolean readOnly) {
    return new LocalExports(roots.view(names, readOnly));
  }

  @Override
  public ExportedStorage without(FileName export, Optional<String> prefix) {
    return new LocalExports(roots.without(export, prefix));
  }

  @Override
  public List<FileName> names() {
    return roots.names();
  }

  @Override
  public Map<BytePath, Boolean> writable() {
    return roots.writable();
  }

  @Override
  public Optional<FileName> exportOf(BytePath path) {
    return roots.exportOf(path);
  }

  @Override
  public void check(BytePath path, boolean writing) throws FdtException {
    roots.check(path, writing);
  }

  @Override
  public void makeDirectory(BytePath path, boolean parents) throws FdtException {
    ExportEdit.makeDirectory(roots, path, parents);
  }

  @Override
  public void rename(BytePath from, BytePath to, boolean replace) throws FdtException {
    ExportEdit.rename(roots, from, to, replace);
  }

  @Override
  public void remove(BytePath path, boolean recursive, RemovalVisitor visitor)
      throws FdtException, InterruptedException {
    ExportEdit.remove(roots, path, recursive, visitor);
  }

  @Override
  public Attributes removeOne(BytePath path) throws FdtException {
    return ExportEdit.removeOne(roots, path);
  }

  @Override
  public void changeAttributes(BytePath path, Timestamp modified, OptionalInt mode)
      throws FdtException {
    ExportEdit.changeAttributes(roots, path, modified, mode);
  }

  @Override
  public NodeFiles nodeFiles() {
    return new LocalNodeFiles(roots);
  }

  @Override
  public void close() {
    roots.close();
  }
}
