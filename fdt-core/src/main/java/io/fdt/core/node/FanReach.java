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
    Node node = dialer.node();
    return node.endsInFans()
        ? refusal("the server " + dialer.host(), welcome, node.endsInDatagrams())
        : Optional.empty();
  }

  /**
   * What there is to say of one that does not take them.
   *
   * @param who in words
   * @param overUdp whether it should take them over UDP
   */
  public static Optional<FdtException> refusal(String who, Welcome welcome, boolean overUdp) {
    String missing;
    if (welcome.getMostOfFan() < FanMember.MAX_COUNT) {
      missing =
          "different numbers of connections or congestion controls on the parts of a way: update"
              + " it, or give -P and --congestion one value";
    } else if (overUdp && !welcome.getFansOverUdp()) {
      missing =
          "several connections over UDP for one stream: update it, or give such parts tcp in"
              + " --transport, or -P one value";
    } else {
      return Optional.empty();
    }
    String software = MessageText.received(welcome.getSoftware());
    return Optional.of(
        new FdtException(ErrorCode.VERSION, who + " (" + software + ") does not know " + missing));
  }
}
