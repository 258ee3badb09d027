package io.fdt.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** In virtual time. */
class AddressRaceTest {
  private static final InetSocketAddress A = address("192.0.2.1");
  private static final InetSocketAddress B = address("192.0.2.2");
  private static final InetSocketAddress C = address("192.0.2.3");
  private static final InetSocketAddress V6 = address("2001:db8::1");

  private final EmbeddedChannel clock = new EmbeddedChannel();
  private final Map<InetSocketAddress, CompletableFuture<String>> attempts = new LinkedHashMap<>();
  private final List<String> dropped = new ArrayList<>();

  private static InetSocketAddress address(String text) {
    try {
      return new InetSocketAddress(InetAddress.getByName(text), 54321);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static FdtException failure(ErrorCode code) {
    return new FdtException(code, code.name());
  }

  private CompletableFuture<AddressRace.Won<String>> race(InetSocketAddress... addresses) {
    clock.freezeTime();
    CompletableFuture<AddressRace.Won<String>> race =
        AddressRace.run(
            clock.eventLoop(),
            List.of(addresses),
            address -> attempts.computeIfAbsent(address, a -> new CompletableFuture<>()),
            dropped::add);
    clock.runPendingTasks();
    return race;
  }

  private void pass(long millis) {
    clock.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    clock.runPendingTasks();
  }

  private void fail(InetSocketAddress address, ErrorCode code) {
    attempts.get(address).completeExceptionally(failure(code));
    clock.runPendingTasks();
  }

  private static ErrorCode codeOf(CompletableFuture<?> race) {
    return ((FdtException) catchThrowableOfType(ExecutionException.class, race::get).getCause())
        .code();
  }

  @Test
  void deadAddressesCostAQuarterOfASecondEach() throws Exception {
    CompletableFuture<AddressRace.Won<String>> race = race(A, B, C);
    assertThat(attempts.keySet()).containsExactly(A);
    pass(249);
    assertThat(attempts.keySet()).containsExactly(A);
    pass(1);
    assertThat(attempts.keySet()).containsExactly(A, B);
    pass(250);
    assertThat(attempts.keySet()).containsExactly(A, B, C);

    attempts.get(C).complete("c");

    assertThat(race.get()).isEqualTo(new AddressRace.Won<>(C, "c"));
  }

  @Test
  void theNextAddressFollowsAtOnceWhenOneFails() throws Exception {
    CompletableFuture<AddressRace.Won<String>> race = race(A, B);
    fail(A, ErrorCode.UNREACHABLE);
    assertThat(attempts.keySet()).containsExactly(A, B);
    attempts.get(B).complete("b");
    assertThat(race.get().address()).isEqualTo(B);
  }

  @Test
  void anAddressThatAnswersInTimeIsTheOnlyOneTried() throws Exception {
    CompletableFuture<AddressRace.Won<String>> race = race(A, B);
    attempts.get(A).complete("a");
    pass(10_000);
    assertThat(race.get().value()).isEqualTo("a");
    assertThat(attempts.keySet()).containsExactly(A);
  }

  @Test
  void aConnectionThatComesLateIsDropped() throws Exception {
    CompletableFuture<AddressRace.Won<String>> race = race(A, B);
    pass(250);
    attempts.get(B).complete("b");
    attempts.get(A).complete("a");
    assertThat(race.get().value()).isEqualTo("b");
    assertThat(dropped).containsExactly("a");
  }

  @Test
  void aRaceThatIsNoLongerWantedDropsWhatComes() {
    CompletableFuture<AddressRace.Won<String>> race = race(A, B);
    race.cancel(false);
    attempts.get(A).complete("a");
    pass(10_000);
    assertThat(dropped).containsExactly("a");
    assertThat(attempts.keySet()).containsExactly(A);
  }

  @Test
  void theFirstFailureIsToldWhenAllAddressesFail() {
    CompletableFuture<AddressRace.Won<String>> race = race(A, B);
    fail(A, ErrorCode.TIMEOUT);
    assertThat(race).isNotDone();
    fail(B, ErrorCode.UNREACHABLE);
    assertThat(codeOf(race)).isEqualTo(ErrorCode.TIMEOUT);
  }

  @Test
  void aFailureThatHoldsForAllAddressesEndsTheRace() {
    CompletableFuture<AddressRace.Won<String>> race = race(A, B);
    fail(A, ErrorCode.VERSION);
    assertThat(attempts.keySet()).containsExactly(A);
    assertThat(codeOf(race)).isEqualTo(ErrorCode.VERSION);
  }

  @Test
  void anAttemptThatRunsMayWinInSpiteOfSuchAFailure() throws Exception {
    CompletableFuture<AddressRace.Won<String>> race = race(A, B, C);
    pass(250);
    fail(B, ErrorCode.NOT_FDT);
    pass(10_000);
    assertThat(attempts.keySet()).containsExactly(A, B);
    assertThat(race).isNotDone();
    attempts.get(A).complete("a");
    assertThat(race.get().value()).isEqualTo("a");
  }

  @Test
  void familiesAlternate() {
    InetSocketAddress other = address("2001:db8::2");
    assertThat(AddressRace.alternating(List.of(V6, other, A, B, C)))
        .containsExactly(V6, A, other, B, C);
    assertThat(AddressRace.alternating(List.of(A, B, C, V6))).containsExactly(A, V6, B, C);
  }
}
