package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EntryTest {
  private static final Timestamp NOW = new Timestamp(1, 2);
  private static final BytePath TARGET = BytePath.of("../elsewhere");

  @ParameterizedTest
  @CsvSource({"0, 0", "-1, 0", "1, 1", "1, 2", "1, -1", "5, 5"})
  void aParentComesBeforeItsChildren(long id, long parentId) {
    assertThatThrownBy(() -> entry(id, parentId, EntryKind.FILE, 0, 0, BytePath.EMPTY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("entry " + id + " cannot have parent " + parentId);
  }

  @Test
  void onlyFilesHaveSizes() {
    assertThat(entry(1, 0, EntryKind.FILE, Long.MAX_VALUE, 0, BytePath.EMPTY).size())
        .isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> entry(1, 0, EntryKind.FILE, -1, 0, BytePath.EMPTY))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> entry(1, 0, EntryKind.DIRECTORY, 1, 0, BytePath.EMPTY))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> entry(1, 0, EntryKind.SYMLINK, 1, 0, TARGET))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void onlyPermissionBitsAreModes() {
    assertThat(entry(1, 0, EntryKind.FILE, 0, 07777, BytePath.EMPTY).mode()).isEqualTo(07777);
    assertThatThrownBy(() -> entry(1, 0, EntryKind.FILE, 0, 010000, BytePath.EMPTY))
        .hasMessage("mode 10000");
    assertThatThrownBy(() -> entry(1, 0, EntryKind.FILE, 0, -1, BytePath.EMPTY))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void linksAndOnlyLinksHaveTargets() {
    assertThat(entry(2, 1, EntryKind.SYMLINK, 0, 0777, TARGET).linkTarget()).isEqualTo(TARGET);
    assertThatThrownBy(() -> entry(1, 0, EntryKind.SYMLINK, 0, 0, BytePath.EMPTY))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> entry(1, 0, EntryKind.FILE, 0, 0, TARGET))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nanosecondsStayWithinTheirSecond() {
    assertThat(new Timestamp(Long.MIN_VALUE, 999_999_999).nanos()).isEqualTo(999_999_999);
    assertThatThrownBy(() -> new Timestamp(0, 1_000_000_000))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Timestamp(0, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aDestinationIsANewNameOnlyForOneThingThatIsNoDirectory() {
    Root file = new Root(FileName.of("f"), EntryKind.FILE, 0644, NOW);
    Root link = new Root(FileName.of("l"), EntryKind.SYMLINK, 0777, NOW);
    Root directory = new Root(FileName.of("d"), EntryKind.DIRECTORY, 0755, NOW);
    Root contents = new Root(null, EntryKind.DIRECTORY, 0755, NOW);
    assertThat(DestinationRule.isNewName(List.of(file), false, false)).isTrue();
    assertThat(DestinationRule.isNewName(List.of(link), false, false)).isTrue();
    assertThat(DestinationRule.isNewName(List.of(file), true, false)).isFalse();
    assertThat(DestinationRule.isNewName(List.of(file), false, true)).isFalse();
    assertThat(DestinationRule.isNewName(List.of(file, link), false, false)).isFalse();
    assertThat(DestinationRule.isNewName(List.of(directory), false, false)).isFalse();
    assertThat(DestinationRule.isNewName(List.of(contents), false, false)).isFalse();
    assertThat(DestinationRule.isNewName(List.of(), false, false)).isFalse();
    assertThat(contents.isContents()).isTrue();
    assertThat(directory.isContents()).isFalse();
  }

  private static Entry entry(
      long id, long parentId, EntryKind kind, long size, int mode, BytePath target) {
    return new Entry(id, parentId, FileName.of("name"), kind, size, mode, NOW, target);
  }
}
