package io.fdt.storage.portable;

import io.fdt.core.storage.Attributes;

/** A directory, device, socket or FIFO that was opened as a file: only its attributes are read. */
record OpenSpecial(Attributes attributes) implements Handle {
  @Override
  public void close() {}
}
