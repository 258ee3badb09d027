package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SourceVersionTest {
  @Test
  void theVersionOfAnEntryIsItsSizeItsTimeAndItsIdentity() {
    Timestamp modified = new Timestamp(1_700_000_000L, 5);
    Entry entry =
        new Entry(
            1,
            Entry.ROOT,
            FileName.of("file"),
            EntryKind.FILE,
            5L << 32,
            0644,
            modified,
            BytePath.EMPTY,
            77);

    assertThat(SourceVersion.of(entry)).isEqualTo(new SourceVersion(5L << 32, modified, 77));
  }
}
