package io.fdt.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.RandomDataset;
import io.fdt.core.spec.SessionDeadlines;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The deadlines of a session, in virtual time: an hour takes no longer than the events in it. */
class TimersTest {
  private static final long SECOND = 1_000_000_000L;

  private static SimulatedTransfer transfer(long seed, SessionDeadlines deadlines) {
    Random random = new Random(seed);
    RandomDataset dataset = RandomDataset.sound(random);
    while (dataset.items().size() < 20) {
      dataset = RandomDataset.sound(random);
    }
    return new SimulatedTransfer(
        random, dataset, new SimulatedDestination(dataset, random), deadlines);
  }

  @Test
  void aSilentPeerCountsAsLostAfterTheIdleTimeout() {
    SimulatedTransfer transfer = transfer(1, SessionDeadlines.DEFAULT);
    transfer.start();
    transfer.run(50);
    transfer.network.down();
    transfer.runFor(29 * SECOND);
    assertThat(transfer.sender.detached).as("before the idle timeout").isFalse();
    transfer.runFor(3 * SECOND);
    assertThat(transfer.sender.detached).isTrue();
    assertThat(transfer.receiver.detached).isTrue();
    assertThat(transfer.sender.ended).as("it waits for the other end to come back").isFalse();
  }

  @Test
  void whoeverDoesNotComeBackEndsTheSessionAfterTheRetryTimeout() {
    SimulatedTransfer transfer =
        transfer(2, SessionDeadlines.DEFAULT.withRetryTimeout(Duration.ofSeconds(60)));
    transfer.start();
    transfer.run(50);
    transfer.network.down();
    transfer.runFor(88 * SECOND);
    assertThat(transfer.sender.ended).isFalse();
    transfer.runFor(5 * SECOND);
    assertThat(transfer.sender.failure.code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(transfer.receiver.failure.code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void withoutARetryTimeoutALostConnectionIsTheEnd() {
    SimulatedTransfer transfer =
        transfer(3, SessionDeadlines.DEFAULT.withRetryTimeout(Duration.ZERO));
    transfer.start();
    transfer.run(50);
    transfer.network.down();
    transfer.runFor(33 * SECOND);
    assertThat(transfer.sender.detached).isFalse();
    assertThat(transfer.sender.ended).isTrue();
    assertThat(transfer.receiver.ended).isTrue();
  }

  @Test
  void whatWasLostMeanwhileGoesAgainOverTheNextConnection() throws FdtException {
    SimulatedTransfer transfer = transfer(4, SessionDeadlines.DEFAULT);
    transfer.start();
    transfer.run(60);
    transfer.network.down();
    transfer.runFor(40 * SECOND);
    transfer.network.up();
    transfer.reconnect();
    transfer.network.open();
    transfer.network.open();
    transfer.runOn();
    transfer.assertFinished();
  }

  @Test
  void aTransferInWhichNothingMovesIsReportedAndThenGivenUp() {
    SimulatedTransfer transfer =
        transfer(5, SessionDeadlines.DEFAULT.withStallTimeout(Duration.ofMinutes(2)));
    transfer.receiver.session.start(transfer.receiver.path);
    transfer.sender.session.start(transfer.sender.path); // and no stream is ever opened
    transfer.runFor(4 * SECOND);
    assertThat(transfer.sender.stalls).isZero();
    transfer.runFor(10 * SECOND);
    assertThat(transfer.sender.stalls).as("told once").isEqualTo(1);
    assertThat(transfer.receiver.stalls).isEqualTo(1);
    transfer.runFor(100 * SECOND);
    assertThat(transfer.sender.ended).isFalse();
    transfer.runFor(15 * SECOND);
    assertThat(transfer.sender.failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(transfer.receiver.ended).isTrue();
    assertThat(transfer.sender.detached).as("pings kept the connection").isFalse();
  }
}
