package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where the files for a quick start are; the end-to-end tests have the rest. */
class StartCacheTest {
  @Test
  void placeIsInTheCacheDirectoryOfTheUser() {
    assertThat(StartCache.place(Map.of(), "/home/a")).isEqualTo(Path.of("/home/a/.cache/fdt"));
    assertThat(StartCache.place(Map.of("XDG_CACHE_HOME", "/c"), "/home/a"))
        .isEqualTo(Path.of("/c/fdt"));
    assertThat(StartCache.place(Map.of("XDG_CACHE_HOME", "c"), "/home/a"))
        .as("a relative one does not count")
        .isEqualTo(Path.of("/home/a/.cache/fdt"));
    assertThat(StartCache.place(Map.of("FDT_CACHE", "/x", "XDG_CACHE_HOME", "/c"), "/home/a"))
        .isEqualTo(Path.of("/x"));
  }

  @Test
  void noPlaceWhenSwitchedOffOrWithoutHome() {
    assertThat(StartCache.place(Map.of("FDT_CACHE", "off"), "/home/a")).isNull();
    assertThat(StartCache.place(Map.of(), "?")).isNull();
  }
}
