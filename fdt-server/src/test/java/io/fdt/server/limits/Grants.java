package io.fdt.server.limits;

import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What tokens of tests allow. */
public final class Grants {
  private Grants() {}

  /** One that may leave so much in the spool of a relay. */
  public static Grant withSpool(String name, long bytes) {
    return withRelay(name, new RelayGrant(true, List.of(), 0, bytes));
  }

  /** One with limits at a relay, and no others. */
  public static Grant withRelay(String name, RelayGrant relay) {
    return new Grant(
        name, Instant.EPOCH, Optional.empty(), false, Set.of(), List.of(), true, false, relay);
  }
}
