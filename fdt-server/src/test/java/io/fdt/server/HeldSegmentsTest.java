package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Recall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames go through the log of a connection, and are found again. */
class HeldSegmentsTest {
  private static final int MIB = 1 << 20;
  private static final SpoolEnds ENDS = new SpoolEnds("a".repeat(16), "b".repeat(16));
  private static final SpoolEnds OTHER_TARGET = new SpoolEnds(ENDS.owner(), "c".repeat(16));
  private static final SpoolEnds OTHER_OWNER = new SpoolEnds("d".repeat(16), ENDS.target());
  private static final SpoolQuota.Owner OWNER = new SpoolQuota.Owner(ENDS.owner(), Long.MAX_VALUE);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private @TempDir Path directory;
  private Spool spool;
  private SpoolQuota quota;
  private HeldSegments held;
  private long nowMillis = System.currentTimeMillis();

  @BeforeEach
  void open() throws Exception {
    spool = new Spool(directory, ByteSize.ofBytes(100 * MIB));
    start();
  }

  /** A new process. */
  private void start() throws Exception {
    spool.open().close();
    quota = new SpoolQuota(spool.size());
    held = new HeldSegments(spool.passing(), quota, () -> nowMillis);
    held.open();
  }

  @AfterEach
  void noMemoryIsHeld() {
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(spool.passing())) {
      return all.sorted().toList();
    }
  }

  /** One direction of a connection. */
  private final class Flow {
    private final SpoolLog log;
    private long position;

    Flow(SpoolEnds ends) {
      log = new SpoolLog(new SpoolChain(held, ends, () -> spool.passing().resolve("1")));
    }

    Flow() {
      this(ENDS);
    }

    Flow adds(byte[]... payloads) throws IOException {
      for (byte[] payload : payloads) {
        add(Frames.frame(7, payload), 0);
      }
      return this;
    }

    void add(ByteBuf bytes, long firstFrame) throws IOException {
      log.append(new PassingBytes(bytes, position, firstFrame));
      position += bytes.readableBytes();
    }

    /** Bytes go past the disk. */
    void passes(int count) {
      position += count;
    }

    Flow takesAll() throws Exception {
      while (!log.isEmpty()) {
        log.next(allocator).release();
      }
      return this;
    }
  }

  private boolean finds(SpoolEnds ends, byte[] payload) throws Exception {
    return finds(ends, Frames.recall(3, payload), payload);
  }

  private boolean finds(SpoolEnds ends, Recall recall, byte[] payload) throws Exception {
    ByteBuf found = held.read(ends, recall, allocator, () -> false);
    if (found == null) {
      return false;
    }
    try {
      assertThat(Frames.is(found, 3, payload)).isTrue();
      return true;
    } finally {
      found.release();
    }
  }

  private List<Long> listed(SpoolEnds ends) {
    return keys(held.list(ends, () -> false).getBlocks());
  }

  private static List<Long> keys(ByteString blocks) {
    List<Long> keys = new ArrayList<>();
    for (int at = 0; at < blocks.size(); at += Long.BYTES) {
      keys.add(blocks.asReadOnlyByteBuffer().getLong(at));
    }
    return keys;
  }

  private static long key(byte[] payload) {
    FrameHeader header = Frames.header(0, payload);
    return (long) header.payloadCrc() << 32 | payload.length;
  }

  private static byte[][] payloads(int from, int count, int length) {
    byte[][] all = new byte[count][];
    for (int i = 0; i < count; i++) {
      all[i] = Frames.payload(from + i, length + i);
    }
    return all;
  }

  @Test
  void blocksOfAConnectionAreFoundWhileItIsThere() throws Exception {
    byte[][] blocks = payloads(1, 3, 100_000);
    Flow flow = new Flow().adds(blocks[0], blocks[1]);
    assertThat(finds(ENDS, blocks[0])).isTrue();
    assertThat(finds(ENDS, blocks[2])).isFalse();
    flow.adds(blocks[2]);
    assertThat(finds(ENDS, blocks[2])).isTrue();
    assertThat(listed(ENDS)).containsExactly(key(blocks[2]), key(blocks[1]), key(blocks[0]));
    assertThat(quota.remains()).isZero();
    flow.log.close(false);
    assertThat(files()).isEmpty();
    assertThat(listed(ENDS)).isEmpty();
  }

  @Test
  void nothingIsFoundForAnotherTokenOrTarget() throws Exception {
    byte[] block = Frames.payload(1, 5000);
    new Flow().adds(block).log.close(true);
    for (SpoolEnds other : List.of(OTHER_OWNER, OTHER_TARGET)) {
      assertThat(finds(other, block)).isFalse();
      assertThat(listed(other)).isEmpty();
    }
    assertThat(finds(ENDS, block)).isTrue();
  }

  @Test
  void whatHasAnotherDigestIsNotFound() throws Exception {
    byte[] block = Frames.payload(1, 5000);
    new Flow().adds(block);
    Recall wrong = new Recall(Frames.header(3, block), new byte[32]);
    assertThat(finds(ENDS, wrong, block)).isFalse();
    Recall encoded =
        new Recall(Frames.header(3, block).encoded(1, 5000), Frames.recall(3, block).digest());
    assertThat(finds(ENDS, encoded, block)).isFalse();
  }

  @Test
  void whatRemainsIsFoundByTheNextProcess() throws Exception {
    byte[][] blocks = payloads(1, 30, MIB);
    new Flow().adds(blocks).log.close(true);
    new Flow(OTHER_TARGET).adds(blocks[0]);
    byte[] later = Frames.payload(77, 3000);
    new Flow().adds(later);
    assertThat(files()).hasSize(6);

    start();

    assertThat(files()).hasSize(6);
    assertThat(quota.remains()).isBetween(31L * MIB, 32L * MIB);
    for (byte[] block : blocks) {
      assertThat(finds(ENDS, block)).isTrue();
    }
    assertThat(listed(ENDS)).hasSize(31).startsWith(key(later), key(blocks[29]));
    assertThat(listed(OTHER_TARGET)).containsExactly(key(blocks[0]));
    byte[] next = Frames.payload(78, 3000);
    new Flow().adds(next);
    assertThat(files()).as("another chain").hasSize(7);
    assertThat(listed(ENDS)).startsWith(key(next), key(later));
  }

  @Test
  void framesAreFoundInFilesThatBeginInTheMiddleOfOne() throws Exception {
    byte[] head = Frames.payload(1, 50_000);
    byte[] block = Frames.payload(2, 60_000);
    ByteBuf first = Frames.frame(1, head);
    first.skipBytes(20_000);
    Flow flow = new Flow();
    flow.passes(20_000);
    flow.add(first, first.readableBytes());
    flow.adds(block);

    assertThat(listed(ENDS)).containsExactly(key(block));
    assertThat(finds(ENDS, block)).isTrue();
    assertThat(finds(ENDS, head)).isFalse();
  }

  @Test
  void ofABlockWithAGapNothingIsFound() throws Exception {
    byte[] cut = Frames.payload(1, 50_000);
    byte[] next = Frames.payload(2, 60_000);
    ByteBuf first = Frames.frame(1, cut);
    Flow flow = new Flow();
    flow.add(first.slice(0, 20_000), 0);
    flow.takesAll();
    flow.passes(10_000);
    ByteBuf rest = first.slice(30_000, first.readableBytes() - 30_000);
    flow.add(rest, rest.readableBytes());
    flow.adds(next);

    assertThat(listed(ENDS)).containsExactly(key(next));
    assertThat(finds(ENDS, next)).isTrue();
    assertThat(finds(ENDS, cut)).isFalse();
  }

  @Test
  void aBlockMayLieInTwoFilesWithoutAGap() throws Exception {
    byte[] block = Frames.payload(1, 50_000);
    for (int split : new int[] {20, 44, 30_000}) {
      ByteBuf frame = Frames.frame(1, block);
      Flow flow = new Flow();
      flow.add(frame.slice(0, split), 0);
      flow.takesAll();
      ByteBuf rest = frame.slice(split, frame.readableBytes() - split);
      flow.add(rest, rest.readableBytes());
      assertThat(files()).hasSize(2);
      assertThat(listed(ENDS)).containsExactly(key(block));
      assertThat(finds(ENDS, block)).isTrue();
      flow.log.close(false);
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void aBlockThatWasNotWrittenWholeIsNotListed() throws Exception {
    byte[][] blocks = payloads(1, 3, 40_000);
    new Flow().adds(blocks).log.close(true);
    try (RandomAccessFile file = new RandomAccessFile(files().get(0).toFile(), "rw")) {
      file.setLength(2L * 40_044 + 500);
    }
    start();
    assertThat(listed(ENDS)).containsExactly(key(blocks[1]), key(blocks[0]));
    assertThat(finds(ENDS, blocks[2])).isFalse();
  }

  @Test
  void whatTheDiskChangedIsNotFound() throws Exception {
    byte[][] blocks = payloads(1, 4, 40_000);
    new Flow().adds(blocks).log.close(true);
    change(files().get(0), 40_044 + 1000); // in the second payload
    change(files().get(0), 2 * 40_044 + 1 + 10); // in the third header
    start();
    assertThat(listed(ENDS)).as("up to the header").containsExactly(key(blocks[1]), key(blocks[0]));
    assertThat(finds(ENDS, blocks[0])).isTrue();
    assertThat(finds(ENDS, blocks[1])).isFalse();
    assertThat(finds(ENDS, blocks[3])).isFalse();
  }

  private static void change(Path path, long offset) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(offset);
      int value = file.read();
      file.seek(offset);
      file.write(value ^ 1);
    }
  }

  @Test
  void anotherPlaceHasABlockThatTheDiskChanged() throws Exception {
    byte[] block = Frames.payload(1, 40_000);
    new Flow().adds(block).log.close(true);
    new Flow().adds(block).log.close(true);
    change(files().get(1), 1000);
    start();
    assertThat(listed(ENDS)).containsExactly(key(block));
    assertThat(finds(ENDS, block)).isTrue();
  }

  @Test
  void blocksThatAreNotWorthItAreNotListed() throws Exception {
    byte[] small = Frames.payload(1, Recall.LEAST_PAYLOAD - 1);
    byte[] large = Frames.payload(2, Recall.MOST_PAYLOAD + 1);
    byte[] good = Frames.payload(3, Recall.LEAST_PAYLOAD);
    ByteBuf idle = Unpooled.buffer();
    FrameHeader.idle(9).write(idle);
    Flow flow = new Flow().adds(small, large);
    flow.add(idle, 0);
    flow.adds(good);
    assertThat(listed(ENDS)).containsExactly(key(good));
    assertThat(finds(ENDS, large)).isFalse();
  }

  @Test
  void aListHasABound() throws Exception {
    Flow flow = new Flow();
    for (int i = 0; i < 5000; i++) {
      flow.adds(Frames.payload(i, 1024));
    }
    List<Long> listed = listed(ENDS);
    assertThat(listed).hasSize(HeldSegments.MOST_LISTED);
    assertThat(listed.get(0)).isEqualTo(key(Frames.payload(4999, 1024)));
  }

  @Test
  void newBlocksAreKnownWhereTooManyAreThere() throws Exception {
    Flow flow = new Flow();
    for (int i = 0; i < HeldSegments.MOST_KNOWN_OF_OWNER + 1000; i++) {
      flow.adds(Frames.payload(i, 1024));
    }
    listed(ENDS);
    listed(ENDS);
    byte[] latest = Frames.payload(-1, 1024);
    flow.adds(latest);
    assertThat(listed(ENDS)).startsWith(key(latest));
    assertThat(finds(ENDS, latest)).isTrue();
  }

  /** A slow disk: the next list has more. */
  @Test
  void aListThatIsLateHasWhatWasFoundBefore() throws Exception {
    byte[][] blocks = payloads(1, 24, MIB);
    new Flow().adds(blocks).log.close(true);
    int[] looks = {0};
    List<Long> first = keys(held.list(ENDS, () -> looks[0]++ >= 1).getBlocks());
    assertThat(first).hasSize(8).startsWith(key(blocks[23]));
    assertThat(keys(held.list(ENDS, () -> true).getBlocks())).isEqualTo(first);
    assertThat(listed(ENDS)).hasSize(24);
  }

  @Test
  void ofFilesThatWereTakenAFewRemain() throws Exception {
    Flow flow = new Flow();
    for (int i = 0; i < 100; i++) {
      flow.adds(Frames.payload(i, 2000)).takesAll();
    }
    assertThat(files()).hasSize(100);
    flow.log.trim(Long.MAX_VALUE);
    assertThat(files()).hasSize(64);
    assertThat(finds(ENDS, Frames.payload(99, 2000))).isTrue();
    assertThat(finds(ENDS, Frames.payload(0, 2000))).isFalse();
  }

  @Test
  void whatWasTakenRemainsUpToABound() throws Exception {
    Flow flow = new Flow().adds(payloads(1, 24, MIB));
    assertThat(files()).hasSize(3);
    flow.takesAll();
    assertThat(files()).hasSize(3);
    assertThat(flow.log.fileBytes()).isZero();
    assertThat(quota.remains()).isGreaterThan(24L * MIB);

    flow.log.trim(17 * MIB);
    assertThat(files()).hasSize(2);
    assertThat(quota.remains()).isBetween(16L * MIB, 17L * MIB);
    assertThat(finds(ENDS, Frames.payload(1, MIB))).isFalse();
    assertThat(finds(ENDS, Frames.payload(24, MIB + 23))).isTrue();

    flow.log.close(false);
    assertThat(files()).isEmpty();
    assertThat(quota.remains()).isZero();
  }

  /** It may be wanted for a repair; what was not delivered is wanted for certain. */
  @Test
  void whatWasDeliveredMakesRoomFirst() throws Exception {
    new Flow().adds(payloads(1, 16, MIB)).log.close(true);
    new Flow().adds(payloads(40, 16, MIB)).takesAll();
    assertThat(files()).hasSize(4);

    quota.keep(new SpoolQuota.Owner("e".repeat(16), Long.MAX_VALUE), 20L * MIB);
    held.trim();
    assertThat(files()).hasSize(3);
    assertThat(finds(ENDS, Frames.payload(1, MIB))).as("the oldest").isTrue();
    assertThat(finds(ENDS, Frames.payload(40, MIB))).as("delivered").isFalse();
  }

  @Test
  void remainsMakeRoomTheOldestFirst() throws Exception {
    new Flow().adds(payloads(1, 16, MIB)).log.close(true);
    new Flow(OTHER_OWNER).adds(payloads(40, 16, MIB)).log.close(true);
    held.trim();
    assertThat(files()).as("within all bounds").hasSize(4);

    quota.keep(new SpoolQuota.Owner("e".repeat(16), Long.MAX_VALUE), 20L * MIB);
    held.trim();
    assertThat(finds(ENDS, Frames.payload(1, MIB))).as("half of the spool").isFalse();
    assertThat(finds(ENDS, Frames.payload(16, MIB + 15))).isTrue();
    assertThat(files()).hasSize(3);

    quota.keep(new SpoolQuota.Owner(OTHER_OWNER.owner(), Long.MAX_VALUE), 10L * MIB);
    quota.keep(new SpoolQuota.Owner("e".repeat(16), Long.MAX_VALUE), -20L * MIB);
    held.trim();
    assertThat(listed(OTHER_OWNER)).as("a quarter of it").hasSize(8);
    assertThat(listed(ENDS)).hasSize(8);

    held.mayHave(new SpoolQuota.Owner(ENDS.owner(), 5 * MIB));
    held.trim();
    assertThat(listed(ENDS)).as("what the token may have").isEmpty();
    held.leaveOnlyOf(Set.of());
    held.trim();
    assertThat(files()).isEmpty();
    assertThat(quota.remains()).isZero();
  }

  @Test
  void remainsTakeNoRoomFromConnections() throws Exception {
    new Flow().adds(payloads(1, 24, MIB)).log.close(true);
    new Flow(OTHER_OWNER).adds(payloads(40, 24, MIB)).log.close(true);
    assertThat(quota.mayKeep(OWNER)).isTrue();
    assertThat(quota.excess(new BytesByOwner())).isEmpty();
    quota.measured(SpoolQuota.byOwner(Map.of("f".repeat(32), 60L * MIB)));
    held.trim();
    assertThat(quota.remains()).as("files have more").isBetween(32L * MIB, 40L * MIB);
  }

  @Test
  void remainsGoAfterADay() throws Exception {
    new Flow().adds(Frames.payload(1, 5000)).log.close(true);
    Flow live = new Flow().adds(Frames.payload(2, 5000));
    Path old = files().get(0);
    nowMillis += HeldSegments.KEPT_FOR.toMillis();
    held.trim();
    assertThat(old).exists();
    nowMillis++;
    held.trim();
    assertThat(files()).as("that of the connection").hasSize(1);
    live.log.close(true);
    held.trim();
    assertThat(files()).isEmpty();

    new Flow().adds(Frames.payload(1, 5000)).log.close(true);
    Files.setLastModifiedTime(
        files().get(0), FileTime.fromMillis(nowMillis - HeldSegments.KEPT_FOR.toMillis() - 1));
    start();
    held.trim();
    assertThat(files()).isEmpty();
  }

  @Test
  void otherFilesGoAtTheStart() throws Exception {
    new Flow().adds(Frames.payload(1, 5000)).log.close(true);
    Path kept = files().get(0);
    for (String name : List.of("17", kept.getFileName() + "0", "x", "f".repeat(16))) {
      Files.write(spool.passing().resolve(name), new byte[3]);
    }
    start();
    assertThat(files()).containsExactly(kept);
  }
}
