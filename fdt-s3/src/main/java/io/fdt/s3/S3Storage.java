package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.LeftoverVisitor;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.RemovalVisitor;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.catalogue.CatalogueSource;
import io.fdt.core.storage.catalogue.CatalogueStorage;
import java.util.Optional;

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

  @Override
  public void remove(BytePath path, boolean recursive, RemovalVisitor visitor)
      throws FdtException, InterruptedException {
    ObjectPath object = ObjectPath.of(path);
    KeyRemover remover =
        new KeyRemover(
            store,
            false,
            new KeyRemover.Report() {
              @Override
              public void removed(KeyRemover.Doomed what)
                  throws FdtException, InterruptedException {
                visitor.removed(what.attributes());
              }

              @Override
              public void failed(ObjectPath name, FdtException cause)
                  throws FdtException, InterruptedException {
                visitor.failed(name.toString(), cause);
              }
            });
    Optional<Store.Found> file =
        object.isBucket() || path.endsWithSlash() ? Optional.empty() : store.find(object);
    if (file.isPresent()) {
      remover.object(object, file.get().size());
    } else if (!store.hasKeys(object)) {
      throw new FdtException(
          ErrorCode.NOT_FOUND, "'" + object + "' does not exist; check the path");
    } else if (!recursive) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'" + object + "' is a directory; add -r to remove it with all that it holds");
    } else {
      remover.tree(object);
    }
    remover.flush();
  }

  @Override
  public String slowedBy() {
    long throttled = store.throttled();
    return throttled == 0
        ? ""
        : "the store of s3:// asked %,d times to slow down (503 or 429)".formatted(throttled);
  }

  /** {@inheritDoc} An upload that got a part in the last hour may still be continued. */
  @Override
  public void leftovers(BytePath start, boolean remove, LeftoverVisitor visitor)
      throws FdtException {
    ObjectPath path = ObjectPath.of(start);
    Uploads.visit(
        store,
        path,
        path.key(),
        one -> {
          boolean isBeneath =
              path.isBucket()
                  || one.path().equals(path)
                  || one.path().key().startsWith(path.prefix());
          if (isBeneath) {
            leftover(one, remove, visitor);
          }
        });
  }

  private void leftover(Uploads.Listed upload, boolean remove, LeftoverVisitor visitor) {
    String shown = upload.path() + " (upload " + upload.id() + ")";
    try {
      MultipartUpload.Found found = Uploads.parts(store, upload, false).orElseThrow();
      long bytes = found.parts().stream().mapToLong(UploadedPart::length).sum();
      boolean inUse = found.isRecent();
      if (remove && !inUse) {
        new ObjectWriter(store, upload.path()).remove(found.upload());
      }
      visitor.leftover(
          new LeftoverVisitor.Leftover(shown, bytes, upload.path().toString(), inUse, false));
    } catch (FdtException e) {
      visitor.failed(shown, e);
    }
  }
}
