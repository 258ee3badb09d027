package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.DestinationRule;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Root;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationTree;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

/**
 * Writes objects beneath a prefix. A prefix is a directory as soon as an object is beneath it.
 * Thread-safe.
 */
final class S3Destination implements DestinationTree {
  /** Most bytes ahead of the first missing block of each file: the parts that are not complete. */
  private static final long WINDOW = 64 << 20;

  /** Parts that are uploaded or grow: 16 of 8 MiB, or a few larger ones. */
  private static final long MEMORY = 128 << 20;

  private static final int MOST_WRITTEN = 1024;

  private static final Capabilities CAPABILITIES =
      new Capabilities(
          EnumSet.of(Aspect.MODE, Aspect.TIMES, Aspect.SPECIAL_BITS, Aspect.OWNER),
          false,
          true,
          WINDOW,
          1,
          name -> ObjectPath.text(name.bytes()).isPresent(),
          S3Storage.AT_ONCE);

  private final Store store;
  private final TransferSpec spec;
  private final PartMemory memory =
      new PartMemory(Math.min(MEMORY, Runtime.getRuntime().maxMemory() / 4));
  private final ExecutorService uploads = Requests.pool("fdt-s3-upload");
  private final ExecutorService requests = Requests.pool("fdt-s3-list");
  private final Set<ObjectUpload> open = ConcurrentHashMap.newKeySet();
  private final Set<ObjectPath> unfinished = ConcurrentHashMap.newKeySet();

  /** The ETags of the last objects that this transfer wrote. Guarded by itself. */
  private final Map<ObjectPath, String> written =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ObjectPath, String> eldest) {
          return size() > MOST_WRITTEN;
        }
      };

  private volatile ObjectPath base;
  private volatile boolean closed;

  S3Destination(Store store, TransferSpec spec) {
    this.store = store;
    this.spec = spec;
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    if (spec.assurance().verify()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'"
              + spec.destination()
              + "': a bucket gives no bytes back before the object is complete; copy without"
              + " reading back: the store compares the CRC32C of each object");
    }
    if (!spec.part().isWhole() || spec.backups().isPresent()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'"
              + spec.destination()
              + "': a bucket keeps neither parts of files nor backups; choose a directory");
    }
    BytePath destination = spec.destination();
    ObjectPath path = ObjectPath.of(destination);
    FileName last = path.isBucket() ? null : PathNames.split(destination).last();
    boolean isDirectoryByName = spec.destinationIsDirectory() || last == null;
    DestinationRule.requireName(roots, !isDirectoryByName, destination);
    boolean isThere = store.hasKeys(path);
    if (DestinationRule.isNewName(roots, isThere, isDirectoryByName)) {
      base = path.parent();
      return new Base(new S3Directory(this, base, false), last);
    }
    base = path;
    return new Base(new S3Directory(this, path, !isThere), null);
  }

  @Override
  public Capabilities capabilities() {
    return CAPABILITIES;
  }

  /** {@inheritDoc} An object is durable when the store has acknowledged it. */
  @Override
  public void force() {}

  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules)
      throws InterruptedException {
    ObjectPath start = base;
    if (start == null) {
      return;
    }
    for (List<FileName> root : roots) {
      ObjectPath directory = start;
      for (FileName name : root) {
        directory = directory.child(name);
      }
      new PrefixDeletion(store, requests, rules, pretend, root.size()).run(directory, root);
    }
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(ObjectUpload::close);
    uploads.shutdownNow();
    requests.shutdownNow();
  }

  boolean isClosed() {
    return closed;
  }

  Store store() {
    return store;
  }

  TransferSpec spec() {
    return spec;
  }

  PartMemory memory() {
    return memory;
  }

  /** Threads that upload parts. */
  ExecutorService uploads() {
    return uploads;
  }

  /** Threads for listings. */
  ExecutorService requests() {
    return requests;
  }

  /** Reserves the name of a file until {@link #finished}. */
  boolean begin(ObjectPath path) {
    return unfinished.add(path);
  }

  void began(ObjectUpload file) {
    open.add(file);
  }

  void finished(ObjectUpload file, ObjectPath path) {
    if (open.remove(file)) {
      unfinished.remove(path);
    }
  }

  void wrote(ObjectPath path, String tag) {
    synchronized (written) {
      written.put(path, String.valueOf(tag));
    }
  }

  /** The ETag of an object that this transfer wrote lately. */
  Optional<String> writtenTag(ObjectPath path) {
    synchronized (written) {
      return Optional.ofNullable(written.get(path));
    }
  }
}
