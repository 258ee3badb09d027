package io.fdt.http;

import io.fdt.core.storage.Storage;
import io.fdt.core.storage.StorageProvider;

/** The files of web servers that encrypt. */
public final class HttpsProvider implements StorageProvider {
  @Override
  public String scheme() {
    return "https";
  }

  @Override
  public Storage storage() {
    return new HttpProvider().storage();
  }
}
