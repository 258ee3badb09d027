package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.TestServer;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client learns while relays connect further. */
class RelayHopTest {
  /** Longer than the machine takes by itself; only the least is compared. */
  private static final Duration PAUSE = Duration.ofMillis(30);

  private final List<FdtException> outcomes = new ArrayList<>();
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void pass(int relays) {
    Routes.Hop hop = new Routes.Hop(TestServer.SESSION, TestServer.SECRET, false);
    List<Routes.Hop> hops = new ArrayList<>();
    for (int i = 0; i < relays; i++) {
      hops.add(hop);
    }
    Routes.Route route =
        new Routes.Route(InetSocketAddress.createUnresolved("relay", 1), hops, () -> {});
    RelayHop first =
        new RelayHop(
            route, 0, Duration.ofMinutes(1), new ChannelInboundHandlerAdapter(), outcomes::add);
    channel.pipeline().addLast(first);
    channel.pipeline().fireChannelActive();
  }

  private void answer() {
    ByteBuf answer = Unpooled.buffer();
    Preface.of(Preface.Kind.ANSWER).write(answer);
    JoinAnswer.ACCEPTED.write(answer);
    channel.writeInbound(answer);
    channel.runPendingTasks();
  }

  /** Which is that of the whole way: the relay answers when it has reached the server. */
  @Test
  void theRoundTripIsWhatTheRelayTookToConnectFurther() throws Exception {
    pass(1);
    Thread.sleep(PAUSE.toMillis());
    answer();

    assertThat(outcomes).hasSize(1).containsOnlyNulls();
    assertThat(channel.attr(RelayHop.ROUND_TRIP).get()).isGreaterThanOrEqualTo(PAUSE);
  }

  @Test
  void ofSeveralRelaysTheLastOneTells() throws Exception {
    pass(2);
    answer();
    assertThat(outcomes).isEmpty();
    Thread.sleep(PAUSE.toMillis());
    answer();

    assertThat(outcomes).hasSize(1).containsOnlyNulls();
    assertThat(channel.attr(RelayHop.ROUND_TRIP).get()).isGreaterThanOrEqualTo(PAUSE);
  }
}
