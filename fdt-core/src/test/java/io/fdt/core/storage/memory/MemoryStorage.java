package io.fdt.core.storage.memory;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.catalogue.CatalogueStorage;
import io.fdt.core.storage.name.NamePolicy;
import java.util.EnumSet;

/**
 * Keeps files in memory: an example of a storage that is read and written, and a stand-in for those
 * that can do less than a directory of this machine. Any thread.
 */
public final class MemoryStorage implements Storage {
  /** As an object store: no random writes, no links, no holes, times in seconds. */
  public static final Capabilities BUCKET =
      new Capabilities(
          EnumSet.of(Aspect.TIMES), false, false, 8 << 20, 1_000_000_000L, NamePolicy.ANY);

  static final DiskId DISK = new DiskId("memory");

  /** Something that happens before a read of an existing file at the destination. */
  public interface BeforeRead {
    void run() throws FdtException;
  }

  private final MemoryFiles files = new MemoryFiles();
  private final Storage reading = new CatalogueStorage(DISK.name(), () -> files);
  private final Capabilities capabilities;
  private final boolean foldsNames;
  private boolean keepsPartials;

  /** Keeps everything but what needs a disk. */
  public MemoryStorage() {
    this(Capabilities.ALL, false);
  }

  /**
   * @param capabilities what it does; it fails where more is asked of it
   * @param foldsNames whether names that differ only in case are one
   */
  public MemoryStorage(Capabilities capabilities, boolean foldsNames) {
    this.capabilities = capabilities;
    this.foldsNames = foldsNames;
  }

  /** A transfer continues what an interrupted one has written. */
  public void keepPartials() {
    keepsPartials = true;
  }

  /** The bytes of a file that has its final name; null when there is none. */
  public byte[] contentOf(String path) {
    return files.node(BytePath.of(path)).map(node -> node.bytes).orElse(null);
  }

  /** Makes a file in the topmost directory, or replaces it. */
  public void put(FileName name, byte[] bytes, Timestamp modified) {
    files.put(name, bytes, modified);
  }

  /** Changes the bytes of a file in the topmost directory, which remains the same one. */
  public void rewrite(FileName name, byte[] bytes) {
    files.root().names.get(name).bytes = bytes;
  }

  /** Removes a file from the topmost directory. */
  public void remove(FileName name) {
    files.root().names.remove(name);
  }

  /** Runs this before each read of an existing file at the destination. */
  public void beforeRead(BeforeRead work) {
    files.beforeRead = work;
  }

  /** Whether nothing has a name. */
  public boolean isEmpty() {
    return files.root().names.isEmpty();
  }

  @Override
  public int newFileMode() {
    return 0644;
  }

  @Override
  public SourceTree source(TransferSpec spec) {
    return reading.source(spec);
  }

  @Override
  public DestinationTree destination(TransferSpec spec, OpenFileLimit openFiles) {
    return new MemoryDestination(
        files, spec.destination(), capabilities, foldsNames, keepsPartials);
  }

  @Override
  public void list(BytePath path, Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    reading.list(path, depth, visitor);
  }
}
