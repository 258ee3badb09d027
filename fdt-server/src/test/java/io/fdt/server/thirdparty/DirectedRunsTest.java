package io.fdt.server.thirdparty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.SkippedEntry;
import io.fdt.server.limits.Owner;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DirectedRunsTest {
  private final AtomicLong now = new AtomicLong(-5); // any origin
  private final DirectedRuns runs = new DirectedRuns(now::get);
  private final InetAddress here = address(1);
  private final Owner alice = Owner.of(grant("alice"), here);
  private final Owner bob = Owner.of(grant("bob"), here);
  private final Owner operator = Owner.of(grant("own:12345678"), here);

  private record Running(SessionId id, Owner owner) implements DirectedRuns.Live {
    @Override
    public RunDescription describe() {
      return description(id);
    }

    @Override
    public void attach(DirectedRuns.Follower follower, long heardPlusOne) {
      throw new AssertionError("nobody comes");
    }

    @Override
    public void left(DirectedRuns.Follower follower) {
      throw new AssertionError("nobody was there");
    }

    @Override
    public void detach() {
      throw new AssertionError("nobody was there");
    }

    @Override
    public void limit(long bytesPerSecond) {
      throw new AssertionError("nobody asks");
    }

    @Override
    public void abort(FdtException cause) {
      throw new AssertionError("nobody ends it", cause);
    }
  }

  private static InetAddress address(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, (byte) last});
    } catch (java.net.UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Grant grant(String name) {
    return Grant.unlimited(name, Instant.ofEpochSecond(1));
  }

  private static RunDescription description(SessionId id) {
    return RunDescription.newBuilder().setId(ByteString.copyFrom(id.bytes())).build();
  }

  private Running begin(Owner owner, long high, long low) throws FdtException {
    Running run = new Running(new SessionId(high, low), owner);
    runs.began(run);
    return run;
  }

  private Running endOne(Owner owner, long number, int problemBytes) throws FdtException {
    Running run = begin(owner, number, 7);
    RunEvent problem =
        RunEvent.newBuilder()
            .setProblem(
                SkippedEntry.newBuilder().setPath(ByteString.copyFrom(new byte[problemBytes])))
            .build();
    DirectedRuns.Ended unused = runs.ended(run, description(run.id()), List.of(problem));
    now.addAndGet(1000);
    return run;
  }

  private ErrorCode refusal(String digits, Owner client) {
    return catchThrowableOfType(FdtException.class, () -> runs.find(digits, client)).code();
  }

  @Test
  void theOwnerFindsItByTheStartOfItsIdWhileItRunsAndAfterIt() throws Exception {
    Running run = begin(alice, 0x0123456789abcdefL, 0x1122334455667788L);

    for (String digits : List.of("01234567", "0123456789ABCDEF", run.id().toString())) {
      assertThat(runs.find(digits, alice)).as(digits).isSameAs(run);
    }
    DirectedRuns.Ended ended = runs.ended(run, description(run.id()), List.of());
    assertThat(runs.find("01234567", alice)).isSameAs(ended);
  }

  @Test
  void othersGetTheAnswerForWhatDoesNotExist() throws Exception {
    Running run = begin(alice, 0x0123456789abcdefL, 1);
    FdtException ofBob =
        catchThrowableOfType(FdtException.class, () -> runs.find(run.id().toString(), bob));
    assertThat(runs.list(bob)).isEmpty();
    assertThat(runs.list(alice)).hasSize(1);
    runs.dropped(run);
    FdtException ofNobody =
        catchThrowableOfType(FdtException.class, () -> runs.find(run.id().toString(), bob));

    assertThat(ofBob.code()).isEqualTo(ErrorCode.NOT_FOUND).isEqualTo(ofNobody.code());
    assertThat(ofBob).hasMessage(ofNobody.getMessage());
  }

  @Test
  void aTokenThatGetsTheNameOfARevokedOneIsAnotherOne() throws Exception {
    Running run = begin(alice, 1L << 60, 1);
    Owner later = Owner.of(Grant.unlimited("alice", Instant.ofEpochSecond(2)), here);

    assertThat(refusal(run.id().toString(), later)).isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  void theUserWhoRunsTheServerSeesAllAndATokenOfThatNameDoesNot() throws Exception {
    Running run = begin(alice, 1L << 60, 1);

    assertThat(runs.find(run.id().toString(), operator)).isSameAs(run);
    assertThat(runs.list(operator)).hasSize(1);
    Owner named = Owner.of(grant("own"), here);
    assertThat(refusal(run.id().toString(), named)).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(runs.list(named)).isEmpty();
  }

  @Test
  void clientsWithoutATokenNeedTheWholeIdAndTheAddress() throws Exception {
    Grant anonymous = Owner.anonymous(false);
    Owner stranger = Owner.of(anonymous, here);
    Running run = begin(stranger, 0x0123456789abcdefL, 1);

    assertThat(runs.find(run.id().toString(), stranger)).isSameAs(run);
    assertThat(refusal("0123456789abcdef", stranger)).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(refusal(run.id().toString(), Owner.of(anonymous, address(2))))
        .isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(runs.list(stranger)).isEmpty();
    assertThat(refusal(run.id().toString(), Owner.of(grant("anonymous"), here)))
        .as("a token of that name")
        .isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  void aShortIdThatIsNotUniqueIsNotGuessed() throws Exception {
    begin(alice, 0x0123456700000000L, 1);
    Running second = begin(alice, 0x0123456711111111L, 1);
    begin(bob, 0x0123456722222222L, 1);

    assertThat(refusal("01234567", alice)).isEqualTo(ErrorCode.USAGE);
    assertThat(runs.find("012345671", alice)).isSameAs(second);
    assertThat(runs.find("01234567", bob).id().high()).isEqualTo(0x0123456722222222L);
    for (String wrong : List.of("", "0123456", "0123456g", "0".repeat(33), "fdt://x/01234567")) {
      assertThat(refusal(wrong, alice)).as(wrong).isEqualTo(ErrorCode.USAGE);
    }
  }

  @Test
  void anIdIsUsedOnceAtATime() throws Exception {
    Running first = begin(alice, 1, 1);

    assertThat(catchThrowableOfType(FdtException.class, () -> begin(alice, 1, 1)).code())
        .isEqualTo(ErrorCode.IN_USE);
    begin(bob, 1, 1);
    runs.ended(first, description(first.id()), List.of());
    Running again = begin(alice, 1, 1);
    assertThat(runs.find(first.id().toString(), alice)).isSameAs(again);
    assertThat(runs.list(alice)).hasSize(1);
  }

  @Test
  void endedOnesAreForgottenAfterADay() throws Exception {
    Running run = endOne(alice, 1, 0);
    now.addAndGet(DirectedRuns.KEPT_FOR.toNanos() - 1000);
    assertThat(runs.list(alice)).hasSize(1);
    assertThat(runs.list(alice).get(0).getEndedMillis())
        .isEqualTo(DirectedRuns.KEPT_FOR.toMillis());
    now.addAndGet(TimeUnit.SECONDS.toNanos(1));

    assertThat(runs.list(alice)).isEmpty();
    assertThat(refusal(run.id().toString(), alice)).isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  void whoeverEndsManyLosesItsOwnOldestOnes() throws Exception {
    Running ofBob = endOne(bob, 1, 0);
    Running first = endOne(alice, 2, 0);
    for (int i = 0; i < 3 * DirectedRuns.MOST_ENDED; i++) {
      endOne(alice, 100 + i, 0);
    }

    assertThat(runs.list(alice)).hasSize(DirectedRuns.MOST_ENDED / 2);
    assertThat(refusal(first.id().toString(), alice)).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(runs.find(ofBob.id().toString(), bob)).isNotNull();
  }

  @Test
  void memoryIsBoundedToo() throws Exception {
    Running ofBob = endOne(bob, 1, 10);
    int each = 200 << 10;
    for (int i = 0; i < 200; i++) {
      endOne(alice, 100 + i, each);
    }

    assertThat(runs.list(alice)).hasSize((int) (DirectedRuns.MOST_ENDED_BYTES / 2 / each));
    assertThat(runs.list(bob)).hasSize(1);
    assertThat(runs.find(ofBob.id().toString(), bob)).isNotNull();
  }

  @Test
  void manyOwnersTogetherAreBoundedAndTheGreediestLoses() throws Exception {
    endOne(bob, 1, 0);
    for (int owner = 0; owner < 4; owner++) {
      Owner other = Owner.of(grant("other" + owner), here);
      for (int i = 0; i < 400; i++) {
        endOne(other, 1000L * (owner + 1) + i, 0);
      }
    }

    assertThat(runs.list(operator)).hasSize(DirectedRuns.MOST_ENDED);
    assertThat(runs.list(bob)).hasSize(1);
  }

  @Test
  void thoseThatRunAreListedFirstAndTheYoungestBeforeOlderOnes() throws Exception {
    endOne(alice, 1, 0);
    endOne(alice, 2, 0);
    begin(alice, 3, 7);

    assertThat(runs.list(alice).stream().map(run -> run.getId().byteAt(7)))
        .containsExactly((byte) 3, (byte) 2, (byte) 1);
  }
}
