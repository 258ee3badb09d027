package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FanCell;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of cells, whatever way they come. Each test ends with all buffers released. */
class FanOrderTest {
  private static final int SCHEDULES = Integer.getInteger("fdt.fan.schedules", 300);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private FanOrder order = new FanOrder(3);

  @AfterEach
  void nothingIsLeft() {
    order.release();
    order.release();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  private ByteBuf cell(long number, String bytes) {
    ByteBuf cell = allocator.directBuffer();
    new FanCell(number, bytes.length()).write(cell);
    cell.writeBytes(bytes.getBytes(StandardCharsets.US_ASCII));
    return cell;
  }

  private void add(int connection, long number, String bytes) throws FdtException {
    order.add(connection, cell(number, bytes));
  }

  /** All that can be handed on now. */
  private String taken() throws FdtException {
    StringBuilder text = new StringBuilder();
    for (ByteBuf bytes = order.next(); bytes != null; bytes = order.next()) {
      assertThat(bytes.isReadable()).isTrue();
      text.append(bytes.toString(StandardCharsets.US_ASCII));
      bytes.release();
    }
    return text.toString();
  }

  @Test
  void cellsAreHandedOnInOrder() throws FdtException {
    add(0, 0, "a");
    add(1, 1, "b");
    add(2, 2, "c");
    assertThat(taken()).isEqualTo("abc");
  }

  @Test
  void cellsInTheReverseOrderWaitForTheFirst() throws FdtException {
    add(2, 2, "c");
    add(1, 1, "b");
    assertThat(order.hasNext()).isFalse();
    assertThat(order.isAhead(2)).isTrue();
    assertThat(order.isAhead(0)).as("it owes the next cell").isFalse();

    add(0, 0, "a");
    assertThat(order.hasNext()).isTrue();
    assertThat(taken()).isEqualTo("abc");
    assertThat(order.isAhead(2)).isFalse();
  }

  @Test
  void bytesOfTheNextCellDoNotWaitForItsEnd() throws FdtException {
    ByteBuf whole = cell(0, "abcdef");
    for (int i = 0; i < FanCell.LENGTH + 2; i++) { // each byte of the header by itself
      order.add(1, whole.readRetainedSlice(1));
    }
    assertThat(taken()).isEqualTo("ab");
    order.add(1, whole);
    assertThat(taken()).isEqualTo("cdef");
  }

  @Test
  void severalCellsOfOneBufferAreHandedOnWithoutACopy() throws FdtException {
    ByteBuf both = allocator.directBuffer();
    for (long number = 0; number < 2; number++) {
      ByteBuf one = cell(number, "xyz");
      both.writeBytes(one);
      one.release();
    }
    order.add(0, both);

    ByteBuf first = order.next();
    ByteBuf second = order.next();
    assertThat(first.memoryAddress()).isEqualTo(both.memoryAddress() + FanCell.LENGTH);
    first.release();
    second.release();
    assertThat(both.refCnt()).isZero();
  }

  @Test
  void memoryThatWaitsIsThatOfTheBuffers() throws FdtException {
    ByteBuf small = cell(1, "b");
    ByteBuf large = allocator.directBuffer(4096, 4096);
    large.writeBytes(small);
    small.release();
    order.add(0, large);
    assertThat(order.waitingMemory(0)).isEqualTo(4096);

    add(1, 0, "a");
    assertThat(taken()).isEqualTo("ab");
    assertThat(order.waitingMemory(0)).isZero();
  }

  @Test
  void theEndComesWhenAllCellsHaveBeenHandedOn() throws FdtException {
    add(0, 0, "a");
    add(1, 2, ""); // the end, on the connection that had no cell
    add(0, 2, "");
    assertThat(order.isClosing()).isTrue();
    assertThat(taken()).isEqualTo("a");
    assertThat(order.isEnded()).isFalse();

    add(2, 1, "b");
    assertThat(taken()).isEqualTo("b");
    assertThat(order.isEnded()).isTrue();
    add(2, 2, "");
  }

  @Test
  void aConnectionIsWholeBehindItsEndOrACompleteCellThatWaits() throws FdtException {
    assertThat(order.isWhole(0)).isFalse();
    ByteBuf late = cell(1, "bb");
    order.add(0, late.readRetainedSlice(FanCell.LENGTH + 1));
    assertThat(order.isWhole(0)).isFalse();
    order.add(0, late);
    assertThat(order.isWhole(0)).isTrue();

    add(1, 0, "a");
    assertThat(taken()).isEqualTo("abb");
    assertThat(order.isWhole(0)).as("its cells are used up").isFalse();
    add(0, 2, "");
    assertThat(order.isWhole(0)).isTrue();
  }

  // Violations

  private void assertRefused(int connection, long number, String bytes, String why) {
    assertThatThrownBy(() -> add(connection, number, bytes))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL))
        .hasMessageContaining(why);
  }

  @Test
  void aCellThatHasComeIsRefused() throws FdtException {
    add(0, 0, "a");
    assertThat(taken()).isEqualTo("a");
    assertRefused(1, 0, "a", "again");
  }

  @Test
  void aNumberTwiceOnOneConnectionIsRefused() throws FdtException {
    add(0, 1, "b");
    add(0, 1, "b");
    add(1, 0, "a");
    assertThatThrownBy(this::taken).hasMessageContaining("again");
  }

  @Test
  void numbersOfOneConnectionThatDecreaseAreRefused() throws FdtException {
    add(0, 0, "a");
    add(0, 5, "f");
    assertThat(taken()).isEqualTo("a");
    add(0, 3, "d");
    add(1, 1, "b");
    add(1, 2, "c");
    add(1, 3, "d");
    add(1, 4, "e");
    assertThatThrownBy(this::taken).hasMessageContaining("again");
  }

  @Test
  void aNumberThatTwoConnectionsBringIsRefusedWhenItsTurnHasPassed() throws FdtException {
    add(0, 1, "b");
    add(1, 1, "x");
    add(2, 0, "a");
    add(2, 2, "c");
    assertThatThrownBy(this::taken).hasMessageContaining("late");
  }

  @Test
  void aNumberTooFarAheadIsRefused() {
    assertRefused(0, FanOrder.MOST_AHEAD + 1, "a", "too far ahead");
  }

  @Test
  void aCellThatNobodyCanBringAnyMoreIsAViolation() throws FdtException {
    add(0, 3, "d");
    add(1, 2, "c");
    assertRefused(2, 1, "b", "no connection brings cell 0");
  }

  @Test
  void bytesBehindTheEndAreRefused() throws FdtException {
    add(0, 1, "");
    assertRefused(0, 0, "a", "behind the end");
  }

  @Test
  void aCellThatTheEndDoesNotCountIsRefused() throws FdtException {
    add(0, 1, "");
    assertRefused(1, 1, "b", "cell 1 of 1 cells");
  }

  @Test
  void anEndBeforeACellThatHasComeIsRefused() throws FdtException {
    add(0, 2, "c");
    assertRefused(1, 1, "", "behind cell 2");
  }

  @Test
  void twoEndsAreRefused() throws FdtException {
    add(0, 1, "");
    assertRefused(1, 2, "", "two ends");
  }

  @Test
  void aCellThatIsTooLongIsRefusedBeforeItsBytesCome() {
    ByteBuf header = allocator.directBuffer();
    header.writeLong(0).writeInt(FanCell.MAX_BYTES + 1);
    assertThatThrownBy(() -> order.add(0, header)).hasMessageContaining("length=65537");
  }

  // Random schedules

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8, 64})
  void whateverTheScheduleTheStreamIsTheSame(int connections) throws FdtException {
    for (int schedule = 0; schedule < SCHEDULES / 10; schedule++) {
      long seed = 1000L * connections + schedule;
      try {
        runSchedule(new Random(seed), connections);
      } catch (FdtException | RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private void runSchedule(Random random, int connections) throws FdtException {
    order = new FanOrder(connections);
    byte[] stream = new byte[random.nextInt(20_000)];
    random.nextBytes(stream);
    List<ByteBuf> wires = cut(stream, random, connections);
    ByteBuf arrived = allocator.directBuffer(stream.length + 1);
    while (!order.isEnded()) {
      step(wires, random, connections);
      int most = random.nextInt(4);
      for (int i = 0; i < most && order.hasNext(); i++) {
        ByteBuf bytes = order.next();
        arrived.writeBytes(bytes);
        bytes.release();
      }
    }
    byte[] bytes = new byte[arrived.readableBytes()];
    arrived.readBytes(bytes).release();
    wires.forEach(ByteBuf::release);
    order.release();
    assertThat(bytes).isEqualTo(stream);
  }

  /** Brings more on any connection that is not ahead with much: one of them always helps. */
  private void step(List<ByteBuf> wires, Random random, int connections) throws FdtException {
    List<Integer> read = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      boolean isHeld = order.isAhead(i) && order.waitingMemory(i) >= 500;
      if (!isHeld && wires.get(i).isReadable()) {
        read.add(i);
      }
    }
    if (read.isEmpty()) {
      assertThat(order.hasNext() || order.isEnded()).as("nothing can be done").isTrue();
      return;
    }
    int at = read.get(random.nextInt(read.size()));
    int length = 1 + random.nextInt(Math.min(700, wires.get(at).readableBytes()));
    order.add(at, wires.get(at).readBytes(length));
  }

  private List<ByteBuf> cut(byte[] stream, Random random, int connections) {
    List<ByteBuf> wires = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      wires.add(allocator.directBuffer());
    }
    long number = 0;
    for (int at = 0; at < stream.length; ) {
      int length = Math.min(stream.length - at, 1 + random.nextInt(900));
      ByteBuf wire = wires.get(random.nextInt(connections));
      new FanCell(number++, length).write(wire);
      wire.writeBytes(stream, at, length);
      at += length;
    }
    for (ByteBuf wire : wires) {
      new FanCell(number, 0).write(wire);
    }
    return wires;
  }

  // The other side: which connection gets a cell

  @Test
  void noConnectionIsChosenWhereNoneTakesACell() {
    assertThat(new FanChoice(3).next(i -> false)).isEqualTo(-1);
  }

  @Test
  void ofEqualConnectionsEachGetsItsTurn() {
    FanChoice choice = new FanChoice(3);
    List<Integer> chosen = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      chosen.add(choice.next(at -> at != 1 || chosen.size() > 2));
    }
    assertThat(chosen).containsExactly(0, 2, 0, 1, 2, 0);
  }

  /** A connection that sends half as fast has half as many cells in the end. */
  @Test
  void aSlowConnectionGetsFewerCells() {
    FanChoice choice = new FanChoice(2);
    long[] unsent = new long[2];
    int[] cells = new int[2];
    for (int tick = 0; tick < 3000; tick++) {
      unsent[0] = Math.max(0, unsent[0] - 2);
      unsent[1] = Math.max(0, unsent[1] - 1);
      int at = choice.next(i -> unsent[i] == 0);
      if (at >= 0) {
        unsent[at] = 64;
        cells[at]++;
      }
    }
    assertThat((double) cells[0] / cells[1]).isBetween(1.8, 2.2);
  }
}
