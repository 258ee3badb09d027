package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RangeSetTest {
  private static final long BLOCK = 1 << 20;

  private final RangeSet set = new RangeSet();

  @Test
  void aNewSetHoldsNothing() {
    assertThat(set.ranges()).isEmpty();
    assertThat(set.covered()).isZero();
    assertThat(set.missing(10)).containsExactly(new Range(0, 10));
    assertThat(set.contains(0, 0)).isTrue();
    assertThat(set.contains(0, 1)).isFalse();
    assertThat(set.missing(0)).isEmpty();
  }

  @Test
  void blocksInOrderStayOneRange() {
    for (long i = 0; i < 10_000; i++) {
      assertThat(set.add(i * BLOCK, (i + 1) * BLOCK)).isEqualTo(BLOCK);
    }
    assertThat(set.ranges()).containsExactly(new Range(0, 10_000 * BLOCK));
    assertThat(set.contains(0, 10_000 * BLOCK)).isTrue();
  }

  @Test
  void blocksInReverseOrderStayOneRange() {
    for (long i = 10_000; i-- > 0; ) {
      assertThat(set.add(i * BLOCK, (i + 1) * BLOCK)).isEqualTo(BLOCK);
      assertThat(set.count()).isEqualTo(1);
    }
    assertThat(set.contains(0, 10_000 * BLOCK)).isTrue();
  }

  @Test
  void everySecondBlockFirstThenTheOthersMergeIntoOne() {
    for (long i = 0; i < 5_000; i++) {
      set.add(2 * i, 2 * i + 1);
    }
    assertThat(set.count()).isEqualTo(5_000);
    assertThat(set.missing(10_000)).hasSize(5_000).contains(new Range(9_999, 10_000));
    for (long i = 0; i < 5_000; i++) {
      assertThat(set.add(2 * i + 1, 2 * i + 2)).isEqualTo(1);
    }
    assertThat(set.ranges()).containsExactly(new Range(0, 10_000));
  }

  @Test
  void randomOrderOfBlocksEndsComplete() {
    List<Long> blocks = new ArrayList<>();
    for (long i = 0; i < 5_000; i++) {
      blocks.add(i);
    }
    Collections.shuffle(blocks, new Random(5));
    for (long block : blocks) {
      assertThat(set.contains(0, 5_000 * BLOCK)).isFalse();
      set.add(block * BLOCK, (block + 1) * BLOCK);
    }
    assertThat(set.contains(0, 5_000 * BLOCK)).isTrue();
    assertThat(set.missing(5_000 * BLOCK)).isEmpty();
  }

  @Test
  void aDuplicateBlockBringsNothingNew() {
    set.add(10, 20);
    assertThat(set.add(10, 20)).isZero();
    assertThat(set.add(12, 18)).isZero();
    assertThat(set.add(10, 11)).isZero();
    assertThat(set.add(19, 20)).isZero();
    assertThat(set.covered()).isEqualTo(10);
  }

  @Test
  void overlapsCountOnlyWhatIsNew() {
    set.add(10, 20);
    set.add(30, 40);
    assertThat(set.add(15, 35)).isEqualTo(10);
    assertThat(set.ranges()).containsExactly(new Range(10, 40));
    assertThat(set.add(0, 100)).isEqualTo(70);
    assertThat(set.ranges()).containsExactly(new Range(0, 100));
  }

  @Test
  void touchingRangesMergeOnEitherSideAndOneByteApartTheyDoNot() {
    set.add(10, 20);
    set.add(20, 30);
    set.add(5, 10);
    assertThat(set.ranges()).containsExactly(new Range(5, 30));
    set.add(31, 32);
    set.add(3, 4);
    assertThat(set.ranges()).containsExactly(new Range(3, 4), new Range(5, 30), new Range(31, 32));
  }

  @Test
  void oneRangeCanSwallowMany() {
    for (int i = 0; i < 10; i++) {
      set.add(10L * i, 10L * i + 3);
    }
    assertThat(set.add(11, 92)).isEqualTo(81 - 7 * 3 - 2 - 2);
    assertThat(set.ranges()).containsExactly(new Range(0, 3), new Range(10, 93));
  }

  @Test
  void emptyRangesChangeNothing() {
    assertThat(set.add(5, 5)).isZero();
    assertThat(set.count()).isZero();
    assertThat(set.contains(7, 7)).isTrue();
    set.add(0, 10);
    assertThat(set.intersects(5, 5)).isFalse();
  }

  @Test
  void containsAndIntersectsKnowTheEdges() {
    set.add(10, 20);
    assertThat(set.contains(10, 20)).isTrue();
    assertThat(set.contains(9, 20)).isFalse();
    assertThat(set.contains(10, 21)).isFalse();
    assertThat(set.intersects(0, 10)).isFalse();
    assertThat(set.intersects(0, 11)).isTrue();
    assertThat(set.intersects(19, 30)).isTrue();
    assertThat(set.intersects(20, 30)).isFalse();
    assertThat(set.intersects(0, 30)).isTrue();
  }

  @Test
  void missingStopsAtTheSize() {
    set.add(10, 20);
    set.add(30, 40);
    assertThat(set.missing(35)).containsExactly(new Range(0, 10), new Range(20, 30));
    assertThat(set.missing(25)).containsExactly(new Range(0, 10), new Range(20, 25));
    assertThat(set.missing(5)).containsExactly(new Range(0, 5));
    assertThat(set.missing(50))
        .containsExactly(new Range(0, 10), new Range(20, 30), new Range(40, 50));
  }

  @Test
  void offsetsGoUpToTheLargestLong() {
    long end = Long.MAX_VALUE;
    assertThat(set.add(end - 1, end)).isEqualTo(1);
    assertThat(set.add(0, end)).isEqualTo(end - 1);
    assertThat(set.contains(0, end)).isTrue();
    assertThat(set.intersects(end - 1, end)).isTrue();
  }

  @Test
  void rangesThatAreNoneAreRefused() {
    assertThatThrownBy(() -> set.add(-1, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("range [-1, 5)");
    assertThatThrownBy(() -> set.add(6, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> set.contains(6, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> set.intersects(-6, -5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> set.contains(0, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Range(6, 5)).hasMessage("range [6, 5)");
    assertThatThrownBy(() -> new Range(-1, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThat(new Range(5, 5).length()).isZero();
    assertThat(set.count()).isZero();
  }

  @Test
  void snapshotsDoNotFollowLaterChanges() {
    set.add(0, 5);
    List<Range> before = set.ranges();
    set.add(5, 10);
    assertThat(before).containsExactly(new Range(0, 5));
    assertThat(set).hasToString("[[0, 10)]");
  }

  /** Against a set of single bytes, with ranges that mostly meet or touch each other. */
  @Test
  void anySequenceAgreesWithABitSet() {
    long seed = 20261121;
    Random random = new Random(seed);
    for (int round = 0; round < 5_000; round++) {
      int size = 1 + random.nextInt(60);
      RangeSet ranges = new RangeSet();
      BitSet model = new BitSet();
      for (int step = 0; step < 25; step++) {
        String description = "seed " + seed + " round " + round + " step " + step;
        int start = random.nextInt(size + 1);
        int end = start + random.nextInt(Math.min(8, size - start + 1));
        int before = model.cardinality();
        if (random.nextInt(4) == 0) {
          model.clear(start, end);
          assertThat(ranges.remove(start, end))
              .as(description)
              .isEqualTo(before - model.cardinality());
        } else {
          model.set(start, end);
          assertThat(ranges.add(start, end))
              .as(description)
              .isEqualTo(model.cardinality() - before);
        }
        check(ranges, model, size, random, description);
      }
    }
  }

  private static void check(
      RangeSet ranges, BitSet model, int size, Random random, String description) {
    List<Range> runs = new ArrayList<>();
    for (int from = model.nextSetBit(0); from >= 0; ) {
      int to = model.nextClearBit(from);
      runs.add(new Range(from, to));
      from = model.nextSetBit(to);
    }
    List<Range> gaps = new ArrayList<>();
    for (int from = model.nextClearBit(0); from < size; ) {
      int to = model.nextSetBit(from);
      gaps.add(new Range(from, to < 0 ? size : Math.min(to, size)));
      from = to < 0 ? size : model.nextClearBit(to);
    }
    assertThat(ranges.ranges()).as(description).isEqualTo(runs);
    assertThat(ranges.missing(size)).as(description).isEqualTo(gaps);
    assertThat(ranges.covered()).as(description).isEqualTo(model.cardinality());
    assertThat(ranges.contains(0, size)).as(description).isEqualTo(gaps.isEmpty());
    int start = random.nextInt(size + 1);
    int end = start + random.nextInt(size - start + 1);
    int inside = model.get(start, end).cardinality();
    assertThat(ranges.contains(start, end)).as(description).isEqualTo(inside == end - start);
    assertThat(ranges.intersects(start, end)).as(description).isEqualTo(inside > 0);
  }
}
