package io.fdt.core.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Compression;
import io.fdt.core.model.Delta;
import io.fdt.core.model.DirectIo;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.NameRule;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.model.Tuning;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.control.TransferSpecOrBuilder;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One value for what a transfer is: checked once, and the same after it was bytes. */
class TransferSpecTest {
  private static final Selection SOME =
      new Selection(
          List.of(new Selection.Rule(new NamePattern(BytePath.of("*.tmp")), false)),
          1,
          1000,
          new Timestamp(1, 2),
          new Timestamp(3, 4),
          7,
          true,
          true);

  /** Every option is another one than by default. */
  private static TransferSpec unusual() {
    return TransferSpec.builder()
        .source(new Operand(BytePath.of("/data/a"), Optional.of(BytePath.of("b/"))))
        .source(Operand.of(BytePath.of(new byte[] {'x', (byte) 0xff})))
        .destination("/in/here")
        .destinationIsDirectory(true)
        .recursive(true)
        .selection(SOME)
        .changing(Changing.COPY)
        .names(NameRule.ENCODE)
        .delta(Delta.ALWAYS)
        .directIo(DirectIo.ON)
        .sync(new SyncRule(SyncRule.Level.CHECKSUM, true))
        .dryRun(true)
        .delete(true)
        .maxDelete(12)
        .deleteFromEmpty(true)
        .backups(BytePath.of("old"))
        .deltaFrom(BytePath.of("older"))
        .preservation(
            new Preservation(EnumSet.allOf(Preservation.Aspect.class), Preservation.Links.SKIP))
        .checksum(Checksum.BLAKE3)
        .verify(true)
        .fsync(true)
        .tuneStreams()
        .startStreams(9)
        .tuneReaders()
        .congestion("bbr")
        .readersPerDisk(3)
        .writersPerDisk(5)
        .blockSize(ByteSize.ofBytes(1 << 16))
        .socketBuffer(ByteSize.ofBytes(1 << 18))
        .rateLimit(RateSchedule.parse("Mon-Fri 09:00-18:00=100M,else=1G"))
        .compression(Compression.parse("zstd:7"))
        .build();
  }

  private static TransferSpec part() {
    return TransferSpec.builder()
        .source("/data/a")
        .destination("b")
        .part(new FilePart(7, OptionalLong.of(0)))
        .build();
  }

  private static TransferSpec range() {
    return TransferSpec.builder()
        .source("/data/a")
        .destination("b")
        .part(new FileCut(5L << 20, 2 << 20).part(2))
        .build();
  }

  static List<TransferSpec> specs() {
    return List.of(unusual(), part(), range(), TransferSpec.builder().build());
  }

  /** Who receives a range writes it to its place, unless the whole file is there. */
  @Test
  void aReceiverKnowsItsRange() {
    assertThat(range().forReceiver().part()).isEqualTo(range().part());
    assertThat(range().forReceiver().sync()).isEqualTo(SyncRule.DEFAULT);
    assertThat(part().forReceiver().part().isWhole()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("specs")
  void isTheSameAfterItWasBytes(TransferSpec spec) throws FdtException {
    assertThat(TransferSpecCoding.ofBytes(TransferSpecCoding.toBytes(spec))).isEqualTo(spec);
  }

  @ParameterizedTest
  @MethodSource("specs")
  void isTheSameOutOfItsOwnBuilder(TransferSpec spec) {
    assertThat(spec.toBuilder().build()).isEqualTo(spec);
  }

  /** Otherwise a new option could be forgotten in the test above. */
  @Test
  void theUnusualOneDiffersInEveryOptionButThePart() throws Exception {
    var usual = TransferSpecCoding.encode(TransferSpec.builder().build());
    var unusual = TransferSpecCoding.encode(unusual());
    int options = 0;
    for (Method getter : TransferSpecOrBuilder.class.getDeclaredMethods()) {
      boolean isOption =
          getter.getParameterCount() == 0
              && getter.getName().matches("get.*(?<!Bytes|Value|ValueList|Count|Part|Version)");
      if (isOption) {
        options++;
        assertThat(getter.invoke(unusual)).as(getter.getName()).isNotEqualTo(getter.invoke(usual));
      }
    }
    assertThat(options).isGreaterThanOrEqualTo(30);
  }

  @Test
  void bytesOfALaterReleaseAreRefusedAndSoIsRubbish() {
    byte[] later =
        TransferSpecCoding.encode(unusual()).toBuilder()
            .setVersion(TransferSpecCoding.VERSION + 1)
            .build()
            .toByteArray();
    assertRefused(later, "version 2");
    assertRefused(new byte[0], "version 0");
    assertRefused(new byte[] {(byte) 0xff}, "the description of the transfer is malformed");
  }

  @Test
  void nobodyAsksForBlocksOutOfTheirRange() {
    for (int size : new int[] {0, TransferSpec.MIN_BLOCK - 1, TransferSpec.MAX_BLOCK + 1, -1}) {
      byte[] bytes =
          TransferSpecCoding.encode(unusual()).toBuilder().setBlockSize(size).build().toByteArray();
      assertRefused(bytes, "block size " + size);
    }
  }

  private static void assertRefused(byte[] bytes, String why) {
    assertThatThrownBy(() -> TransferSpecCoding.ofBytes(bytes))
        .hasMessageContaining(why)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  static List<UnaryOperator<TransferSpec.Builder>> contradictions() {
    return List.of(
        spec -> spec.verify(true).checksum(Checksum.NONE),
        spec -> spec.sync(new SyncRule(SyncRule.Level.CHECKSUM, false)).checksum(Checksum.NONE),
        spec ->
            spec.delete(true)
                .preservation(Preservation.DEFAULT.withLinks(Preservation.Links.FOLLOW)),
        spec -> spec.part(new FilePart(1, OptionalLong.empty())).recursive(true),
        spec -> spec.part(range().part()).dryRun(true),
        spec -> spec.part(range().part()).changing(Changing.COPY),
        spec -> spec.part(range().part()).sync(new SyncRule(SyncRule.Level.CHECKSUM, false)),
        spec -> spec.part(new FilePart(1, OptionalLong.empty())).source("a").source("b"),
        spec -> spec.streams(0),
        spec -> spec.streams(129),
        spec -> spec.startStreams(0),
        spec -> spec.readersPerDisk(65),
        spec -> spec.writersPerDisk(0),
        spec -> spec.blockSize(ByteSize.ofBytes(4095)),
        spec -> spec.blockSize(ByteSize.ofBytes((64 << 20) + 1)),
        spec -> spec.socketBuffer(ByteSize.ofBytes((1 << 30) + 1L)),
        spec -> spec.maxDelete(-1),
        spec -> spec.congestion("no such name"),
        spec -> spec.backups(BytePath.of("x".repeat(4097))),
        spec -> spec.deltaFrom(BytePath.of("x".repeat(4097))),
        spec -> spec.deltaFrom(BytePath.of("older")).delta(Delta.OFF),
        spec -> {
          Operand[] many = new Operand[100_001];
          Arrays.fill(many, Operand.of(BytePath.of("a")));
          return spec.sources(List.of(many));
        });
  }

  @ParameterizedTest
  @MethodSource("contradictions")
  void optionsThatCannotBeAreRefused(UnaryOperator<TransferSpec.Builder> say) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> say.apply(TransferSpec.builder()).build());
  }

  @Test
  void eachEndIsToldWhatItNeedsAndNoMore() {
    TransferSpec sender = unusual().forSender();
    assertThat(sender.sources()).isEqualTo(unusual().sources());
    assertThat(sender.destination()).isEqualTo(BytePath.EMPTY);
    assertThat(sender.backups()).isEmpty();
    assertThat(sender.deltaFrom()).isEmpty();
    TransferSpec receiver = unusual().forReceiver();
    assertThat(receiver.sources()).isEmpty();
    assertThat(receiver.destination()).isEqualTo(unusual().destination());
    assertThat(receiver.selection()).as("a deletion spares what it leaves out").isEqualTo(SOME);
    assertThat(unusual().toBuilder().delete(false).build().forReceiver().selection())
        .isEqualTo(Selection.ALL);
    assertThat(part().forReceiver().sync().level())
        .as("nothing tells which part is there")
        .isEqualTo(SyncRule.Level.NEVER);
    assertThat(List.of(sender.rateLimit(), receiver.rateLimit())).containsOnly(RateSchedule.NONE);
  }

  /** A block that takes longer than 2 s looks like a stall. */
  @Test
  void aSlowTransferHasSmallBlocks() {
    assertThat(slow("1 MB/s").blockSize()).isEqualTo(1 << 20);
    assertThat(slow("100 kB/s").blockSize()).isEqualTo(128 << 10);
    assertThat(slow("1 kB/s").blockSize()).isEqualTo(TransferSpec.MIN_BLOCK);
  }

  private static TransferSpec slow(String rate) {
    return TransferSpec.builder().rateLimit(BitRate.parse(rate)).build();
  }

  @Test
  void onALongPathStreamsAndCongestionControlAreTunedUnlessTheyAreChosen() {
    TransferSpec tuned = TransferSpec.builder().build().tunedWithin(12);
    assertThat(tuned.streams()).isEqualTo(12);
    assertThat(tuned.streamsChosen()).isFalse();
    assertThat(tuned.tuning()).isEqualTo(new Tuning(true, 0, false, Tuning.AUTO));
    TransferSpec cubic = TransferSpec.builder().congestion("cubic").build().tunedWithin(12);
    assertThat(cubic.tuning()).isEqualTo(new Tuning(true, 0, false, "cubic"));
  }
}
