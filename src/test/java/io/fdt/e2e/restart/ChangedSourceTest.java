package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A transfer is interrupted, the source changes, and the command is repeated: the copy never mixes
 * two versions of a file.
 *
 * <p>In {@code make test} transfers are interrupted as by Ctrl-C; {@code make soak} kills processes
 * (SIGKILL), and more of them. Failures name the seed.
 */
class ChangedSourceTest {
  private static final int ROUNDS = Integer.getInteger("fdt.change.rounds", 30);
  private static final boolean KILLS = Boolean.getBoolean("fdt.change.kills");
  private static final long SEED = Long.getLong("fdt.change.seed", 20261127);

  private static final long LARGE = (6L << 20) + 17;
  private static final long SMALL = 50_000;
  private static final FileTime MODIFIED = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private enum Way {
    PUSH,
    PULL,
    THIRD
  }

  private enum Change {
    /** Other bytes, with the same size and time of modification. */
    IN_PLACE,
    CUT,
    GROW,
    /** Another file of the same size and time of modification. */
    REPLACE,
    TOUCH,
    RENAME,
    NOTHING
  }

  private record Round(
      int number, Way way, Change change, String checksum, String option, long bytes) {
    /** The same with a checksum to compare by. */
    Round compared() {
      return new Round(number, way, change, "crc32c", option, bytes);
    }
  }

  @RegisterExtension final Lab lab = new Lab();

  private Path sources;
  private Path copies;
  private RunningCommand server;
  private RunningCommand other;

  @BeforeEach
  void serve() {
    sources = lab.directory("sources");
    copies = lab.directory("copies");
    server = lab.serve("--export", "sources", "--export", "copies:rw");
  }

  @Test
  @Timeout(14_400)
  void aCopyNeverMixesTwoVersionsOfAFile() throws Exception {
    other = lab.serveAt(lab.root().resolve("other"), "--export", "copies:rw");
    SplittableRandom random = new SplittableRandom(SEED);
    List<String> checksums = List.of("crc32c", "none", "sha256", "xxh3");
    List<String> options = List.of("", "-z", "--verify");
    for (int i = 0; i < ROUNDS; i++) {
      makeSource(i);
    }
    for (int i = 0; i < ROUNDS; i++) {
      Round round =
          new Round(
              i,
              Way.values()[i % 3],
              Change.values()[i % Change.values().length],
              checksums.get(random.nextInt(checksums.size())),
              options.get(random.nextInt(options.size())),
              random.nextLong(LARGE + SMALL));
      try {
        interruptChangeAndRepeat(round);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + SEED + ", " + round + ": " + e.getMessage(), e);
      }
      Shell.run(lab.root(), "rm -r sources/" + i + " copies/" + i);
    }
  }

  /** One bit of what an interrupted transfer has copied already is another one now. */
  @ParameterizedTest
  @CsvSource({
    "PUSH, crc32c, crc32c",
    "PULL, crc32c, crc32c",
    "THIRD, crc32c, crc32c",
    "PUSH, none, none",
    "PULL, sha256, none",
    "PUSH, sha256, sha256"
  })
  void aChangeWithTheSameSizeAndTimeIsSeenWhenTheTransferIsRepeated(
      Way way, String checksum, String again) throws Exception {
    other = lab.serveAt(lab.root().resolve("other"), "--export", "copies:rw");
    makeSource(0);
    Round first = new Round(0, way, Change.IN_PLACE, checksum, "", LARGE / 2);
    interrupt(first);
    assertThat(Arrived.in(copies).kept()).isGreaterThan(0);
    change(large(0), Change.IN_PLACE, 0);

    Outcome repeated = run(new Round(0, way, Change.IN_PLACE, again, "", 0)).expect(0);

    if (KILLS && way == Way.THIRD && repeated.summary().contains("unchanged by size and time")) {
      return; // the servers had gone on without their client, and were done before the change
    }
    Tree.assertSame(copies.resolve("0"), sources.resolve("0"));
    if (way == Way.PULL) { // the end that writes says so
      assertThat(repeated.err()).contains("the source has changed since the interrupted transfer");
    }
  }

  @Test
  void aChangeOfModeAloneSendsNothingAgain() throws Exception {
    makeSource(0);
    Round round = new Round(0, Way.PUSH, Change.NOTHING, "crc32c", "", LARGE / 2);
    interrupt(round);
    long kept = Arrived.in(copies).kept();
    assertThat(kept).isGreaterThan(0);
    Shell.run(lab.root(), "chmod 640 sources/0/large");

    Outcome repeated = run(round).expect(0);

    Tree.assertSame(copies.resolve("0"), sources.resolve("0"));
    assertThat(repeated.summary()).contains("were there already");
  }

  private Path large(int number) {
    return sources.resolve(number + "/large");
  }

  private void makeSource(int number) throws IOException {
    Content.write(large(number), LARGE, number);
    Content.write(sources.resolve(number + "/small"), SMALL, 1000 + number);
    Files.setLastModifiedTime(large(number), MODIFIED);
  }

  private void interruptChangeAndRepeat(Round round) throws Exception {
    interrupt(round);
    Path copy = copies.resolve(Integer.toString(round.number()));
    change(large(round.number()), round.change(), round.number());

    Outcome repeated = run(round).expect(0);

    boolean mayCountAsUnchanged =
        round.change() == Change.IN_PLACE || round.change() == Change.REPLACE;
    if (mayCountAsUnchanged && Files.mismatch(copy.resolve("large"), large(round.number())) >= 0) {
      // It was complete before the change: servers go on for a moment without their client.
      assertThat(repeated.summary()).contains("2 unchanged by size and time");
      run(round.compared(), "--sync", "checksum").expect(0);
    }
    if (round.change() == Change.RENAME) {
      Shell.run(copy, "rm -f large .fdt-*"); // of a file that the source has no more
      run(round).expect(0); // the time of the directory
    }
    Tree.assertSame(copy, sources.resolve(Integer.toString(round.number())));
    assertThat(Lab.unfinishedFiles(copy)).isEmpty();
  }

  /** Starts the copy and ends it when so many bytes have arrived. */
  private void interrupt(Round round) {
    String[] words = words(round, "--limit", "8M");
    RunningCommand client =
        KILLS ? lab.startProcess(lab.root(), words) : lab.start(lab.root(), words);
    Path copy = copies.resolve(Integer.toString(round.number()));
    await("bytes at the destination")
        .atMost(DEADLINE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(
            () ->
                !client.isAlive()
                    || (Files.exists(copy) && Arrived.in(copy).total() >= round.bytes()));
    if (KILLS) {
      client.kill();
    } else {
      client.stop();
    }
  }

  private Outcome run(Round round, String... options) {
    String[] words = words(round, options);
    return KILLS ? lab.runProcess(lab.root(), words) : lab.run(lab.root(), words);
  }

  private String[] words(Round round, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-P", "3", "-bs", "256K", "-r"));
    words.addAll(List.of("--accept-new", "--checksum", round.checksum()));
    boolean hasNothingToVerify =
        round.option().equals("--verify") && round.checksum().equals("none");
    if (!round.option().isEmpty() && !hasNothingToVerify) {
      words.add(round.option());
    }
    words.addAll(List.of(options));
    String here = "fdt://127.0.0.1:" + server.port();
    switch (round.way()) {
      case PUSH -> words.addAll(List.of("sources/" + round.number(), here + "/copies"));
      case PULL -> words.addAll(List.of(here + "/sources/" + round.number(), "copies"));
      case THIRD -> {
        words.addAll(List.of("--source-token-file", lab.home().resolve("token").toString()));
        words.addAll(List.of("--token-file", lab.root().resolve("other/token").toString()));
        words.add(here + "/sources/" + round.number());
        words.add("fdt://127.0.0.1:" + other.port() + "/copies");
      }
    }
    return words.toArray(String[]::new);
  }

  private static void change(Path large, Change change, int seed) throws IOException {
    switch (change) {
      case IN_PLACE -> {
        flip(large, new SplittableRandom(seed).nextLong(LARGE / 4));
        Files.setLastModifiedTime(large, MODIFIED);
      }
      case CUT -> {
        try (FileChannel file = FileChannel.open(large, StandardOpenOption.WRITE)) {
          file.truncate(LARGE / 3);
        }
      }
      case GROW -> Files.write(large, new byte[70_000], StandardOpenOption.APPEND);
      case REPLACE -> {
        Path next = large.resolveSibling("next");
        Content.write(next, LARGE, 77 + seed);
        Files.setLastModifiedTime(next, MODIFIED);
        Files.move(next, large, StandardCopyOption.REPLACE_EXISTING);
      }
      case TOUCH -> Files.setLastModifiedTime(large, FileTime.from(Instant.now()));
      case RENAME -> Files.move(large, large.resolveSibling("renamed"));
      case NOTHING -> {}
    }
  }

  private static void flip(Path file, long at) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      one.put(0, (byte) (one.get(0) ^ 1));
      channel.write(one.rewind(), at);
    }
  }
}
