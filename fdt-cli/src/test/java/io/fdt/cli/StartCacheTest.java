package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  @Test
  void oldOnesAreRemovedWhenNewOnesAreMade(@TempDir Path root) throws Exception {
    Path jar = Files.writeString(root.resolve("fdt.jar"), "a jar");
    Path place = root.resolve("caches");
    StartCache cache = StartCache.make(place);
    for (int i = 0; i < 5; i++) {
      Path old = Files.createDirectory(place.resolve("start-0000000" + i));
      Path itsJar = i == 4 ? root.resolve("gone.jar") : jar;
      Files.writeString(old.resolve("fdt.jsa.stamp"), "17\n" + itsJar + "\n1 1\n");
      setAge(old, Duration.ofDays(10 - i));
    }
    Path left = Files.createDirectory(place.resolve("making-1"));
    setAge(left, Duration.ofHours(2));

    cache.make(
        jar,
        (made, directory, later) ->
            Files.writeString(directory.resolve("fdt.jsa.stamp"), StartFiles.stamp(made)));

    try (Stream<Path> all = Files.list(place)) {
      assertThat(all.map(path -> path.getFileName().toString()))
          .hasSize(3)
          .contains("start-00000003", "start-00000002")
          .allMatch(name -> name.startsWith("start-"));
    }
  }

  private static void setAge(Path path, Duration age) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(age)));
  }
}
