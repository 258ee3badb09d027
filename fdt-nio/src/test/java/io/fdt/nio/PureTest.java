package io.fdt.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fdt.client.RemoteFile;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Timestamp;
import io.fdt.nio.server.Connections;
import io.fdt.nio.server.FdtUri;
import io.fdt.nio.server.IdleStack;
import io.fdt.nio.server.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts without a server: time is an argument. */
class PureTest {
  @Test
  void thingsThatWaitTooLongAreTakenOutTheOldestFirst() {
    IdleStack<String> idle = new IdleStack<>(Duration.ofNanos(10));
    idle.push("a", 0);
    idle.push("b", 5);
    idle.push("c", 9);
    assertThat(idle.expired(9)).isEmpty();
    assertThat(idle.expired(15)).containsExactly("a", "b");
    assertThat(idle.pop()).isEqualTo("c");
    assertThat(idle.pop()).isNull();
    idle.push("d", Long.MAX_VALUE);
    assertThat(idle.expired(Long.MIN_VALUE + 8)).isEmpty(); // nanoTime may overflow
    assertThat(idle.expired(Long.MIN_VALUE + 9)).containsExactly("d");
  }

  @Test
  void windowsGrowWithReadsInOrderAndShrinkAfterAJump() {
    ReadWindow window = new ReadWindow();
    assertThat(window.next(0, 1)).isEqualTo(65_536);
    assertThat(window.isSequential()).isFalse();
    window.fetched(65_536);
    assertThat(window.next(65_536, 1)).isEqualTo(131_072);
    assertThat(window.isSequential()).isTrue();
    window.fetched(1_065_536); // more than was planned: it was read ahead
    assertThat(window.next(1_065_536, 1)).isEqualTo(262_144);
    assertThat(window.isSequential()).isTrue();
    assertThat(window.next(10, 1)).isEqualTo(65_536);
    assertThat(window.isSequential()).isFalse();
    assertThat(window.next(5_000_000_000L, 300_000)).isEqualTo(300_000);
    assertThat(window.next(6_000_000_000L, 50_000_000)).isEqualTo(1 << 20);
  }

  @ParameterizedTest
  @CsvSource({
    "*.txt, a.txt, true", "*.txt, a/b.txt, false", "**.txt, a/b.txt, true", "a?c, abc, true",
    "a?c, a/c, false", "[a-c]x, bx, true", "[!a-c]x, bx, false", "[!a]x, dx, true",
    "'{a,bc}z', bcz, true", "'{a,bc}z', cz, false", "a\\*, a*, true", "a\\*, ab, false",
    "a.b, axb, false", "[*]x, *x, true", "a+(b), a+(b), true"
  })
  void globs(String glob, String name, boolean matches) {
    assertThat(GlobPattern.of(glob).matcher(name).matches()).isEqualTo(matches);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[a", "{a", "a\\", "{a{b}}", "[a/b]"})
  void brokenGlobs(String glob) {
    assertThatThrownBy(() -> GlobPattern.of(glob)).isInstanceOf(PatternSyntaxException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "fdt://Host/a, host, 54321, /a",
    "fdt://h:7/, h, 7, /",
    "fdt://[::1]:7/a%20b, ::1, 7, /a b",
    "fdt://h, h, 54321, /",
    "FDT://h/%C3%BC, h, 54321, /ü"
  })
  void uris(String text, String host, int port, String path) {
    FdtUri uri = FdtUri.parse(URI.create(text));
    assertThat(uri).isEqualTo(new FdtUri(host, port, path));
    assertThat(FdtUri.parse(uri.toUri())).isEqualTo(uri);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"file:///x", "fdt:x", "fdt:///x", "fdt://h:0/", "fdt://h:70000/", "fdt://h/%00"})
  void badUris(String text) {
    assertThatThrownBy(() -> FdtUri.parse(URI.create(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fdt://host[:port]/path");
  }

  @Test
  void pipeKeepsOrderWithinItsBound() throws Exception {
    BytePipe pipe = new BytePipe(7);
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              try {
                for (int i = 0; i < 1000; i++) {
                  pipe.output().write(new byte[] {(byte) i, (byte) (i >> 8), 1});
                }
                pipe.finish(null);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    byte[] all = pipe.input().readAllBytes();
    writing.get(30, TimeUnit.SECONDS);
    assertThat(all).hasSize(3000);
    for (int i = 0; i < 1000; i++) {
      assertThat((all[3 * i] & 0xFF) | ((all[3 * i + 1] & 0xFF) << 8)).isEqualTo(i);
    }
  }

  @Test
  void endsOfAPipeWakeEachOther() throws Exception {
    BytePipe abandoned = new BytePipe(2);
    CompletableFuture<Void> reader = CompletableFuture.runAsync(abandoned::abandon);
    assertThatThrownBy(() -> abandoned.output().write(new byte[100]))
        .isInstanceOf(IOException.class);
    reader.get(30, TimeUnit.SECONDS);
    BytePipe failed = new BytePipe(10);
    InputStream in = failed.input();
    failed.output().write(1);
    failed.finish(new IOException("lost"));
    assertThatThrownBy(in::read).hasMessage("lost");
  }

  @Test
  void attributesThatWereListedAreOldAfterThreeSecondsOrAChange() {
    SeenFile seen = new SeenFile(null, null, 100, 4);
    assertThat(seen.isGood(100, 4)).isTrue();
    assertThat(seen.isGood(100 + SeenFile.LIFETIME.toNanos() - 1, 4)).isTrue();
    assertThat(seen.isGood(100 + SeenFile.LIFETIME.toNanos(), 4)).isFalse();
    assertThat(seen.isGood(100, 5)).isFalse();
  }

  /** The default file system's patterns are the reference. */
  @Test
  void globsMatchWhatThoseOfTheDefaultFileSystemMatch() {
    String[] parts = {
      "a",
      "b",
      ".",
      "/",
      "-",
      "?",
      "*",
      "**",
      "[ab]",
      "[!a]",
      "[a-c]",
      "[+-0]",
      "[.-0]",
      "[!b-z]",
      "{a,b}",
      "{a*,b.}",
      "\\*",
      "\\a",
      "[-a]",
      "[*?]",
      "ü",
      "\ud83d\ude00"
    };
    String[] letters = {"a", "b", "c", ".", "/", "-", "*", "0", "ü", "\ud83d\ude00", "/a", "?"};
    long seed = System.nanoTime();
    System.out.println("globs: seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 50_000; i++) {
      String glob = any(random, parts);
      String name = any(random, letters).replaceAll("/+", "/").replaceAll("(.)/$", "$1");
      assertThat(GlobPattern.of(glob).matcher(name).matches())
          .as("'%s' for '%s'", glob, name)
          .isEqualTo(
              FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(Path.of(name)));
    }
  }

  private static String any(Random random, String[] parts) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(5) + 1; i > 0; i--) {
      text.append(parts[random.nextInt(parts.length)]);
    }
    return text.toString();
  }

  /** A server that lists a directory as its own child would have walks go on for ever. */
  @Test
  void whatIsNoNameIsInNoDirectory() throws IOException {
    FileSystem fileSystem =
        new FdtFileSystemProvider().newFileSystem(URI.create("fdt://nobody/"), Map.of());
    FdtPath directory = FdtPath.of(fileSystem.getPath("/data/run"));
    assertThat(Remote.name(directory, named("file"))).hasToString("file");
    for (String name : List.of("/data/run", "..", ".", "", "a/b", "../x")) {
      assertThatThrownBy(() -> Remote.name(directory, named(name)))
          .as(name)
          .isInstanceOf(NotDirectoryException.class);
    }
    fileSystem.close();
  }

  private static RemoteFile named(String name) {
    BytePath path = BytePath.of(name.getBytes(StandardCharsets.UTF_8));
    return new RemoteFile(
        path, Optional.empty(), 0, 0, new Timestamp(0, 0), path, 0, Optional.empty());
  }

  @Test
  void aFileSystemHasSixteenConnections() throws Exception {
    Connections connections =
        new Connections(new Settings(Map.of(), Map.of()).client("127.0.0.1", 1));
    AtomicInteger running = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> users = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Thread user =
          new Thread(
              () -> {
                try {
                  connections.call(
                      false,
                      files -> {
                        running.incrementAndGet();
                        end.await();
                        return files;
                      });
                } catch (FdtException | InterruptedException e) {
                  running.set(-1);
                }
              });
      users.add(user);
      user.start();
    }
    try {
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> users.stream().allMatch(user -> user.getState() == Thread.State.WAITING));
      assertThat(running).hasValue(16);
    } finally {
      end.countDown();
    }
    for (Thread user : users) {
      user.join(30_000);
    }
    assertThat(running).hasValue(20);
  }
}
