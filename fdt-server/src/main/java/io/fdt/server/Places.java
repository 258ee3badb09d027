package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.Grant;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * So many places for clients of a server; half of them at most for one address or one token.
 * Thread-safe.
 */
final class Places {
  private record Holder(String site, String token) {}

  private final String what;
  private final int most;
  private final int half;
  private final Map<Object, Holder> holders = new HashMap<>();

  /**
   * @param what has a place, in words: "sessions"
   */
  Places(String what, int most) {
    this.what = what;
    this.most = most;
    this.half = (most + 1) / 2;
  }

  /**
   * Takes a place.
   *
   * @param holder who has it until {@link #giveBack}
   * @throws FdtException BUSY
   */
  synchronized void take(Object holder, InetAddress address, Grant grant) throws FdtException {
    Holder wanted = new Holder(AddressRange.siteOf(address), grant.name());
    long ofSite = holders.values().stream().filter(h -> h.site().equals(wanted.site())).count();
    long ofToken = holders.values().stream().filter(h -> h.token().equals(wanted.token())).count();
    if (holders.size() >= most) {
      throw busy(most, "");
    }
    if (ofSite >= half) {
      throw busy(half, " from the address " + wanted.site());
    }
    if (ofToken >= half) {
      throw busy(half, " with the token '" + wanted.token() + "'");
    }
    holders.put(holder, wanted);
  }

  private FdtException busy(int limit, String whose) {
    return new FdtException(
        ErrorCode.BUSY,
        "the server has %d %s%s, as many as it takes: try again in a minute"
            .formatted(limit, what, whose));
  }

  /** Gives a place back. Idempotent. */
  synchronized void giveBack(Object holder) {
    holders.remove(holder);
  }
}
