package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The source has a file or link of 10 bytes, modified at second 5. */
class SyncRuleTest {
  @ParameterizedTest
  @CsvSource({
    // level, update, kind at the source, kind there, size there, modified there, stays
    "MTIME, false, FILE, FILE, 10, 5, true",
    "MTIME, false, FILE, FILE, 10, 6, false",
    "MTIME, false, FILE, FILE, 10, 4, false",
    "MTIME, false, FILE, FILE, 11, 5, false",
    "MTIME, false, FILE, SYMLINK, 10, 5, false",
    "MTIME, false, SYMLINK, FILE, 10, 5, false",
    "MTIME, false, SYMLINK, SYMLINK, 10, 5, false",
    "MTIME, true, FILE, FILE, 99, 6, true",
    "MTIME, true, FILE, FILE, 99, 5, false",
    "MTIME, true, FILE, FILE, 10, 4, false",
    "MTIME, true, SYMLINK, FILE, 99, 6, true",
    "SIZE, false, FILE, FILE, 10, 1, true",
    "SIZE, false, FILE, FILE, 11, 5, false",
    "SIZE, true, FILE, FILE, 11, 6, true",
    "EXISTS, false, FILE, FILE, 11, 1, true",
    "EXISTS, false, FILE, SYMLINK, 1, 1, true",
    "EXISTS, false, FILE, , 1, 1, true",
    "EXISTS, false, SYMLINK, FILE, 1, 1, true",
    "EXISTS, true, FILE, DIRECTORY, 10, 6, false"
  })
  void whatStays(
      SyncRule.Level level,
      boolean update,
      EntryKind source,
      EntryKind there,
      long size,
      long modified,
      boolean stays) {
    Entry entry =
        new Entry(
            1,
            Entry.ROOT,
            FileName.of("x"),
            source,
            source == EntryKind.FILE ? 10 : 0,
            0644,
            new Timestamp(5, 0),
            source == EntryKind.SYMLINK ? BytePath.of("y") : BytePath.EMPTY,
            0);

    assertThat(new SyncRule(level, update).keeps(entry, there, size, new Timestamp(modified, 0)))
        .isEqualTo(stays);
  }
}
