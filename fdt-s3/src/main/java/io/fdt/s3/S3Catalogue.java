package io.fdt.s3;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.catalogue.Catalogue;
import io.fdt.core.storage.name.PathHashes;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/** The objects of buckets; the slashes in their keys make directories. Any thread. */
final class S3Catalogue implements Catalogue {
  static final int FILE_MODE = 0644;
  static final Item DIRECTORY = new Item(EntryKind.DIRECTORY, 0, 0755, null);

  private final Store store;
  private final boolean exact;
  private final ExecutorService requests = Requests.pool("fdt-s3-list");

  /**
   * @param exact whether listings ask for the metadata of each object
   */
  S3Catalogue(Store store, boolean exact) {
    this.store = store;
    this.exact = exact;
  }

  static Item item(Store.Found found) {
    return new Item(
        EntryKind.FILE,
        found.size(),
        ObjectMetadata.mode(found.metadata()).orElse(FILE_MODE),
        ObjectMetadata.modified(found.metadata(), found.stored()),
        stamp(found.tag(), found.stored()));
  }

  /** An object with the same ETag has the same bytes. */
  static FileStamp stamp(String tag, Instant stored) {
    return tag == null
        ? FileStamp.NONE
        : new FileStamp(identity(tag), new Timestamp(stored.getEpochSecond(), 0), true);
  }

  static long identity(String tag) {
    return PathHashes.of(0, tag.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public Optional<Item> find(BytePath path) throws FdtException {
    ObjectPath object = ObjectPath.of(path);
    if (!object.isBucket() && !path.endsWithSlash()) {
      Optional<Item> file = store.find(object).map(S3Catalogue::item);
      if (file.isPresent()) {
        return file;
      }
    }
    boolean hasKeys = store.hasKeys(object); // also where there is no bucket
    return hasKeys || object.isBucket() ? Optional.of(DIRECTORY) : Optional.empty();
  }

  @Override
  public Names list(BytePath directory) throws FdtException {
    PrefixNames names = new PrefixNames(store, ObjectPath.of(directory), requests, exact);
    return () -> {
      Listed next = names.next();
      if (next == null) {
        names.checkComplete();
      }
      return next;
    };
  }

  @Override
  public BlockReader open(BytePath path, Item item) throws FdtException {
    return new ObjectReader(store, ObjectPath.of(path), item.size(), item.stamp().identity());
  }

  @Override
  public void close() {
    requests.shutdownNow();
  }
}
