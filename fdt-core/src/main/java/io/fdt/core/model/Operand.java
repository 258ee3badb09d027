package io.fdt.core.model;

import java.util.Optional;

/**
 * One source as the user named it.
 *
 * @param path where it is; with a trailing slash, the contents of that directory
 * @param target where it shall be beneath the destination, when not under its own last name
 */
public record Operand(BytePath path, Optional<BytePath> target) {
  public static Operand of(BytePath path) {
    return new Operand(path, Optional.empty());
  }
}
