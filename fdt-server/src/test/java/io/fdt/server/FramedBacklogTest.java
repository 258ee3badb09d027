package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.Grant;
import io.fdt.core.transport.Backlog;
import io.fdt.core.transport.RelayTarget.Direction;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.Recall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames go through a backlog whose spool holds some blocks. */
class FramedBacklogTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final long MIB = 1 << 20;
  private static final Grant ALICE = Grant.unlimited("alice", Instant.EPOCH);
  private static final Grant BOB = Grant.unlimited("bob", Instant.EPOCH);
  private static final InetSocketAddress TARGET =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final EventLoop loop = new DefaultEventLoop();
  private final List<FdtException> failures = new ArrayList<>();

  /** What the other side has taken. */
  private final ByteBuf taken = Unpooled.buffer();

  private Spool spool;
  private SpoolQuota quota;
  private PassingSpool passing;
  private FramedBacklog backlog;
  private boolean takesAll;
  private long reserved;
  private long recalled;
  private long nanosToWait;
  private boolean isRevoked;

  @BeforeEach
  void open(@TempDir Path directory) throws Exception {
    spool = new Spool(directory, ByteSize.ofBytes(200 * MIB));
    spool.open().close();
    quota = new SpoolQuota(spool.size());
    passing = spool(1 << 30, Duration.ofHours(1));
    backlog = backlog(passing, ALICE);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    on(
        () -> {
          backlog.close();
          return null;
        });
    await().atMost(DEADLINE).until(() -> allocator.metric().usedDirectMemory() == 0);
    await().atMost(DEADLINE).until(() -> quota.passing() == 0);
    await().atMost(DEADLINE).until(() -> passing.memory() == 0);
    passing.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    assertThat(failures).isEmpty();
  }

  private PassingSpool spool(long mostMemory, Duration patience) {
    return new PassingSpool(spool, quota, System::nanoTime, mostMemory, patience);
  }

  private FramedBacklog backlog(PassingSpool some, Grant grant) {
    return new FramedBacklog(
        some,
        SpoolUse.of(grant, TARGET, loop, allocator),
        new FrameScan(Direction.TO_CLIENT),
        new FramedBacklog.Connection() {
          @Override
          public void reserved(int bytes) {
            reserved += bytes;
          }

          @Override
          public void recalled(int bytes) {
            recalled += bytes;
          }

          @Override
          public long nanosToWait() {
            return nanosToWait;
          }

          @Override
          public boolean isRevoked() {
            return isRevoked;
          }
        },
        new Backlog.Listener() {
          @Override
          public void changed() {
            take();
          }

          @Override
          public void failed(FdtException cause) {
            failures.add(cause);
          }
        });
  }

  private void take() {
    ByteBuf next;
    while (takesAll && (next = backlog.poll()) != null) {
      taken.writeBytes(next);
      next.release();
    }
    if (!takesAll) {
      backlog.refused();
    }
  }

  private <T> T on(Callable<T> work) throws Exception {
    return loop.submit(work).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(spool.passing())) {
      return all.toList();
    }
  }

  /** One read of a socket, of which the other side takes what it may. */
  private void add(ByteBuf bytes) throws Exception {
    on(
        () -> {
          backlog.add(allocator.directBuffer(bytes.readableBytes()).writeBytes(bytes.duplicate()));
          take();
          return null;
        });
  }

  private void takeAll() throws Exception {
    on(
        () -> {
          takesAll = true;
          take();
          return null;
        });
  }

  private void awaitTaken(ByteBuf expected) {
    await()
        .atMost(DEADLINE)
        .until(() -> on(() -> taken.readableBytes()) >= expected.readableBytes());
    assertThat(ByteBufUtil.getBytes(taken)).isEqualTo(ByteBufUtil.getBytes(expected));
  }

  private static ByteBuf answered() {
    ByteBuf out = Unpooled.buffer();
    Preface.of(Preface.Kind.ANSWER).write(out);
    JoinAnswer.ACCEPTED.write(out);
    return out;
  }

  private static ByteBuf recall(long number, byte[] payload) {
    ByteBuf out = Unpooled.buffer();
    Frames.recall(number, payload).write(out);
    return out;
  }

  /** The other side takes nothing, so that blocks go to the disk; then the connection ends. */
  private void leave(Grant grant, byte[]... blocks) throws Exception {
    backlog = backlog(passing, grant);
    ByteBuf sent = answered();
    add(answered());
    for (byte[] block : blocks) {
      sent.writeBytes(Frames.frame(1, block));
      add(Frames.frame(1, block));
    }
    await().atMost(DEADLINE).until(() -> quota.passing() == sent.readableBytes());
    close();
    await().atMost(DEADLINE).until(() -> quota.passing() == 0);
    assertThat(quota.remains()).isPositive();
    taken.clear();
  }

  private void close() throws Exception {
    on(
        () -> {
          backlog.close();
          return null;
        });
  }

  private static ByteBuf all(ByteBuf... parts) {
    ByteBuf out = Unpooled.buffer();
    for (ByteBuf one : parts) {
      out.writeBytes(one.duplicate());
    }
    return out;
  }

  @Test
  void aBlockThatIsHeldComesInPlaceOfItsName() throws Exception {
    byte[] first = Frames.payload(1, 600_000);
    byte[] second = Frames.payload(2, 700_000);
    byte[] missing = Frames.payload(3, 5000);
    byte[] sent = Frames.payload(4, 5000);
    leave(ALICE, first, second);

    backlog = backlog(passing, ALICE);
    takeAll();
    ByteBuf names =
        all(recall(5, second), recall(6, missing), Frames.frame(7, sent), recall(8, first));
    add(all(answered(), Frames.frame(4, sent), names, Frames.frame(9, sent)));

    awaitTaken(
        all(
            answered(),
            Frames.frame(4, sent),
            Frames.frame(5, second),
            recall(6, missing),
            Frames.frame(7, sent),
            Frames.frame(8, first),
            Frames.frame(9, sent)));
    assertThat(on(() -> recalled)).isEqualTo(1_300_000);
    assertThat(on(backlog::isEmpty)).isTrue();
    assertThat(on(backlog::hasRoom)).isTrue();
  }

  @Test
  void namesMayComeInPieces() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    leave(ALICE, block);
    backlog = backlog(passing, ALICE);
    takeAll();
    add(answered());
    ByteBuf names = all(recall(0, block), recall(1, block));
    while (names.isReadable()) {
      add(names.readSlice(Math.min(names.readableBytes(), 7)));
    }
    awaitTaken(all(answered(), Frames.frame(0, block), Frames.frame(1, block)));
  }

  @Test
  void aTokenGetsNothingOfAnotherOne() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    leave(BOB, block);
    backlog = backlog(passing, ALICE);
    takeAll();
    add(all(answered(), recall(0, block)));
    awaitTaken(all(answered(), recall(0, block)));
    assertThat(on(() -> recalled)).isZero();
  }

  @Test
  void whatComesBehindANameWaitsForItsBlock() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    leave(ALICE, block);
    CountDownLatch hangs = hang(passing);
    backlog = backlog(passing, ALICE);
    takeAll();
    add(all(answered(), recall(0, block)));
    assertThat(on(backlog::hasRoom)).isFalse();
    add(Frames.frame(1, block));
    assertThat(on(backlog::isEmpty)).isFalse();
    assertThat(on(backlog::bytes)).isEqualTo(Recall.FRAME_LENGTH + FrameHeader.LENGTH + 600_000);
    assertThat(on(() -> taken.readableBytes())).isEqualTo(answered().readableBytes());
    hangs.countDown();
    awaitTaken(all(answered(), Frames.frame(0, block), Frames.frame(1, block)));
  }

  /** Nothing is read from the disk before it goes on. */
  private static CountDownLatch hang(PassingSpool some) {
    CountDownLatch hangs = new CountDownLatch(1);
    for (int i = 0; i < FairThreads.MOST_OF_OWNER; i++) {
      some.execute(
          SpoolQuota.Owner.of(ALICE),
          () -> {
            try {
              hangs.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
    }
    return hangs;
  }

  @Test
  void aConnectionMayEndWhileABlockIsRead() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    leave(ALICE, block);
    CountDownLatch hangs = hang(passing);
    backlog = backlog(passing, ALICE);
    takeAll();
    add(all(answered(), recall(0, block), Frames.frame(1, block)));
    close();
    assertThat(passing.memory()).as("for the block").isEqualTo(600_044);
    assertThat(on(backlog::isEmpty)).isTrue();
    hangs.countDown();
  }

  @Test
  void aPartOfANameHoldsNothingUp() throws Exception {
    takeAll();
    add(all(answered(), recall(0, Frames.payload(1, 5000)).slice(0, 70)));
    assertThat(on(backlog::isEmpty)).isTrue();
    assertThat(on(backlog::hasRoom)).isTrue();
  }

  @Test
  void blocksFromTheSpoolAreWithinLimits() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    leave(ALICE, block);
    backlog = backlog(passing, ALICE);
    nanosToWait = TimeUnit.SECONDS.toNanos(1);
    takeAll();
    add(all(answered(), recall(0, block)));
    on(() -> null); // the limit was looked at
    assertThat(on(() -> recalled)).isZero();
    on(() -> nanosToWait = 0);
    awaitTaken(all(answered(), Frames.frame(0, block)));
    assertThat(on(() -> reserved)).isEqualTo(block.length);
  }

  /** Names are short, and blocks are long: the other side says how many are read. */
  @Test
  void blocksAreReadAsTheOtherSideTakesThem() throws Exception {
    byte[] block = Frames.payload(1, 900_000);
    leave(ALICE, block);
    backlog = backlog(passing, ALICE);
    takesAll = false;
    ByteBuf names = answered();
    ByteBuf expected = answered();
    for (int i = 0; i < 40; i++) {
      names.writeBytes(recall(i, block));
      expected.writeBytes(Frames.frame(i, block));
    }
    add(names);
    await().atMost(DEADLINE).until(() -> on(() -> recalled >= 4 * MIB && !readsOn()));
    assertThat(on(() -> recalled)).as("what may be kept").isLessThan(7 * MIB);
    takeAll();
    awaitTaken(expected);
  }

  private boolean readsOn() {
    take();
    return backlog.bytes() < DrainRate.LEAST_KEPT;
  }

  /** One block at a time, when nothing is before it. */
  @Test
  void withoutMemoryABlockComesWhenWhatIsBeforeItHasLeft() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    leave(ALICE, block);
    PassingSpool small = spool(-1, Duration.ofHours(1));
    small.open(); // finds what the other one has left
    backlog = backlog(small, ALICE);
    takesAll = false;
    add(all(answered(), recall(0, block)));
    on(() -> null);
    assertThat(on(() -> reserved)).as("read while others have the memory").isZero();
    takeAll();
    awaitTaken(all(answered(), Frames.frame(0, block)));
    close();
    small.close();
  }

  /** All threads of the token wait for the disk: the source sends the block sooner. */
  @Test
  void aDiskThatHangsHoldsNothingUp() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    leave(ALICE, block);
    PassingSpool impatient = spool(1 << 30, Duration.ofMillis(1));
    impatient.open(); // finds what the other one has left
    CountDownLatch answers = hang(impatient);
    try {
      backlog = backlog(impatient, ALICE);
      takeAll();
      add(all(answered(), recall(0, block), recall(1, block)));
      awaitTaken(all(answered(), recall(0, block), recall(1, block)));
      assertThat(on(() -> recalled)).isZero();
    } finally {
      answers.countDown();
    }
    close();
    await().atMost(DEADLINE).until(() -> impatient.memory() == 0);
    impatient.close();
  }

  @Test
  void whatRemainsGoesWithItsToken() throws Exception {
    leave(ALICE, Frames.payload(1, 600_000));
    leave(BOB, Frames.payload(2, 600_000));
    int both = files().size();

    passing.leaveOnlyOf(List.of(ALICE, BOB));
    passing.held().trim();
    assertThat(files()).hasSize(both);
    passing.leaveOnlyOf(List.of(BOB));
    passing.held().trim();
    assertThat(files())
        .isNotEmpty()
        .hasSizeLessThan(both)
        .allMatch(file -> file.getFileName().toString().startsWith(Spool.prefix(BOB)));
  }

  @Test
  void onlyWhatIsNotDeliveredRemains() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    backlog = backlog(passing, ALICE);
    add(all(answered(), Frames.frame(0, block)));
    await().atMost(DEADLINE).until(() -> quota.passing() > 0);
    takeAll();
    awaitTaken(all(answered(), Frames.frame(0, block)));
    await().atMost(DEADLINE).until(() -> quota.remains() > 0);
    assertThat(files()).as("it may be wanted again").hasSize(1);
    close();
    await().atMost(DEADLINE).until(() -> files().isEmpty());
    assertThat(quota.remains()).isZero();
  }

  /** Too little for the disk while the connection was there. */
  @Test
  void whatWaitsInMemoryRemains() throws Exception {
    byte[] block = Frames.payload(1, 10_000);
    add(all(answered(), Frames.frame(0, block)));
    assertThat(files()).isEmpty();
    close();
    await().atMost(DEADLINE).until(() -> quota.remains() > 0 && quota.passing() == 0);
    backlog = backlog(passing, ALICE);
    takeAll();
    add(all(answered(), recall(1, block)));
    awaitTaken(all(answered(), Frames.frame(1, block)));
  }

  @Test
  void ofATokenThatIsRevokedNothingRemains() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    backlog = backlog(passing, ALICE);
    add(all(answered(), Frames.frame(0, block)));
    await().atMost(DEADLINE).until(() -> quota.passing() > 0);
    isRevoked = true;
    close();
    await().atMost(DEADLINE).until(() -> files().isEmpty());
  }

  @Test
  void ofABrokenStreamOfFramesNothingRemains() throws Exception {
    byte[] block = Frames.payload(1, 600_000);
    backlog = backlog(passing, ALICE);
    add(all(answered(), Frames.frame(0, block)));
    await().atMost(DEADLINE).until(() -> quota.passing() > 0);
    add(Unpooled.wrappedBuffer(new byte[100]));
    close();
    await().atMost(DEADLINE).until(() -> files().isEmpty());
  }

  /** Without a hit the other side gets what was sent, with the disk between them and without. */
  @Test
  void withoutABlockInTheSpoolNothingChanges() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 10; round++) {
      backlog = backlog(passing, ALICE);
      taken.clear();
      ByteBuf sent = answered();
      while (sent.readableBytes() < 2 * MIB) {
        byte[] payload = Frames.payload(random.nextInt(), 1 + random.nextInt(300_000));
        sent.writeBytes(random.nextBoolean() ? recall(1, payload) : Frames.frame(1, payload));
      }
      if (random.nextBoolean()) {
        int at = random.nextInt(sent.readableBytes());
        sent.setByte(at, sent.getByte(at) ^ 1);
      }
      ByteBuf in = sent.duplicate();
      while (in.isReadable()) {
        on(() -> takesAll = random.nextInt(4) == 0);
        add(in.readSlice(Math.min(in.readableBytes(), 1 + random.nextInt(200_000))));
      }
      takeAll();
      assertTaken(sent, seed);
      close();
    }
  }

  private void assertTaken(ByteBuf sent, long seed) throws Exception {
    await()
        .atMost(DEADLINE)
        .until(
            () ->
                on(
                    () -> {
                      take();
                      return taken.readableBytes() >= sent.readableBytes() - Recall.FRAME_LENGTH;
                    }));
    await().atMost(DEADLINE).until(() -> on(backlog::isEmpty));
    int count = on(() -> taken.readableBytes());
    assertThat(ByteBufUtil.getBytes(taken))
        .as("seed=%d", seed)
        .isEqualTo(ByteBufUtil.getBytes(sent, 0, count));
    assertThat(count).as("seed=%d", seed).isEqualTo(sent.readableBytes());
  }
}
