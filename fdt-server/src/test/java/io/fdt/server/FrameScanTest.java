package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.transport.RelayTarget.Direction;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.Recall;
import io.fdt.core.wire.SessionId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class FrameScanTest {
  private static final int PAYLOAD = 100;

  /** What has passed, in order, RECALL frames too. */
  private final ByteBuf passed = Unpooled.buffer();

  private final List<Recall> recalls = new ArrayList<>();
  private int damaged;

  /** Where frames were said to begin. */
  private final List<Long> frames = new ArrayList<>();

  private void add(FrameScan scan, ByteBuf in) {
    while (in.isReadable()) {
      int count = scan.scan(in);
      if (scan.firstFrame() >= 0) {
        frames.add(passed.readableBytes() + scan.firstFrame());
      }
      passed.writeBytes(in, count);
      if (scan.isCollecting()) {
        collect(scan, in);
      }
    }
  }

  private void collect(FrameScan scan, ByteBuf in) {
    FrameScan.Collected got = scan.collect(in);
    if (got == FrameScan.Collected.FRAME) {
      scan.recall().ifPresentOrElse(recalls::add, () -> damaged++);
    }
    if (got != FrameScan.Collected.MORE) {
      passed.writeBytes(scan.takeCollected());
    }
  }

  private void add(FrameScan scan, byte[] bytes, int from, int to) {
    add(scan, Unpooled.wrappedBuffer(bytes, from, to - from));
  }

  private static byte[] bytes(Consumer<ByteBuf> writes) {
    ByteBuf out = Unpooled.buffer();
    writes.accept(out);
    return ByteBufUtil.getBytes(out);
  }

  private static Join join() {
    return Join.prove(new SessionId(1, 2), 3, new byte[] {4});
  }

  private static void relayed(ByteBuf out) {
    Preface.of(Preface.Kind.RELAY).write(out);
    join().write(out);
  }

  private static void joined(ByteBuf out) {
    Preface.of(Preface.Kind.DATA).write(out);
    join().write(out);
  }

  private static void answered(ByteBuf out) {
    Preface.of(Preface.Kind.ANSWER).write(out);
    JoinAnswer.ACCEPTED.write(out);
  }

  private static void block(ByteBuf out, int number) {
    byte[] payload = new byte[PAYLOAD];
    new Random(number).nextBytes(payload);
    payload[7] = 4; // as a RECALL frame begins
    FrameHeader.block(
            number,
            1,
            number * 100L,
            PAYLOAD,
            Crc32c.of(Unpooled.wrappedBuffer(payload), 0, PAYLOAD))
        .write(out);
    out.writeBytes(payload);
  }

  private static void recall(ByteBuf out, int number) {
    byte[] digest = new byte[32];
    digest[0] = (byte) number;
    new Recall(FrameHeader.block(number, 1, number * 100L, PAYLOAD, number), digest).write(out);
  }

  private static void frames(ByteBuf out) {
    recall(out, 0);
    block(out, 1);
    recall(out, 2);
    recall(out, 3);
    FrameHeader.idle(4).write(out);
    block(out, 5);
  }

  private void assertFollowed(byte[] all) {
    assertThat(ByteBufUtil.getBytes(passed)).isEqualTo(all);
    assertThat(recalls).extracting(one -> one.frame().number()).containsExactly(0L, 2L, 3L);
  }

  private void forget() {
    passed.clear();
    recalls.clear();
    frames.clear();
  }

  /** Client, two relays and a server: this is what the first relay passes on. */
  @Test
  void recallsAreFoundBehindPrefacesOfFurtherRelays() {
    byte[] all =
        bytes(
            out -> {
              relayed(out);
              joined(out);
              frames(out);
            });
    FrameScan scan = new FrameScan(Direction.TO_TARGET);
    add(scan, all, 0, all.length);
    assertFollowed(all);
    assertThat(scan.isOpaque()).isFalse();
  }

  @Test
  void recallsAreFoundHoweverTheBytesAreSplit() {
    byte[] all =
        bytes(
            out -> {
              answered(out);
              answered(out);
              frames(out);
            });
    for (int first = 0; first <= all.length; first++) {
      for (int second = first; second <= all.length; second += 7) {
        forget();
        FrameScan scan = new FrameScan(Direction.TO_CLIENT);
        add(scan, all, 0, first);
        add(scan, all, first, second);
        add(scan, all, second, all.length);
        assertFollowed(all);
      }
    }
    forget();
    FrameScan scan = new FrameScan(Direction.TO_CLIENT);
    for (int i = 0; i < all.length; i++) {
      add(scan, all, i, i + 1);
    }
    assertFollowed(all);
  }

  @Test
  void whereTheNextFrameBeginsIsKnown() {
    byte[] all =
        bytes(
            out -> {
              joined(out);
              block(out, 0);
              recall(out, 1);
              block(out, 2);
            });
    int first = Preface.LENGTH + Join.LENGTH;
    List<Long> starts =
        List.of(
            (long) first,
            first + 144L,
            first + 144L + Recall.FRAME_LENGTH,
            first + 288L + Recall.FRAME_LENGTH);
    for (int split = 0; split <= all.length; split++) {
      forget();
      FrameScan scan = new FrameScan(Direction.TO_TARGET);
      add(scan, all, 0, split);
      add(scan, all, split, all.length);
      assertThat(starts).as("split at %d", split).containsAll(frames);
    }
    forget();
    FrameScan scan = new FrameScan(Direction.TO_TARGET);
    add(scan, all, 0, first + 100);
    assertThat(frames).as("in the middle of a block").containsExactly(starts.get(0));
    add(scan, all, first + 100, first + 110);
    assertThat(frames).as("behind the bytes").endsWith(starts.get(1));
  }

  @Test
  void whatIsNotExpectedMakesTheConnectionOpaque() {
    byte[] recall = bytes(out -> recall(out, 1));
    assertOpaque(Direction.TO_TARGET, recall);
    assertOpaque(Direction.TO_CLIENT, recall);
    assertOpaque(Direction.TO_CLIENT, bytes(FrameScanTest::joined), recall);
    assertOpaque(Direction.TO_TARGET, bytes(FrameScanTest::answered), recall);
    assertOpaque(
        Direction.TO_TARGET,
        bytes(FrameScanTest::joined),
        bytes(out -> block(out, 0)),
        bytes(FrameScanTest::joined),
        recall);
    assertOpaque(
        Direction.TO_TARGET, bytes(out -> Preface.of(Preface.Kind.CONTROL).write(out)), recall);
    assertOpaque(
        Direction.TO_TARGET, bytes(out -> Preface.of(Preface.Kind.FAN).write(out)), recall);
    assertOpaque(
        Direction.TO_CLIENT,
        bytes(out -> Preface.refusing(ErrorCode.BUSY).write(out)),
        new byte[4],
        recall);
    assertOpaque(
        Direction.TO_CLIENT,
        bytes(out -> Preface.of(Preface.Kind.ANSWER).write(out)),
        bytes(out -> JoinAnswer.refused(ErrorCode.NOT_FOUND).write(out)),
        recall);
    byte[] bad = recall.clone();
    bad[20] ^= 1;
    assertOpaque(Direction.TO_CLIENT, bytes(FrameScanTest::answered), bad, recall);
    byte[] block = bytes(out -> block(out, 1));
    block[20] ^= 1;
    assertOpaque(Direction.TO_CLIENT, bytes(FrameScanTest::answered), block, recall);
  }

  @Test
  void encryptedConnectionsAreOpaque() {
    for (Preface preface : List.of(Preface.ofEncryptedData(), Preface.ofSealedData())) {
      assertOpaque(
          Direction.TO_TARGET,
          bytes(preface::write),
          bytes(join()::write),
          bytes(out -> recall(out, 1)));
    }
  }

  private void assertOpaque(Direction direction, byte[]... parts) {
    forget();
    FrameScan scan = new FrameScan(direction);
    byte[] all = ByteBufUtil.getBytes(Unpooled.wrappedBuffer(parts));
    add(scan, all, 0, all.length);
    assertThat(scan.isOpaque()).isTrue();
    assertThat(ByteBufUtil.getBytes(passed)).isEqualTo(all);
    assertThat(recalls).isEmpty();
  }

  @Test
  void ofAnOpaqueOneNothingIsFound() {
    byte[] all =
        bytes(
            out -> {
              joined(out);
              frames(out);
            });
    FrameScan scan = FrameScan.opaque();
    add(scan, all, 0, all.length);
    assertThat(ByteBufUtil.getBytes(passed)).isEqualTo(all);
    assertThat(recalls).isEmpty();
    assertThat(frames).isEmpty();
  }

  @Test
  void aDamagedNameGoesOnAsItCame() {
    byte[] all =
        bytes(
            out -> {
              answered(out);
              recall(out, 0);
              recall(out, 2);
              recall(out, 3);
            });
    all[Preface.LENGTH + JoinAnswer.LENGTH + Recall.FRAME_LENGTH + 60] ^= 1;
    FrameScan scan = new FrameScan(Direction.TO_CLIENT);
    add(scan, all, 0, all.length);
    assertThat(ByteBufUtil.getBytes(passed)).isEqualTo(all);
    assertThat(recalls).extracting(one -> one.frame().number()).containsExactly(0L, 3L);
    assertThat(damaged).isEqualTo(1);
    assertThat(scan.isOpaque()).isFalse();
  }

  @Test
  void whateverComesPassesUnchanged() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 3000; round++) {
      Direction direction = random.nextBoolean() ? Direction.TO_CLIENT : Direction.TO_TARGET;
      byte[] all = anything(random, direction);
      forget();
      FrameScan scan = new FrameScan(direction);
      for (int at = 0; at < all.length; ) {
        int next = Math.min(all.length, at + 1 + random.nextInt(random.nextBoolean() ? 8 : 400));
        add(scan, all, at, next);
        at = next;
      }
      passed.writeBytes(scan.takeCollected());
      assertThat(ByteBufUtil.getBytes(passed)).as("seed=%d round=%d", seed, round).isEqualTo(all);
    }
  }

  private static byte[] anything(Random random, Direction direction) {
    byte[] all =
        bytes(
            out -> {
              for (int i = random.nextInt(3); i > 0; i--) {
                if (direction == Direction.TO_CLIENT) {
                  answered(out);
                } else {
                  relayed(out);
                }
              }
              if (direction == Direction.TO_TARGET) {
                joined(out);
              }
              for (int i = random.nextInt(8); i > 0; i--) {
                frames(out);
              }
            });
    for (int flips = random.nextInt(4); flips > 0 && all.length > 0; flips--) {
      all[random.nextInt(all.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return all;
  }
}
