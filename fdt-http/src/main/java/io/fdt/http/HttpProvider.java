package io.fdt.http;

import io.fdt.core.storage.Storage;
import io.fdt.core.storage.StorageProvider;
import io.fdt.core.storage.catalogue.CatalogueStorage;

/** The files of web servers that do not encrypt. */
public final class HttpProvider implements StorageProvider {
  @Override
  public String scheme() {
    return "http";
  }

  @Override
  public Storage storage() {
    WebClient web = WebClient.of(System.getenv());
    return new CatalogueStorage("http", () -> new HttpCatalogue(web));
  }
}
