package io.fdt.s3;

import io.fdt.core.storage.Storage;
import io.fdt.core.storage.StorageProvider;

/** The buckets of S3, and of stores that speak its protocol. */
public final class S3Provider implements StorageProvider {
  @Override
  public String scheme() {
    return "s3";
  }

  @Override
  public Storage storage() {
    return new S3Storage(new Store(System.getenv()));
  }
}
