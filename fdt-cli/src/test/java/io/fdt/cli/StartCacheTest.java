package io.fdt.cli;

import static java.nio.file.attribute.PosixFilePermission.GROUP_WRITE;
import static java.nio.file.attribute.PosixFilePermission.OTHERS_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
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

  @Test
  void twoMakersAtOnceLeaveTheFilesOfOne(@TempDir Path root) throws Exception {
    Path jar = Files.writeString(root.resolve("fdt.jar"), "a jar");
    Path place = root.resolve("caches");
    StartCache cache = StartCache.make(place);
    CyclicBarrier bothHaveMade = new CyclicBarrier(2);
    StartCache.Maker maker =
        (made, directory, later) -> {
          Files.writeString(directory.resolve("fdt.jsa"), "an archive");
          Files.createDirectory(directory.resolve("fdt.native"));
          Files.writeString(directory.resolve("fdt.jsa.stamp"), StartFiles.stamp(made));
          try {
            bothHaveMade.await(60, TimeUnit.SECONDS);
          } catch (BrokenBarrierException | TimeoutException e) {
            throw new IOException(e);
          }
        };
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> make(cache, jar, maker));
    make(cache, jar, maker);
    other.get(60, TimeUnit.SECONDS);

    try (Stream<Path> all = Files.list(place)) {
      assertThat(all.map(path -> path.getFileName().toString()))
          .singleElement()
          .asString()
          .startsWith("start-");
    }
    assertThat(cache.find(jar).archive()).hasContent("an archive");
  }

  private static void make(StartCache cache, Path jar, StartCache.Maker maker) {
    try {
      cache.make(jar, maker);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void filesThatOthersCanChangeAreNotUsed(@TempDir Path root) throws Exception {
    Path place = root.resolve("caches").resolve("fdt");
    Path jar = Files.writeString(root.resolve("fdt.jar"), "a jar");
    Path made = make(place, jar);
    List<Path> all =
        List.of(
            made.resolve("fdt.jsa"), made.resolve("fdt.jsa.stamp"), made, place, place.getParent());
    assertThat(find(place, jar).archive()).isEqualTo(made.resolve("fdt.jsa"));

    for (Path path : all) {
      Set<PosixFilePermission> usual = Files.getPosixFilePermissions(path);
      for (PosixFilePermission more : List.of(GROUP_WRITE, OTHERS_WRITE)) {
        Set<PosixFilePermission> open = new HashSet<>(usual);
        open.add(more);
        Files.setPosixFilePermissions(path, open);
        assertThat(find(place, jar)).as("%s: %s", path, open).isNull();
      }
      Files.setPosixFilePermissions(path, usual);
      assertThat(find(place, jar)).as("%s", path).isNotNull();
    }
    if (System.getProperty("user.name").equals("root")) {
      for (Path path : all) {
        Files.setAttribute(path, "unix:uid", 65534);
        assertThat(find(place, jar)).as("%s of another user", path).isNull();
        Files.setAttribute(path, "unix:uid", 0);
        assertThat(find(place, jar)).as("%s", path).isNotNull();
      }
    }
    Path elsewhere = root.resolve("elsewhere");
    Files.move(made, elsewhere);
    Files.createSymbolicLink(made, elsewhere);
    assertThat(find(place, jar)).as("a link").isNull();
  }

  @Test
  void filesOfAnotherJarOrNotWholeAreNotUsed(@TempDir Path root) throws Exception {
    Path place = root.resolve("caches").resolve("fdt");
    Path jar = Files.writeString(root.resolve("fdt.jar"), "a jar");
    Path made = make(place, jar);
    FileTime modified = Files.getLastModifiedTime(jar);

    setAge(jar, Duration.ofHours(1));
    assertThat(find(place, jar)).as("of an older jar").isNull();
    Files.setLastModifiedTime(jar, modified);
    assertThat(find(place, jar)).isNotNull();
    Files.writeString(made.resolve("fdt.jsa.stamp"), "1");
    assertThat(find(place, jar)).as("of another Java").isNull();
    Files.delete(made.resolve("fdt.jsa.stamp"));
    assertThat(find(place, jar)).as("without its stamp").isNull();
    Files.writeString(made.resolve("fdt.jsa.stamp"), StartFiles.stamp(jar));
    Files.delete(made.resolve("fdt.jsa"));
    assertThat(find(place, jar)).as("without its archive").isNull();
  }

  /** Makes the files of a jar as a maker does; the result is their directory. */
  private static Path make(Path place, Path jar) throws Exception {
    StartCache.make(place)
        .make(
            jar,
            (of, directory, later) -> {
              Files.writeString(directory.resolve("fdt.jsa"), "an archive");
              Files.writeString(directory.resolve("fdt.jsa.stamp"), StartFiles.stamp(of));
            });
    try (Stream<Path> all = Files.list(place)) {
      return all.reduce((one, other) -> Assertions.fail("%s and %s", one, other)).orElseThrow();
    }
  }

  /** What a start finds. */
  private static StartFiles find(Path place, Path jar) throws IOException {
    StartCache cache = StartCache.open(place);
    return cache == null ? null : cache.find(jar);
  }

  private static void setAge(Path path, Duration age) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(age)));
  }
}
