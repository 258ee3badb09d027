package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Timestamp;
import org.junit.jupiter.api.Test;

class FirstNamesTest {
  private final FirstNames names = new FirstNames(2);

  @Test
  void aFileIsKnownUntilAllOfItsNamesHaveCome() {
    names.add(first(1, 3), null, FirstNames.State.OPEN);
    FirstNames.FirstName known = names.of(other(2, 1));
    assertThat(names.stateOf(known)).isEqualTo(FirstNames.State.OPEN);
    assertThat(names.settled(first(1, 3), null, new byte[] {7})).isSameAs(known);
    assertThat(names.of(other(3, 1))).isSameAs(known);
    assertThat(names.stateOf(known)).isEqualTo(FirstNames.State.THERE);
    assertThat(names.digestOf(known)).containsExactly(7);
    assertThat(names.of(other(4, 1))).as("a name too many").isNull();
  }

  @Test
  void whoseNamesHaveAllComeBeforeItIsThereIsStillTold() {
    names.add(first(1, 2), null, FirstNames.State.OPEN);
    FirstNames.FirstName known = names.of(other(2, 1));
    assertThat(names.settled(first(1, 2), ErrorCode.STORAGE_FULL, new byte[0])).isSameAs(known);
    assertThat(names.stateOf(known)).isEqualTo(FirstNames.State.FAILED);
    assertThat(names.failureOf(known)).isEqualTo(ErrorCode.STORAGE_FULL);
    assertThat(names.settled(first(1, 2), ErrorCode.STORAGE_FULL, new byte[0])).isNull();
  }

  @Test
  void afterAFailureTheNextNameIsAFileOfItsOwn() {
    names.add(first(1, 3), null, FirstNames.State.OPEN);
    names.settled(first(1, 3), ErrorCode.STORAGE_FULL, new byte[0]);
    assertThat(names.of(other(2, 1))).isNull();
  }

  @Test
  void nothingButTheSameFileIsLinked() {
    names.add(first(1, 3), null, FirstNames.State.THERE);
    assertThat(names.of(entry(2, 6, FileMetadata.NONE.withNames(1, 0)))).isNull();
    assertThat(names.of(other(3, 2))).isNull();
  }

  @Test
  void noMoreAreRememberedThanMayBe() {
    for (int id = 1; id <= 3; id++) {
      names.add(first(id, 2), null, FirstNames.State.THERE);
    }
    names.add(entry(4, 5, FileMetadata.NONE), null, FirstNames.State.THERE);
    assertThat(names.of(other(5, 1))).isNotNull();
    assertThat(names.of(other(6, 2))).isNotNull();
    assertThat(names.of(other(7, 3))).isNull();
    assertThat(names.of(other(8, 4))).isNull();
  }

  private static Entry first(long id, long count) {
    return entry(id, 5, FileMetadata.NONE.withNames(0, count));
  }

  private static Entry other(long id, long first) {
    return entry(id, 5, FileMetadata.NONE.withNames(first, 0));
  }

  private static Entry entry(long id, long size, FileMetadata metadata) {
    return new Entry(
        id,
        0,
        FileName.of("f" + id),
        EntryKind.FILE,
        size,
        0644,
        new Timestamp(1, 2),
        BytePath.EMPTY,
        FileStamp.NONE,
        metadata);
  }
}
