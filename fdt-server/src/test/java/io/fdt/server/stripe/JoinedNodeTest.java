package io.fdt.server.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.TokenBook;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Pong;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.core.wire.stripe.JoinStripe;
import io.fdt.server.session.Client;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A data node as its front end sees it, in virtual time. */
class JoinedNodeTest {
  private final Clock loop = new Clock();
  private final DataNodes nodes = new DataNodes((connection, some) -> null);
  private final List<FdtException> refused = new ArrayList<>();
  private final SilentConnection connection = new SilentConnection();

  @Test
  void aNodeThatIsSilentForTenSecondsIsGone() throws Exception {
    JoinedNode node = join();
    loop.until(9);
    assertThat(refused).isEmpty();
    node.message(Control.newBuilder().setPong(Pong.getDefaultInstance()).build());

    loop.until(18);
    assertThat(refused).isEmpty();
    assertThat(nodes.addresses()).hasSize(1);
    assertThat(connection.sent).allMatch(Control::hasPing).hasSizeGreaterThan(6);

    loop.until(23);
    assertThat(refused).singleElement().matches(e -> e.code() == ErrorCode.TIMEOUT);
    assertThat(nodes.addresses()).isEmpty();
  }

  @Test
  void aNodeWhoseTokenIsRevokedIsGone() throws Exception {
    Grant grant = grant(true);
    JoinedNode unused = join(grant, Optional.empty());

    assertThat(refused).singleElement().matches(e -> e.code() == ErrorCode.UNAUTHENTICATED);
    assertThat(nodes.addresses()).isEmpty();
  }

  @Test
  void aTokenThatIsNotForDataNodesMakesNone() {
    Grant grant = grant(false);

    assertThatThrownBy(() -> join(grant, Optional.of(grant)))
        .hasMessageContaining("for data nodes");
    assertThat(nodes.addresses()).isEmpty();
  }

  /** The first one is the address from which it has joined. */
  @Test
  void clientsHearOfTheAddressOfANodeOrOfTheOneThatItAdvertises() throws Exception {
    Grant grant = grant(true);
    for (String advertised : List.of("", "192.0.2.7")) {
      JoinedNode unused = join(grant, Optional.of(grant), advertised);
    }

    assertThat(nodes.addresses())
        .extracting(DataNode::getHost)
        .containsExactly("127.0.0.1", "192.0.2.7");
    assertThatThrownBy(() -> join(grant, Optional.of(grant), "localhost"))
        .hasMessageContaining("bad address of a data node: localhost");
  }

  private JoinedNode join() throws FdtException {
    Grant grant = grant(true);
    return join(grant, Optional.of(grant));
  }

  private static Grant grant(boolean dataNode) {
    return new Grant(
        "node",
        Instant.EPOCH,
        Optional.empty(),
        false,
        Set.of(),
        List.of(),
        true,
        dataNode,
        RelayGrant.UNLIMITED);
  }

  /** With a book that holds no other token than this one. */
  private JoinedNode join(Grant grant, Optional<Grant> known) throws FdtException {
    return join(grant, known, "127.0.0.1");
  }

  private JoinedNode join(Grant grant, Optional<Grant> known, String advertised)
      throws FdtException {
    JoinStripe request =
        JoinStripe.newBuilder()
            .setAddress(DataNode.newBuilder().setHost(advertised).setPort(1))
            .build();
    Client client = new Client(connection, loop, grant, null, null, null);
    return JoinedNode.join(client, nodes, request, new TokenBook("unused", known), refused::add);
  }

  /** Does what is due when a test moves the time. */
  private static final class Clock implements SessionLoop {
    private record Due(long nanos, Runnable task) {}

    private final PriorityQueue<Due> due =
        new PriorityQueue<>(Comparator.comparingLong(Due::nanos));
    private long now;

    void until(long seconds) {
      long end = TimeUnit.SECONDS.toNanos(seconds);
      while (!due.isEmpty() && due.peek().nanos() <= end) {
        Due next = due.remove();
        now = next.nanos();
        next.task().run();
      }
      now = end;
    }

    @Override
    public void post(Runnable task) {
      task.run();
    }

    @Override
    public void run(Runnable task) {
      task.run();
    }

    @Override
    public void after(long nanos, Runnable task) {
      due.add(new Due(now + nanos, task));
    }

    @Override
    public void fail(String what, Throwable thrown) {
      throw new AssertionError(what, thrown);
    }

    @Override
    public long nanoTime() {
      return now;
    }
  }

  /** Nothing comes from the other end. */
  private static final class SilentConnection implements ControlConnection {
    private final List<Control> sent = new ArrayList<>();

    @Override
    public void send(Control message) {
      sent.add(message);
    }

    @Override
    public String peer() {
      return "127.0.0.1";
    }

    @Override
    public InetAddress peerAddress() {
      return InetAddress.getLoopbackAddress();
    }

    @Override
    public InetAddress localAddress() {
      return InetAddress.getLoopbackAddress();
    }

    @Override
    public Optional<Fingerprint> peerKey() {
      return Optional.of(Fingerprint.parse("SHA256:" + "A".repeat(43)));
    }

    @Override
    public Duration roundTrip() {
      return Duration.ZERO;
    }

    @Override
    public long pendingBytes() {
      return 0;
    }

    @Override
    public void awaitPending(long most, Duration patience) {}

    @Override
    public void peerIsKnown() {}

    @Override
    public void setReading(boolean reading) {}

    @Override
    public void close() {}
  }
}
