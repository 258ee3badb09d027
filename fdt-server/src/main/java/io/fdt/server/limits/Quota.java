package io.fdt.server.limits;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.security.AddressRange;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/**
 * A limit that all clients of a server share. One address or one token gets at most half of it, or
 * seven eighths in a single piece. Thread-safe.
 */
public final class Quota {
  private record Holder(String site, String token, long share) {}

  private final String what;
  private final LongFunction<String> text;
  private final long most;
  private final long half;
  private final long mostAtOnce;
  private final Map<Object, Holder> holders = new HashMap<>();

  /** A limit on a number of things, such as "transfers". */
  public Quota(String what, long most) {
    this(what, most, Long::toString);
  }

  /**
   * @param what the shared resource, in words: "of memory"
   * @param text of an amount, for display
   */
  public Quota(String what, long most, LongFunction<String> text) {
    this.what = what;
    this.text = text;
    this.most = most;
    this.half = (most + 1) / 2;
    this.mostAtOnce = most - most / 8;
  }

  /**
   * Takes a share.
   *
   * @param holder owner of the share until {@link #giveBack}
   * @throws FdtException BUSY; USAGE when it is more than one client may have
   */
  public synchronized void take(Object holder, InetAddress address, Grant grant, long share)
      throws FdtException {
    Holder wanted = new Holder(AddressRange.siteOf(address), grant.name(), share);
    if (share > mostAtOnce) {
      throw new FdtException(
          ErrorCode.USAGE,
          "this needs %s %s, and the server allows at most %s: use smaller blocks or fewer streams"
              .formatted(text.apply(share), what, text.apply(mostAtOnce)));
    }
    if (taken(all -> true) > most - share) {
      throw busy(most, "");
    }
    if (isTooMuch(taken(other -> other.site().equals(wanted.site())), share)) {
      throw busy(half, " from the address " + wanted.site());
    }
    if (isTooMuch(taken(other -> other.token().equals(wanted.token())), share)) {
      throw busy(half, " with the token '" + wanted.token() + "'");
    }
    holders.put(holder, wanted);
  }

  private boolean isTooMuch(long taken, long share) {
    return taken > 0 && taken > half - share;
  }

  /** The amount that is taken now. */
  public synchronized long taken() {
    return taken(all -> true);
  }

  public long most() {
    return most;
  }

  private long taken(Predicate<Holder> which) {
    return holders.values().stream().filter(which).mapToLong(Holder::share).sum();
  }

  private FdtException busy(long limit, String whose) {
    return new FdtException(
        ErrorCode.BUSY,
        "the server allows at most %s %s%s: try again in a minute"
            .formatted(text.apply(limit), what, whose));
  }

  /** Releases a share. Idempotent. */
  public synchronized void giveBack(Object holder) {
    holders.remove(holder);
  }
}
