package io.fdt.server.stripe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.Node;
import io.fdt.core.security.DialRule;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.stripe.DataNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class NodeMembershipTest {
  private static final long PATIENCE = JoinedNode.PATIENCE.toNanos();

  @Test
  void aNodeThatDoesNotHearItsFrontEndWritesNothing() {
    Node node = new Node("test", Duration.ofSeconds(1), Node.TCP);
    try (node;
        NodeMembership never =
            new NodeMembership(dialer(node), DataNode.getDefaultInstance(), null)) {
      assertThat(never.mayWrite()).as("never heard of").isFalse();
    }
  }

  private static Dialer dialer(Node node) {
    return new Dialer(
        node,
        "127.0.0.1",
        1,
        CompletableFuture.failedFuture(new FdtException(ErrorCode.INTERNAL, "not dialled")),
        (host, port, certificates) -> {},
        key -> Hello.newBuilder(),
        DialRule.ANYWHERE,
        false,
        Duration.ofSeconds(1),
        SessionDeadlines.DEFAULT);
  }

  /** The front end gives a node up after that time, and lets others write to its files. */
  @Test
  void itStopsBeforeTheFrontEndGivesItUp() {
    assertThat(NodeMembership.isFresh(0, PATIENCE / 2)).isTrue();
    assertThat(NodeMembership.isFresh(0, PATIENCE)).isFalse();
  }
}
