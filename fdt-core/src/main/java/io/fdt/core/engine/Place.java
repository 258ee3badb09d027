package io.fdt.core.engine;

import io.fdt.core.manifest.FileName;
import io.fdt.core.storage.DestinationDirectory;

/** Where something is at the destination: a directory, and a name in it. */
record Place(DestinationDirectory directory, FileName name) {
  /** For people. */
  String path() {
    String parent = directory.path();
    return parent.isEmpty() || parent.endsWith("/") ? parent + name : parent + "/" + name;
  }
}
