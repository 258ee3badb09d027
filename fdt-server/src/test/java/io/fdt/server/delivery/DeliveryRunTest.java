package io.fdt.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.HandOver;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunState;
import io.fdt.server.thirdparty.DirectedRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A delivery between its attempts. */
class DeliveryRunTest {
  private final FdtException away = new FdtException(ErrorCode.UNREACHABLE, "nobody there");
  private final FdtException unwanted = new FdtException(ErrorCode.CANCELLED, "no more");

  private long now = Long.MAX_VALUE - 5; // wherever its origin is
  private int cancelledInPause;
  private final DirectedRuns runs = new DirectedRuns(() -> now);
  private final DeliveryRun run =
      new DeliveryRun(
          Delivery.newBuilder()
              .setHandOver(
                  HandOver.newBuilder().setId(ByteString.copyFrom(new SessionId(1, 2).bytes())))
              .setAddress("127.0.0.1")
              .setOwner("alice")
              .build(),
          runs,
          RunDescription.getDefaultInstance(),
          () -> cancelledInPause++);

  private static final class Client implements DirectedRuns.Follower {
    private final List<Control> heard = new ArrayList<>();
    private boolean isClosed;

    @Override
    public void send(Control message) {
      heard.add(message);
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  @Test
  void howLongItTakesDoesNotDependOnTheTimeOfDay() {
    now += TimeUnit.SECONDS.toNanos(90);

    assertThat(run.describe().getElapsedMillis()).isEqualTo(90_000);
  }

  @Test
  void aPauseHasItsReason() {
    run.waits(away);

    assertThat(run.describe().getState()).isEqualTo(RunState.RUN_WAITING);
    assertThat(run.describe().getCode()).isEqualTo(ErrorCode.UNREACHABLE.wireCode());
    assertThat(run.describe().getMessage()).isEqualTo("nobody there");
  }

  @Test
  void aPauseIsToldOnceForEachReasonAndToThoseThatComeLater() {
    Client first = new Client();
    run.attach(first, 0);
    int before = first.heard.size();

    assertThat(run.waits(away)).isEqualTo(1);
    assertThat(run.waits(away)).isEqualTo(2);
    Client later = new Client();
    run.attach(later, 0);

    assertThat(first.heard).hasSize(before + 1);
    assertThat(later.heard)
        .anyMatch(
            message ->
                message.getRunEvents().getEventsList().stream()
                    .anyMatch(event -> event.getNotice().equals("nobody there: trying again")));
    assertThat(run.describe().getState()).isEqualTo(RunState.RUN_WAITING);
    assertThat(run.describe().getClients()).isEqualTo(2);
  }

  @Test
  void whoHasGoneHearsNothingMore() {
    Client client = new Client();
    run.attach(client, 0);
    run.left(client);
    int before = client.heard.size();

    run.waits(away);
    run.sign();
    run.ends(RunDescription.getDefaultInstance(), List.of());

    assertThat(client.heard).hasSize(before);
    assertThat(client.isClosed).isFalse();
  }

  @Test
  void whoComesWhenItHasEndedHearsHow() throws Exception {
    runs.began(run);
    run.ends(
        RunDescription.newBuilder().setCode(ErrorCode.CANCELLED.wireCode()).build(), List.of());
    Client late = new Client(); // it had found the delivery before

    run.attach(late, 0);

    assertThat(late.isClosed).isTrue();
    assertThat(late.heard.get(late.heard.size() - 1).getRunEnded().getCode())
        .isEqualTo(ErrorCode.CANCELLED.wireCode());
    assertThat(runs.find(run.id().toString(), run.owner())).isInstanceOf(DirectedRuns.Ended.class);
  }

  @Test
  void clientsThatFollowHearTheEnd() throws Exception {
    runs.began(run);
    Client client = new Client();
    run.attach(client, 0);

    run.ends(RunDescription.getDefaultInstance(), List.of());
    assertThat(client.heard.get(client.heard.size() - 1).hasRunEnded()).isTrue();
    assertThat(client.isClosed).isTrue();
  }

  @Test
  void aCancellationInAPauseIsToldAtOnceAndKept() {
    run.abort(unwanted);

    assertThat(cancelledInPause).isEqualTo(1);
    assertThat(run.cancellation()).contains(unwanted);
  }

  /** Its owner's word is {@link DeliveryRun#cancellation}. */
  @Test
  void whatTheOtherServerCallsCancelledIsTriedAgain() {
    assertThat(StoredDelivery.mayPass(unwanted)).isTrue();
    assertThat(StoredDelivery.mayPass(new FdtException(ErrorCode.PROTOCOL, "odd"))).isFalse();
    assertThat(StoredDelivery.mayPass(new FdtException(ErrorCode.NOT_FOUND, "none"))).isFalse();
  }
}
