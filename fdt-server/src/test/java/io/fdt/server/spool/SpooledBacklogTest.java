package io.fdt.server.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.transport.Backlog;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.limits.Grants;
import io.fdt.server.limits.SharedBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes whose values tell their position go through a backlog with a real disk. */
class SpooledBacklogTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Grant ALICE = Grant.unlimited("alice", Instant.EPOCH);
  private static final long MIB = 1 << 20;
  private static final int READ = 200_000;

  /** May keep 2 MiB. */
  private static final Grant BOB = Grants.withSpool("bob", 2 * MIB);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final EventLoop loop = new DefaultEventLoop();
  private final List<FdtException> failures = new ArrayList<>();
  private Spool spool;
  private SpoolQuota quota;
  private PassingSpool passing;
  private SpooledBacklog backlog;
  private long now;
  private long added;
  private long taken;

  /** The source sends when there is room, and the other side takes what there is at once. */
  private boolean bothGoOn;

  @BeforeEach
  void open(@TempDir Path directory) throws Exception {
    spool = new Spool(directory, ByteSize.ofBytes(200 * MIB));
    spool.open().close();
    quota = new SpoolQuota(ByteSize.ofBytes(200 * MIB));
    passing = new PassingSpool(spool, quota, () -> now);
    backlog = backlog(ALICE);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    on(
        () -> {
          backlog.close();
          return null;
        });
    await().atMost(DEADLINE).until(() -> allocator.metric().usedDirectMemory() == 0);
    await().atMost(DEADLINE).until(() -> files().isEmpty() && quota.passing() == 0);
    assertThat(passing.isMemoryFull(SpoolQuota.Owner.of(ALICE))).isFalse();
    passing.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
  }

  private SpooledBacklog backlog(Grant grant) {
    return backlog(passing, grant);
  }

  private SpooledBacklog backlog(PassingSpool some, Grant grant) {
    return some.backlog(
        grant,
        loop,
        allocator,
        new Backlog.Listener() {
          @Override
          public void changed() {
            if (bothGoOn) {
              goOn();
            }
          }

          @Override
          public void failed(FdtException cause) {
            failures.add(cause);
          }
        });
  }

  private <T> T on(Callable<T> work) throws Exception {
    return loop.submit(work).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(spool.passing())) {
      return all.toList();
    }
  }

  private static byte valueAt(long position) {
    return (byte) (position * 31 + (position >> 13));
  }

  /** One read of a socket. */
  private void add(int count, int capacity) {
    ByteBuf read = allocator.directBuffer(capacity, capacity);
    for (int i = 0; i < count; i++) {
      read.writeByte(valueAt(added++));
    }
    backlog.add(read);
  }

  /** Reads of a socket until it has no more room, or so many bytes. */
  private void fill(long most) throws Exception {
    await()
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () ->
                on(
                    () -> {
                      while (added < most && backlog.hasRoom()) {
                        add(READ, READ);
                        backlog.refused();
                      }
                      return added >= most;
                    }));
  }

  /** Takes what is there and checks it, up to a position. */
  private void drain(long until) throws Exception {
    await()
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () ->
                on(
                    () -> {
                      take(until);
                      return taken >= until;
                    }));
  }

  private void take(long until) {
    ByteBuf bytes;
    while (taken < until && (bytes = backlog.poll()) != null) {
      while (bytes.isReadable()) {
        if (bytes.readByte() != valueAt(taken++)) {
          throw new AssertionError("wrong byte before " + taken);
        }
      }
      bytes.release();
    }
  }

  /** Much leaves within 5 s: then much may be kept. */
  private void takeFast() throws Exception {
    for (int i = 0; i < 60; i++) {
      fill(added + READ);
      drain(added);
    }
    now += TimeUnit.SECONDS.toNanos(5);
    fill(added + READ);
    drain(added); // 12 MB in 5 s
  }

  private void awaitDisk() {
    await().atMost(DEADLINE).until(() -> !files().isEmpty());
  }

  @Test
  void whatTheDiskHeldComesInOrderAndItsFilesGo() throws Exception {
    takeFast();
    fill(added + 12 * MIB);
    awaitDisk();
    assertThat(backlog.bytes()).isEqualTo(added - taken);
    await().atMost(DEADLINE).until(() -> quota.passing() > 8 * MIB);
    assertThat(files()).as("one is full").hasSize(2);

    drain(taken + 10 * MIB);
    await().atMost(DEADLINE).until(() -> files().size() == 1);
    fill(added + 12 * MIB);
    drain(added);

    assertThat(taken).isEqualTo(added);
    await().atMost(DEADLINE).until(() -> files().isEmpty() && quota.passing() == 0);
    assertThat(on(backlog::isEmpty)).isTrue();
  }

  @Test
  void whatTheOtherSideTakesAtOnceNeverSeesTheDisk() throws Exception {
    for (int i = 1; i <= 200; i++) {
      fill(added + READ);
      drain(added);
    }
    assertThat(passing.nextFile().getFileName()).as("the first").hasToString("1");
  }

  @Test
  void anotherSideThatIsFasterThanTheDiskIsServedFromMemoryAgain() throws Exception {
    takeFast();
    fill(added + 12 * MIB);
    await().atMost(DEADLINE).until(() -> quota.passing() > 8 * MIB);

    on(() -> bothGoOn = true);
    await()
        .atMost(DEADLINE)
        .until(
            () ->
                on(
                    () -> {
                      goOn();
                      return quota.passing() == 0;
                    }));

    on(() -> bothGoOn = false);
    Path next = passing.nextFile();
    for (int i = 0; i < 20; i++) {
      fill(added + READ);
      drain(added);
    }
    assertThat(Long.parseLong(passing.nextFile().getFileName().toString()))
        .as("no other file was made")
        .isEqualTo(Long.parseLong(next.getFileName().toString()) + 1);
  }

  private void goOn() {
    while (backlog.hasRoom() && quota.passing() > 0) {
      add(READ, READ);
    }
    take(Long.MAX_VALUE);
  }

  /** A disk that hangs for one client. */
  @Test
  void diskOperationsOfOneTokenDelayNoOther() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    for (int i = 0; i < 2 * FairThreads.THREADS; i++) {
      passing.execute(SpoolQuota.Owner.of(ALICE), () -> awaitUnchecked(hangs));
    }
    backlog = backlog(BOB);
    try {
      fill(2 * MIB);
      drain(added);
      assertThat(passing.nextFile().getFileName()).as("used").isNotEqualTo(Path.of("1"));
    } finally {
      hangs.countDown();
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      if (!latch.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("it hangs for too long");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Nothing may be written, so that all of it stays in memory. */
  @Test
  void oneTokenHasAQuarterOfTheMemory() throws Exception {
    quota.measured(SpoolQuota.byOwner(Map.of("f".repeat(32), 200 * MIB)));
    PassingSpool small = new PassingSpool(spool, quota, () -> now, 8 * MIB);
    List<SpooledBacklog> alices = Stream.generate(() -> backlog(small, ALICE)).limit(20).toList();
    SpooledBacklog bobs = backlog(small, BOB);
    on(
        () -> {
          alices.forEach(this::fillUp);
          fillUp(bobs);
          return null;
        });

    assertThat(alices.stream().mapToLong(SpooledBacklog::bytes).sum())
        .as("a quarter, and one read of each")
        .isBetween(2 * MIB, 2 * MIB + 21 * READ);
    assertThat(bobs.bytes()).isBetween(2L * READ, MIB);
    on(
        () -> {
          alices.forEach(SpooledBacklog::close);
          bobs.close();
          return null;
        });
    small.close();
    quota.measured(SpoolQuota.byOwner(Map.of()));
  }

  @Test
  void connectionsOfAllTokensShareTheMemory() throws Exception {
    quota.measured(SpoolQuota.byOwner(Map.of("f".repeat(32), 200 * MIB)));
    PassingSpool small = new PassingSpool(spool, quota, () -> now, 8 * MIB);
    List<SpooledBacklog> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(backlog(small, Grants.withSpool("token" + i / 4, 0)));
    }
    on(
        () -> {
          all.forEach(this::fillUp);
          return null;
        });

    assertThat(all.stream().mapToLong(SpooledBacklog::bytes).sum())
        .as("all of it, and one read of each")
        .isBetween(8 * MIB, 8 * MIB + 41 * READ);
    on(
        () -> {
          all.forEach(SpooledBacklog::close);
          return null;
        });
    small.close();
    quota.measured(SpoolQuota.byOwner(Map.of()));
  }

  private void fillUp(SpooledBacklog some) {
    while (some.hasRoom()) {
      some.add(allocator.directBuffer(READ, READ).writeZero(READ));
      some.refused();
    }
  }

  /** Many slow connections, each with less in memory than is written at once. */
  @Test
  void aTokenWhoseMemoryIsFullGoesOnToTheDisk() throws Exception {
    PassingSpool small = new PassingSpool(spool, quota, () -> now, 8 * MIB);
    List<SpooledBacklog> many = Stream.generate(() -> backlog(small, ALICE)).limit(20).toList();

    await()
        .atMost(DEADLINE)
        .until(
            () ->
                on(
                    () -> {
                      many.forEach(this::fillUp);
                      return many.stream().allMatch(one -> one.bytes() > MIB);
                    }));

    assertThat(allocator.metric().usedDirectMemory())
        .as("its share, one read and one piece for each")
        .isLessThan(2 * MIB + 20 * (2 * READ + SpoolLog.MOST_PIECE));
    on(
        () -> {
          many.forEach(SpooledBacklog::close);
          return null;
        });
    await().atMost(DEADLINE).until(() -> quota.passing() == 0);
    small.close();
  }

  /** A disk that hangs has the files still. */
  @Test
  void whatFilesTakeIsCountedUntilTheyAreGone() throws Exception {
    fill(3 * MIB);
    awaitDisk();
    CountDownLatch hangs = new CountDownLatch(1);
    for (int i = 0; i < FairThreads.MOST_OF_OWNER; i++) {
      passing.execute(SpoolQuota.Owner.of(ALICE), () -> awaitUnchecked(hangs));
    }
    try {
      on(
          () -> {
            backlog.close();
            return null;
          });
      assertThat(files()).isNotEmpty();
      assertThat(quota.passing()).isPositive();
    } finally {
      hangs.countDown();
    }
  }

  @Test
  void smallReadsShareTheirMemory() throws Exception {
    int reads = 1000;
    on(
        () -> {
          for (int i = 0; i < reads; i++) {
            assertThat(backlog.hasRoom()).isTrue();
            add(100, 256 << 10);
          }
          return null;
        });
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(MIB);
    assertThat(passing.nextFile().getFileName()).as("the first").hasToString("1");
    drain(added);
  }

  @Test
  void littleIsKeptBeforeAnybodyKnowsHowFastTheOtherSideIs() throws Exception {
    fill(4 * MIB);
    await().atMost(DEADLINE).until(this::refuses);
    assertThat(added).isBetween(4 * MIB, 8 * MIB);

    drain(4 * MIB);
    now += TimeUnit.SECONDS.toNanos(6); // 4 MiB in 6 s: 20 MiB in 30 s
    fill(added + READ);
    drain(taken + 1);
    fill(taken + 18 * MIB);
    await().atMost(DEADLINE).until(this::refuses);

    assertThat(on(() -> backlog.bytes())).isBetween(18 * MIB, 25 * MIB);
  }

  /** Adds until there is no room. */
  private boolean refuses() throws Exception {
    fill(added + (on(backlog::hasRoom) ? READ : 0));
    return !on(backlog::hasRoom);
  }

  @Test
  void aTokenCannotHoldMoreThanItMayHaveInTheSpool() throws Exception {
    SpooledBacklog alices = backlog;
    backlog = backlog(BOB);
    fill(2 * MIB);
    await().atMost(DEADLINE).until(() -> refuses() && quota.passing() >= 2 * MIB);
    assertThat(quota.passing(SpoolQuota.Owner.of(BOB))).isBetween(2 * MIB, 4 * MIB);
    assertThat(quota.mayKeep(SpoolQuota.Owner.of(ALICE))).isTrue();
    drain(added);
    on(
        () -> {
          alices.close();
          return null;
        });
  }

  @Test
  void filesThatClientsLeaveHaveHalfOfTheSpoolInAnyCase() {
    SpoolQuota.Owner alice = SpoolQuota.Owner.of(ALICE);
    SpoolQuota.Owner bob = new SpoolQuota.Owner("bob", Long.MAX_VALUE);
    SpoolQuota.Owner carol = new SpoolQuota.Owner("carol", Long.MAX_VALUE);
    quota.keep(alice, 50 * MIB);
    assertThat(quota.mayKeep(alice)).as("half of the half").isFalse();
    assertThat(quota.mayKeep(bob)).isTrue();
    quota.keep(bob, 50 * MIB);
    assertThat(quota.mayKeep(carol)).as("half").isFalse();
    quota.keep(bob, -50 * MIB);
    quota.measured(SpoolQuota.byOwner(Map.of(alice.name() + "0123456789abcdef", 150 * MIB)));
    assertThat(quota.mayKeep(bob)).as("all of it").isFalse();
    quota.keep(alice, -50 * MIB);
    assertThat(quota.mayKeep(bob)).isTrue();
    assertThat(quota.mayKeep(new SpoolQuota.Owner(alice.name(), 150 * MIB)))
        .as("with what it has left")
        .isFalse();
    quota.measured(new SharedBudget());
  }

  @Test
  void aByteThatTheDiskChangedEndsTheConnection() throws Exception {
    takeFast();
    long begin = taken;
    fill(added + 6 * MIB);
    awaitDisk();
    await().atMost(DEADLINE).until(() -> quota.passing() > 4 * MIB);
    try (RandomAccessFile file = new RandomAccessFile(files().get(0).toFile(), "rw")) {
      file.seek(3 * MIB);
      int value = file.read();
      file.seek(3 * MIB);
      file.write(value ^ 1);
    }

    drain(begin + 2 * MIB);
    awaitFailure();

    assertThat(failures).hasSize(1);
    assertThat(failures.get(0).code()).isEqualTo(ErrorCode.IO);
    assertThat(failures.get(0)).hasMessageContaining("is damaged at byte");
  }

  /** Takes what is there until something fails. */
  private void awaitFailure() {
    await()
        .atMost(DEADLINE)
        .until(
            () ->
                on(
                    () -> {
                      ByteBuf bytes = backlog.poll();
                      if (bytes != null) {
                        bytes.release();
                      }
                      return !failures.isEmpty();
                    }));
  }

  /** A program that removes old files, for example. */
  @Test
  void aFileThatHasGoneEndsTheConnectionWhenItIsNeeded() throws Exception {
    fill(3 * MIB);
    awaitDisk();
    for (Path file : files()) {
      Files.delete(file);
    }
    awaitFailure();
    assertThat(failures.get(0)).hasMessageContaining("cannot read '" + spool.passing());
  }

  /** The sender waits for a disk that takes nothing, and nothing is lost. */
  @Test
  void aDiskThatTakesNothingHoldsTheSenderBack() throws Exception {
    Files.delete(spool.passing());
    fill(MIB / 2);
    await().atMost(DEADLINE).until(() -> refuses());
    assertThat(added).isLessThan(4 * MIB);
    drain(added);
    assertThat(failures).isEmpty();
    Files.createDirectory(spool.passing());
  }

  @Test
  void whatAProcessThatDiedHasLeftIsRemovedAtTheNextStart() throws Exception {
    Files.write(spool.passing().resolve("17"), new byte[100]);
    spool.open().close();
    assertThat(files()).isEmpty();
  }
}
