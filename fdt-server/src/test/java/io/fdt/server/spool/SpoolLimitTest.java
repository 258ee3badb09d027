package io.fdt.server.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Grant;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.SessionId;
import io.fdt.server.limits.Grants;
import io.fdt.server.session.ServerSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A spool of 100 bytes. */
class SpoolLimitTest {
  private static final Grant ALICE = Grant.unlimited("alice", Instant.EPOCH);
  private static final Grant BOB = Grants.withSpool("bob", 40);

  private final List<ServerSessions.Writing> copies = new ArrayList<>();
  private final SpoolQuota quota = new SpoolQuota(ByteSize.ofBytes(100));
  private Spool spool;
  private SpoolLimit limit;
  private int nextId;

  @BeforeEach
  void open(@TempDir Path directory) throws Exception {
    spool = new Spool(directory, ByteSize.ofBytes(100));
    spool.open().close();
    limit = new SpoolLimit(spool, quota, () -> List.copyOf(copies), spool::discard);
  }

  /** A copy that writes one file to a place of its own, until it is told to end. */
  private final class Copy implements RunningSession {
    private final SessionId id = new SessionId(1, nextId++);
    private SessionId place;
    private long bytes;
    private FdtException cause;

    Copy(Grant grant) throws FdtException {
      place = Spool.place(grant, id);
      spool.touch(place);
      copies.add(new ServerSessions.Writing(this, grant, Spool.path(place)));
    }

    /** One that does not write to the place that its client was given. */
    Copy(Grant grant, String destination) {
      copies.add(new ServerSessions.Writing(this, grant, BytePath.of(destination)));
    }

    Copy brings(int more) throws IOException {
      bytes += more;
      if (place == null) {
        return this;
      }
      Path file = spool.directory().resolve("data").resolve(place.toString()).resolve("file");
      Files.write(file, new byte[Math.toIntExact(bytes)]);
      return this;
    }

    void ends() {
      copies.removeIf(one -> one.session() == this);
    }

    boolean isEnded() {
      return cause != null;
    }

    @Override
    public SessionId id() {
      return id;
    }

    @Override
    public boolean isWaiting() {
      return false;
    }

    @Override
    public Progress progress() {
      return new Progress(
          new TransferFigures(
              new TransferFigures.Files(0, 0, 0, 0, 0, 0, 0),
              bytes,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              false),
          0,
          0,
          0,
          0,
          0,
          "");
    }

    @Override
    public void abort(FdtException reason) {
      cause = reason;
    }
  }

  private void assertFull(Grant grant) {
    assertThatThrownBy(() -> limit.check(grant))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_FULL));
  }

  @Test
  void theYoungestCopyEndsAndItsRoomIsThereForTheOthers() throws Exception {
    Copy old = new Copy(ALICE).brings(50);
    limit.watch();
    Copy young = new Copy(ALICE).brings(60);
    limit.watch();
    assertThat(young.isEnded()).isTrue();
    assertThat(old.isEnded()).isFalse();

    young.ends();
    limit.watch();

    assertThat(spool.has(young.place)).isFalse();
    assertThat(old.isEnded()).as("there is room").isFalse();
    limit.check(ALICE); // also before what was brought has been removed
  }

  @Test
  void theDigestsOfManySmallFilesCountToo() throws Exception {
    Copy copy = new Copy(BOB).brings(30);
    limit.watch();
    assertThat(copy.isEnded()).isFalse();

    Files.write(spool.record(copy.place + SpoolDigests.SUFFIX), new byte[16]);
    limit.watch();

    assertThat(copy.isEnded()).as("46 bytes of 40").isTrue();
  }

  /** They pass; what a client leaves stays. */
  @Test
  void whatConnectionsHoldEndsNoCopyOfTheirToken() throws Exception {
    Copy copy = new Copy(BOB).brings(30);
    quota.keep(SpoolQuota.Owner.of(BOB), 20);
    limit.watch();
    assertThat(copy.isEnded()).isFalse();
    limit.check(BOB);

    copy.brings(11);
    limit.watch();
    assertThat(copy.isEnded()).as("more than 40 of its own").isTrue();
  }

  @Test
  void whichOneIsTheYoungestDoesNotDependOnTheLastLook() throws Exception {
    List<Copy> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(new Copy(ALICE).brings(10));
      limit.watch();
    }

    all.get(1).brings(60);
    limit.watch();

    assertThat(all).filteredOn(Copy::isEnded).containsExactly(all.get(4));
  }

  @Test
  void whatLiesThereCountsWhileCopiesRunAndOthersAreDelivered() throws Exception {
    Copy first = new Copy(ALICE).brings(50);
    Copy second = new Copy(ALICE).brings(30);
    limit.watch();
    first.ends();
    second.ends();
    Copy third = new Copy(ALICE).brings(10);
    limit.watch();
    assertThat(third.isEnded()).isFalse();

    spool.discard(second.place); // it is delivered
    limit.watch();
    third.brings(35); // 95
    limit.watch();
    assertThat(third.isEnded()).isFalse();
    third.brings(10); // 105
    limit.watch();

    assertThat(third.isEnded()).isTrue();
  }

  @Test
  void allCopiesOfATokenEndWhenItHasNoMoreRoom() throws Exception {
    Copy other = new Copy(ALICE).brings(20);
    Copy one = new Copy(BOB).brings(20);
    Copy two = new Copy(BOB).brings(20);
    limit.watch();
    assertThat(one.isEnded() || two.isEnded()).isFalse();

    one.brings(1);
    limit.watch();

    assertThat(one.isEnded() && two.isEnded()).isTrue();
    assertThat(other.isEnded()).isFalse();
  }

  @Test
  void aCopyThatNobodySawCountsWhenItIsComplete() throws Exception {
    Copy quick = new Copy(BOB);
    quick.ends();
    limit.watch(); // its place is there, and empty
    quick.brings(41);

    limit.changed(quick.place);
    limit.watch();

    assertFull(BOB);
    limit.check(ALICE);
  }

  @Test
  void whatLiesOutsideOfPlacesCounts() throws Exception {
    String own = Spool.prefix(BOB) + "-own";
    Path directory = Files.createDirectory(spool.directory().resolve("data").resolve(own));
    Files.write(directory.resolve("file"), new byte[41]);

    limit.watch();

    assertFull(BOB);
    limit.check(ALICE);
  }

  @Test
  void aCopyToNoPlaceEndsLikeOthers() throws Exception {
    Copy first = new Copy(ALICE).brings(50);
    for (String where : List.of("/.spool", "/.spool/" + Spool.prefix(ALICE) + "x/y")) {
      Copy copy = new Copy(ALICE, where).brings(60);
      limit.watch();
      assertThat(copy.isEnded()).as(where).isTrue();
      copy.ends();
      limit.watch();
    }

    assertThat(first.isEnded()).isFalse();
  }
}
