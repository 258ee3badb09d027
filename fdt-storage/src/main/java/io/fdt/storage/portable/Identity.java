package io.fdt.storage.portable;

import io.fdt.core.storage.Attributes;

/** The identity of a file, whatever its name. */
record Identity(long device, long inode) {
  /** Stands for an unknown one: no file with a name has it. */
  static final Identity NONE = new Identity(-1, 1);

  static Identity of(Attributes attributes) {
    return new Identity(attributes.device(), attributes.inode());
  }
}
