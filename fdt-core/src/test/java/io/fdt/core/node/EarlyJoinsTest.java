package io.fdt.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.wire.SessionId;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What comes before its session: it waits, but not much of it. */
class EarlyJoinsTest {
  private static final SessionId ID = new SessionId(1, 2);
  private static final SessionId OTHER = new SessionId(3, 4);

  private final EarlyJoins joins = new EarlyJoins(Duration.ofDays(1));

  @Test
  void aJoinWaitsForItsOwnSession() throws Exception {
    CompletableFuture<Void> join = await(ID, "192.0.2.1");
    joins.begun(OTHER);
    assertThat(join).isNotDone();
    joins.begun(ID);
    assertThat(join).isCompleted();
    assertThat(joins.size()).isZero();
  }

  @Test
  void oneAddressHasHalfOfThePlaces() throws Exception {
    List<CompletableFuture<Void>> first = new ArrayList<>();
    for (int i = 0; i < EarlyJoins.MOST_OF_ONE_SITE; i++) {
      first.add(await(OTHER, "192.0.2.1"));
    }
    assertThat(await(ID, "192.0.2.1")).as("one too many").isCompleted();
    assertThat(await(ID, "192.0.2.2")).isNotDone();

    first.get(0).cancel(false);
    assertThat(await(ID, "192.0.2.1")).as("in the place of one that has gone").isNotDone();
    assertThat(joins.size()).isEqualTo(EarlyJoins.MOST_OF_ONE_SITE + 1);
  }

  @Test
  void aJoinDoesNotWaitForEver() throws Exception {
    EarlyJoins impatient = new EarlyJoins(Duration.ofMillis(1));
    CompletableFuture<Void> join = impatient.await(ID, InetAddress.getByName("192.0.2.1"));
    join.get(30, java.util.concurrent.TimeUnit.SECONDS);
    assertThat(impatient.size()).isZero();
  }

  private CompletableFuture<Void> await(SessionId id, String address) throws Exception {
    return joins.await(id, InetAddress.getByName(address));
  }
}
