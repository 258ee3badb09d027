package io.fdt.core.receive;

import io.fdt.core.model.FileName;
import io.fdt.core.storage.DestinationDirectory;
import java.util.function.Supplier;

/** A place at the destination: a directory, and a name in it. */
record Place(DestinationDirectory directory, FileName name) implements Supplier<String> {
  @Override
  public String get() {
    return path();
  }

  /** The escaped path. */
  String path() {
    String parent = directory.path();
    return parent.isEmpty() || parent.endsWith("/") ? parent + name : parent + "/" + name;
  }
}
