package io.fdt.cli.option.route;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The address at which other servers reach the server of this machine.
 *
 * @param host empty for the address from which this machine reaches them
 * @param port on which it also listens; empty for any free one
 */
public record LocalAddress(Optional<String> host, OptionalInt port) {
  /** The default address and any free port. */
  public static final LocalAddress ANY = new LocalAddress(Optional.empty(), OptionalInt.empty());
}
