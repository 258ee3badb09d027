package io.fdt.e2e;

import io.fdt.core.storage.Storage;
import io.fdt.core.storage.StorageProvider;
import io.fdt.core.storage.memory.MemoryStorage;

/** A bucket in memory for servers of this JVM: {@code memory://}. */
public final class MemoryProvider implements StorageProvider {
  private static final Storage STORAGE = new MemoryStorage(MemoryStorage.BUCKET, false);

  @Override
  public String scheme() {
    return "memory";
  }

  @Override
  public Storage storage() {
    return STORAGE;
  }
}
