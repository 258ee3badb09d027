package io.fdt.cli.option.route;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where other servers reach the one of this machine.
 *
 * @param host empty for the address from which this machine reaches them
 * @param port where it listens, too; empty for any free one
 */
public record LocalAddress(Optional<String> host, OptionalInt port) {
  /** Whatever there is. */
  public static final LocalAddress ANY = new LocalAddress(Optional.empty(), OptionalInt.empty());
}
