package io.fdt.core.node;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FanMember;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Welcome;
import java.util.Optional;

/** Whether servers and relays take several connections for one stream. Stateless. */
public final class FanReach {
  private FanReach() {}

  /** Why data cannot reach a server as a dialer has it; empty where it can. */
  static Optional<FdtException> refusal(Dialer dialer, Welcome welcome) {
    return dialer.node().endsInFans() && welcome.getMostOfFan() < FanMember.MAX_COUNT
        ? Optional.of(
            refusal("the server " + dialer.host(), MessageText.received(welcome.getSoftware())))
        : Optional.empty();
  }

  /**
   * What there is to say of one that does not.
   *
   * @param who in words
   * @param software what it runs
   */
  public static FdtException refusal(String who, String software) {
    return new FdtException(
        ErrorCode.VERSION,
        who
            + " ("
            + software
            + ") does not know different numbers of connections or congestion controls on the parts"
            + " of a way: update it, or give -P and --congestion one value");
  }
}
