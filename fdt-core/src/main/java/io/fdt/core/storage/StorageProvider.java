package io.fdt.core.storage;

/**
 * A kind of storage that a jar of its own brings: the jar {@code fdt-SCHEME.jar} lies beside {@code
 * fdt.jar}, and names its provider in {@code
 * META-INF/services/io.fdt.core.storage.StorageProvider}. Its classes are loaded when a path begins
 * with {@code SCHEME://}.
 */
public interface StorageProvider {
  /** The scheme of its paths, in small letters: "zip" for {@code zip://...}. */
  String scheme();

  /** The storage; paths include the scheme, as the user wrote them. Any thread. */
  Storage storage();
}
