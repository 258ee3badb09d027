package io.fdt.storage.local;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.LeftoverVisitor;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.Storage;
import io.fdt.storage.local.destination.DryRunDestination;
import io.fdt.storage.local.destination.LocalDestination;
import io.fdt.storage.local.destination.RangeDestination;
import io.fdt.storage.local.destination.replace.StalePartials;
import io.fdt.storage.local.export.LocalListing;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.source.LocalSource;

/**
 * The files of this machine, as its user names them: relative to the working directory, following
 * links on the way.
 */
public final class LocalStorage implements Storage {
  public static final LocalStorage OF_USER = new LocalStorage();

  private LocalStorage() {}

  @Override
  public int newFileMode() {
    return FileCreationMask.applyTo(0666);
  }

  @Override
  public SourceTree source(TransferSpec spec) {
    return LocalSource.trusted(
            spec.sources(), spec.recursive(), spec.selection(), spec.preservation())
        .changing(spec.changing())
        .directIo(spec.directIo());
  }

  @Override
  public DestinationTree destination(TransferSpec spec, OpenFileLimit openFiles) {
    return spec.dryRun()
        ? DryRunDestination.trusted(
            spec.destination(), spec.destinationIsDirectory(), spec.preservation(), spec.backups())
        : RangeDestination.of(
            LocalDestination.trusted(
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
    LocalListing.listTrusted(path, depth, visitor);
  }

  @Override
  public void leftovers(BytePath start, boolean remove, LeftoverVisitor visitor)
      throws FdtException {
    StalePartials.visit(start, remove, visitor);
  }
}
