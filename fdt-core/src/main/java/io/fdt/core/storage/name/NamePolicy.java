package io.fdt.core.storage.name;

import io.fdt.core.model.FileName;

/**
 * The names that a destination can store. Asked for each entry before anything of it is created or
 * sent. Pure functions.
 */
public interface NamePolicy {
  /** Any bytes. */
  NamePolicy ANY = name -> true;

  /** Whether the destination can store the name: otherwise the entry fails. */
  boolean allows(FileName name);
}
