package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Names that came with a manifest, and those that did not. */
class KnownNamesTest {
  private static final int MANY = 4_000_000;

  private final KnownNames names = new KnownNames(new SplittableRandom(7));

  private static Entry entry(long id, long parent, String name, EntryKind kind) {
    return new Entry(
        id, parent, FileName.of(name), kind, 0, 0644, new Timestamp(1, 0), BytePath.EMPTY);
  }

  private boolean knows(String... path) {
    List<FileName> all = java.util.Arrays.stream(path).map(FileName::of).toList();
    return names.contains(all.subList(0, all.size() - 1), all.get(all.size() - 1));
  }

  @Test
  void aNameIsKnownWhereItCameAndNowhereElse() {
    names.add(entry(1, Entry.ROOT, "a", EntryKind.DIRECTORY));
    names.add(entry(2, 1, "b", EntryKind.DIRECTORY));
    names.add(entry(3, 2, "c", EntryKind.FILE));
    names.ended(2);
    names.add(entry(4, Entry.ROOT, "ab", EntryKind.FILE));

    assertThat(knows("a")).isTrue();
    assertThat(knows("a", "b")).isTrue();
    assertThat(knows("a", "b", "c")).isTrue();
    assertThat(knows("ab")).isTrue();
    assertThat(knows("b")).isFalse();
    assertThat(knows("c")).isFalse();
    assertThat(knows("a", "c")).isFalse();
    assertThat(knows("a", "ab")).isFalse();
    assertThat(knows("ab", "c")).isFalse();
  }

  private boolean spells(String... path) {
    List<FileName> all = java.util.Arrays.stream(path).map(FileName::of).toList();
    return names.mayContainSpelling(all.subList(0, all.size() - 1), all.get(all.size() - 1));
  }

  /** Otherwise a deletion would leave what only looks like a name of the source. */
  @Test
  void anotherSpellingOfANameIsNoKnownName() {
    names.add(entry(1, Entry.ROOT, "Data", EntryKind.DIRECTORY));
    names.add(entry(2, 1, "plain", EntryKind.FILE));
    names.add(entry(3, Entry.ROOT, "small", EntryKind.FILE));

    assertThat(knows("data")).isFalse();
    assertThat(knows("data", "plain")).isFalse();
    assertThat(knows("Small")).isFalse();
    assertThat(spells("data")).isTrue();
    assertThat(spells("DATA", "Plain")).isTrue();
    assertThat(spells("SMALL")).isTrue();
    assertThat(spells("other")).isFalse();
  }

  @Test
  void twoDirectoriesThatArriveAsOneAreOne() {
    names.add(entry(1, Entry.ROOT, "a", EntryKind.DIRECTORY));
    names.add(entry(2, 1, "x", EntryKind.FILE));
    names.add(entry(3, Entry.ROOT, "a", EntryKind.DIRECTORY));
    names.add(entry(4, 3, "y", EntryKind.FILE));

    assertThat(knows("a", "x")).isTrue();
    assertThat(knows("a", "y")).isTrue();
  }

  @Test
  void beyondTheMemoryThatItMayHaveNamesAreNotKnownAndNoneIsTakenForAnother() {
    for (int i = 1; i <= MANY; i++) {
      names.add(entry(i, Entry.ROOT, "f" + i, EntryKind.FILE));
    }
    int known = 0;
    for (int i = 1; i <= MANY; i++) {
      known += knows("f" + i) ? 1 : 0;
    }
    assertThat(known).isEqualTo((int) (KnownNames.MAX_BYTES / Long.BYTES) / 4 * 3);
    for (int i = 1; i <= 100_000; i++) {
      assertThat(knows("g" + i)).isFalse();
    }
  }
}
