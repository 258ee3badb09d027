package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.SessionAction.Deliver;
import io.fdt.core.session.SessionAction.Detach;
import io.fdt.core.session.SessionAction.End;
import io.fdt.core.session.SessionAction.ReportStall;
import io.fdt.core.session.SessionAction.Send;
import io.fdt.core.session.SessionAction.SendAbort;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ManifestEnd;
import io.fdt.core.wire.control.Ping;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events and times in, actions out: one end of a session, without a connection or a clock. */
class SessionMachineTest {
  private final FdtException cause = new FdtException(ErrorCode.UNREACHABLE, "cut");
  private static final SessionDeadlines DEADLINES =
      new SessionDeadlines(Duration.ofSeconds(8), Duration.ofSeconds(60), Duration.ofSeconds(100));

  private SessionMachine machine = new SessionMachine("s", DEADLINES, 0);
  private long seconds;
  private long moved;

  private long now() {
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  private void start(boolean early) {
    machine.start(early, now());
  }

  /** A message of this end; what it says does not matter. */
  private List<SessionAction> say() throws FdtException {
    return machine.say(Control.newBuilder().setManifestEnd(ManifestEnd.newBuilder()));
  }

  private List<SessionAction> hear(long number, long received) throws FdtException {
    Control message =
        Control.newBuilder()
            .setNumber(number)
            .setReceived(received)
            .setManifestEnd(ManifestEnd.newBuilder())
            .build();
    return machine.receive(message, now());
  }

  private List<SessionAction> tickAt(long second) throws FdtException {
    seconds = second;
    SessionMachine.Mark mark = new SessionMachine.Mark(moved, 0, 0, 0, 0, 0, 0);
    return machine.tick(mark, false, "peer", now());
  }

  private static List<Long> numbers(List<SessionAction> actions) {
    return actions.stream().map(action -> ((Send) action).message().getNumber()).toList();
  }

  private static FdtException failure(List<SessionAction> actions) {
    return ((End) actions.get(actions.size() - 1)).failure();
  }

  @Test
  void messagesAreNumberedAndThoseThatCameAreTakenOnce() throws FdtException {
    start(false);
    assertThat(numbers(say())).containsExactly(1L);
    assertThat(numbers(say())).containsExactly(2L);

    assertThat(hear(1, 1)).singleElement().isInstanceOf(Deliver.class);
    assertThat(hear(1, 1)).as("the same again").isEmpty();
    assertThat(machine.received()).isEqualTo(1);
    assertThatThrownBy(() -> hear(3, 1)).hasMessageContaining("came after 1");
    assertThatThrownBy(() -> hear(2, 9)).hasMessageContaining("of 2");
  }

  @Test
  void aPingIsAnsweredAndAnAbortEnds() throws FdtException {
    start(false);
    Control ping = Control.newBuilder().setPing(Ping.newBuilder().setNonce(7)).build();
    assertThat(machine.receive(ping, now()))
        .singleElement()
        .satisfies(
            action -> assertThat(((Send) action).message().getPong().getNonce()).isEqualTo(7));

    FdtException why = new FdtException(ErrorCode.STORAGE_FULL, "full");
    List<SessionAction> actions = machine.receive(AbortCoding.encode(why), now());

    assertThat(failure(actions).code()).isEqualTo(ErrorCode.STORAGE_FULL);
    assertThat(machine.hasEnded()).isTrue();
  }

  @Test
  void whatIsSaidEarlyIsBoundedUntilTheOtherEndAgrees() throws FdtException {
    start(true);
    for (int i = 1; i <= EarlySending.MOST; i++) {
      assertThat(numbers(say())).containsExactly((long) i);
    }
    assertThat(say()).isEmpty();
    assertThat(say()).isEmpty();

    assertThat(numbers(machine.agree()))
        .containsExactly(EarlySending.MOST + 1L, EarlySending.MOST + 2L);
    assertThat(machine.agree()).isEmpty();
    assertThat(numbers(say())).containsExactly(EarlySending.MOST + 3L);
  }

  @Test
  void aConnectionThatIsLostEarlyIsTheEndAndSoIsOneBeforeTheStart() throws FdtException {
    assertThat(failure(machine.lose(cause, true, now()))).isSameAs(cause);
    machine = new SessionMachine("s", DEADLINES, 0);
    start(true);
    assertThat(failure(machine.lose(cause, true, now()))).isSameAs(cause);
  }

  @Test
  void aConnectionThatIsLostWhenAllIsDoneIsAGoodEnd() throws FdtException {
    start(false);
    assertThat(failure(machine.lose(cause, true, now()))).isNull();
  }

  @Test
  void anotherConnectionGetsWhatTheOtherEndMayHaveMissed() throws FdtException {
    start(false);
    say();
    say();
    assertThat(machine.lose(cause, false, now())).containsExactly(new Detach(cause));
    assertThat(machine.lose(cause, false, now())).as("told once").isEmpty();
    assertThat(say()).as("waits").isEmpty();
    assertThat(machine.isDetached()).isTrue();

    Control answer = Control.newBuilder().setReceived(5).build();
    List<SessionAction> actions = machine.resume(answer, 1, now());

    assertThat(actions.get(0)).isEqualTo(new Send(answer));
    assertThat(numbers(actions.subList(1, actions.size()))).containsExactly(2L, 3L);
    assertThat(machine.isDetached()).isFalse();
    assertThat(numbers(say())).containsExactly(4L);
  }

  @Test
  void aConnectionMayBeReplacedBeforeItIsLost() throws FdtException {
    start(false);
    say();
    assertThat(machine.displace(cause, now())).containsExactly(new Detach(cause));
    assertThat(numbers(machine.resume(null, 0, now()))).containsExactly(1L);
    assertThatThrownBy(() -> machine.resume(null, 2, now()))
        .hasMessageContaining("acknowledgement");
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void whatCannotBeMendedByAnotherConnectionEnds(ErrorCode code) throws FdtException {
    start(false);
    FdtException other = new FdtException(code, "x");
    List<SessionAction> actions = machine.lose(other, false, now());
    boolean mayPass = code.retry() != ErrorCode.Retry.NO && !other.isLocalResourceFailure();
    assertThat(actions).containsExactly(mayPass ? new Detach(other) : new End(other));
  }

  @Test
  void withoutARetryTimeoutNoConnectionIsWaitedFor() throws FdtException {
    machine = new SessionMachine("s", DEADLINES.withRetryTimeout(Duration.ZERO), 0);
    start(false);
    assertThat(machine.lose(cause, false, now())).containsExactly(new End(cause));
  }

  @Test
  void aConnectionIsWaitedForUntilTheRetryTimeout() throws FdtException {
    start(false);
    seconds = 3;
    machine.lose(cause, false, now());
    assertThat(tickAt(63)).isEmpty();
    assertThat(failure(tickAt(64)).getMessage())
        .isEqualTo("the connection to peer was lost and did not come back within 60 s");
    assertThatThrownBy(() -> machine.resume(null, 0, now())).hasMessage("session s has ended");
  }

  /** Four pings within the idle timeout of 8 s. */
  @Test
  void aPeerIsAskedBeforeItsSilenceCounts() throws FdtException {
    start(false);
    long pings =
        LongStream.rangeClosed(1, 8)
            .filter(
                second -> {
                  try {
                    moved++;
                    return tickAt(second).stream().anyMatch(Send.class::isInstance);
                  } catch (FdtException e) {
                    throw new AssertionError(e);
                  }
                })
            .count();
    assertThat(pings).isBetween(2L, 4L);
    moved++;
    assertThat(tickAt(9))
        .singleElement()
        .satisfies(
            action ->
                assertThat(((Detach) action).cause().getMessage())
                    .isEqualTo("peer has been silent for 8 s: connection lost"));
  }

  @Test
  void aMessageIsASignOfLife() throws FdtException {
    start(false);
    for (int second = 1; second < 60; second++) {
      moved++;
      hear(second, 0);
      assertThat(tickAt(second)).noneMatch(Detach.class::isInstance);
    }
  }

  @Test
  void aStallIsToldOncePerTimeAndEndsInTheEnd() throws FdtException {
    start(false);
    int told = 0;
    List<SessionAction> actions = List.of();
    for (int second = 1; second <= 101; second++) {
      hear(second, 0);
      if (second == 10) {
        moved++;
      }
      actions = tickAt(second);
      told += (int) actions.stream().filter(ReportStall.class::isInstance).count();
      assertThat(machine.hasEnded()).as("second %d", second).isFalse();
    }
    assertThat(told).isEqualTo(2);
    for (int second = 102; second <= 111; second++) {
      hear(second, 0);
      actions = tickAt(second);
    }
    assertThat(actions).anyMatch(SendAbort.class::isInstance);
    assertThat(failure(actions).getMessage()).isEqualTo("no data moved for 100 s; gave up");
  }

  @Test
  void thatNothingMovesEarlyIsTheOtherEndsWill() throws FdtException {
    start(true);
    for (int second = 1; second < 300; second++) {
      hear(second, 0);
      assertThat(tickAt(second)).noneMatch(action -> !(action instanceof Send));
    }
  }

  @Test
  void anAbortIsToldToAPeerThatCanHearIt() throws FdtException {
    start(false);
    assertThat(machine.abort(cause)).containsExactly(new SendAbort(cause), new End(cause));
    machine = new SessionMachine("s", DEADLINES, 0);
    start(false);
    machine.lose(cause, false, now());
    assertThat(machine.abort(cause)).containsExactly(new End(cause));
  }

  @Test
  void nothingHappensAfterTheEnd() throws FdtException {
    start(false);
    assertThat(machine.finish()).containsExactly(new End(null));
    assertThat(say()).isEmpty();
    assertThat(hear(1, 0)).isEmpty();
    assertThat(tickAt(1000)).isEmpty();
    assertThat(machine.abort(cause)).isEmpty();
    assertThat(machine.lose(cause, false, now())).isEmpty();
    assertThat(machine.displace(cause, now())).isEmpty();
    assertThat(machine.finish()).isEmpty();
  }
}
