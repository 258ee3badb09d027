package io.fdt.core.storage.name;

import io.fdt.core.model.FileName;
import java.util.Optional;

/**
 * The names that a destination can store. Asked for each entry before anything of it is created or
 * sent. Pure functions.
 */
public interface NamePolicy {
  /** Any bytes. */
  NamePolicy ANY = Optional::of;

  /**
   * The name that an entry gets: its own, or an encoding of it by which it can be copied back.
   *
   * @return empty for a name that the destination cannot store: that entry fails
   */
  Optional<FileName> encode(FileName name);
}
