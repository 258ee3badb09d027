package io.fdt.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.HandOver;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.server.limits.Grants;
import io.fdt.server.limits.Owner;
import io.fdt.server.spool.Spool;
import java.io.Closeable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a relay keeps for clients, and for which. */
class DeliveryBookTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  @TempDir Path directory;

  private Spool spool;
  private DeliveryBook book;

  @BeforeEach
  void open() throws Exception {
    spool = new Spool(directory.resolve("spool"), ByteSize.ofBytes(1 << 20));
    spool.open().close();
    book = new DeliveryBook(spool);
  }

  private static SessionId place(int number) {
    return new SessionId(1, number);
  }

  private static Delivery.Builder delivery(int number, String owner) {
    ByteString id = ByteString.copyFrom(place(number).bytes());
    return Delivery.newBuilder()
        .setHandOver(HandOver.newBuilder().setId(id))
        .setOwner(owner)
        .setPlace(id);
  }

  private boolean keeps(int number, String owner) throws FdtException {
    return book.add(delivery(number, owner).build(), 4);
  }

  @Test
  void oneTokenLeavesHalfAndAllTogetherNoMoreThanTheRelayKeeps() throws Exception {
    assertThat(keeps(1, "alice") && keeps(2, "alice")).isTrue();
    assertBusy(3, "alice");
    assertThat(keeps(4, "bob") && keeps(5, "carol")).isTrue();
    assertBusy(6, "dave");
  }

  private void assertBusy(int number, String owner) {
    assertThatThrownBy(() -> keeps(number, owner))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
  }

  @Test
  void aRequestIsStoredOnceAndAgainWhenItHasEnded() throws Exception {
    assertThat(keeps(1, "alice")).isTrue();
    assertThat(keeps(1, "alice")).isFalse();
    spool.touch(place(1));

    book.end(delivery(1, "alice").setResult(RunDescription.getDefaultInstance()).build(), true);

    assertThat(spool.has(place(1))).as("files that have arrived").isFalse();
    assertThat(keeps(1, "alice")).isTrue();
  }

  @Test
  void oldResultsAndWhatNoClientCompletesAreRemovedAndNothingElse() throws Exception {
    for (int number = 1; number <= 4; number++) {
      spool.touch(place(number));
    }
    assertThat(keeps(1, "alice")).isTrue();
    for (int number = 2; number <= 3; number++) {
      book.end(
          delivery(number, "bob")
              .setResult(RunDescription.getDefaultInstance())
              .setEnded(NOW.getEpochSecond() - 10L * (3 - number))
              .build(),
          false);
    }

    book.sweep(NOW.minusSeconds(5), List.of(place(1), place(4)));

    assertThat(book.all()).hasSize(2);
    assertThat(spool.has(place(1))).as("to be delivered").isTrue();
    assertThat(spool.has(place(2))).as("an old result").isFalse();
    assertThat(spool.has(place(3))).as("a result").isTrue();
    assertThat(spool.has(place(4))).as("not completed").isFalse();
  }

  @Test
  void aSpoolIsThatOfOneServerAtATime() throws Exception {
    try (Closeable held = spool.open()) {
      assertThat(held).isNotNull();
      assertThatThrownBy(spool::open)
          .isInstanceOfSatisfying(
              FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE));
    }
    spool.open().close();
  }

  @Test
  void onlyItsUserLooksIntoASpool() throws Exception {
    spool.keep(place(1), delivery(1, "alice").build());
    for (String name : List.of("data", "records", "passing")) {
      Path inside = spool.directory().resolve(name);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(inside)))
          .as(name)
          .isEqualTo("rwx------");
    }
    Path record = spool.record(place(1).toString());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(record)))
        .isEqualTo("rw-------");
  }

  @Test
  void tokensThatReadOrAreNotRelayedOrHaveOtherExportsLeaveNothing() {
    assertThat(DeliveryDesk.mayHandOver(Grants.withSpool("alice", 0))).isTrue();
    assertThat(DeliveryDesk.mayHandOver(Grants.withSpool("alice", 0).forReading())).isFalse();
    assertThat(DeliveryDesk.mayHandOver(Owner.anonymous(false))).isFalse();
    assertThat(DeliveryDesk.mayHandOver(Grants.withRelay("alice", RelayGrant.NONE))).isFalse();
    assertThat(DeliveryDesk.mayHandOver(withExport("data"))).isFalse();
    assertThat(DeliveryDesk.mayHandOver(withExport(".spool"))).isTrue();
  }

  private static Grant withExport(String name) {
    return new Grant(
        "alice",
        Instant.EPOCH,
        Optional.empty(),
        false,
        Set.of(FileName.of(name)),
        List.of(),
        true,
        false,
        RelayGrant.UNLIMITED);
  }
}
