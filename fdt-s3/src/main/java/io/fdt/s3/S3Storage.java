package io.fdt.s3;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.catalogue.CatalogueSource;
import io.fdt.core.storage.catalogue.CatalogueStorage;

/** The objects of a store, by paths {@code s3://BUCKET/KEY}. Any thread. */
final class S3Storage implements Storage {
  static final DiskId DISK = new DiskId("s3");

  /** Requests for ranges and objects at once: over 50 ms, 16 of 1 MiB are 300 MB/s. */
  static final int AT_ONCE = 16;

  private final Store store;
  private final Storage listing;

  S3Storage(Store store) {
    this.store = store;
    this.listing = new CatalogueStorage(DISK.name(), () -> new S3Catalogue(store, false));
  }

  @Override
  public int newFileMode() {
    return S3Catalogue.FILE_MODE;
  }

  @Override
  public SourceTree source(TransferSpec spec) {
    boolean exact =
        spec.preservation().keeps(Aspect.TIMES) || spec.preservation().keeps(Aspect.MODE);
    return new CatalogueSource(new S3Catalogue(store, exact), DISK, spec, AT_ONCE);
  }

  @Override
  public DestinationTree destination(TransferSpec spec, OpenFileLimit openFiles) {
    return new S3Destination(store, spec);
  }

  @Override
  public void list(BytePath path, Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    listing.list(path, depth, visitor);
  }
}
