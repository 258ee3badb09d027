package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What {@code cleanup} removes, and what it leaves to a transfer that is running. */
class CleanupTest {
  private static final long LARGE = 16L << 20;

  private static final Pattern OPENED = Pattern.compile("openat\\((.*)\\) += (\\d+)$");

  private static final Pattern LOCKED = Pattern.compile("flock\\((\\d+), LOCK_EX");

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path copies;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    source = lab.directory("sources");
    Content.write(source.resolve("large"), LARGE, 1);
    copies = lab.directory("copies");
    server = lab.serve("--export", "sources");
  }

  private CommandProcess startSlowly(String limit) {
    String[] words =
        Lab.clientOf(server, "-limit", limit, "-pull", "-d", "copies", "/sources/large");
    CommandProcess client = lab.startProcess(lab.root(), words);
    Lab.awaitUnfinished(copies, 2);
    return client;
  }

  @Test
  void whatARunningTransferHoldsStaysUntilThatHasDied() {
    CommandProcess client = startSlowly("16Mbit/s");

    Outcome during = lab.run(lab.root(), "cleanup", "copies").expect(0);

    assertThat(client.isAlive()).isTrue();
    assertThat(during.out().lines())
        .hasSize(3)
        .filteredOn(line -> line.startsWith("in use: "))
        .hasSize(2);
    assertThat(during.summary()).isEqualTo("0 files, 0 B removed; 2 in use");
    client.kill();

    Outcome dry = lab.run(lab.root(), "cleanup", "--dry-run", "copies").expect(0);

    assertThat(dry.out())
        .containsPattern("would remove: copies/\\.fdt-.* \\([0-9.]+ MiB, of copies/large\\)");
    assertThat(Lab.unfinishedFiles(copies)).hasSize(1);

    Outcome real = lab.run(lab.root(), "cleanup", "copies").expect(0);

    assertThat(real.out().replace("removed: ", "would remove: ").lines().limit(2).toList())
        .isEqualTo(dry.out().lines().limit(2).toList());
    assertThat(real.summary()).matches("2 files, [0-9.]+ MiB removed.*");
    assertThat(copies.toFile().list()).isEmpty();
  }

  @Test
  void theRunningTransferCompletesWhatCleanupLeft() {
    CommandProcess client = startSlowly("40Mbit/s");

    lab.run(lab.root(), "cleanup", "copies").expect(0);

    client.end().expect(0);
    assertThat(Tree.beneath(copies)).isEqualTo(Tree.beneath(source));
  }

  /** NFS gives an exclusive lock only for a file that is open for writing: flock(2). */
  @Test
  void locksAreAskedForAsNfsWantsThem() throws Exception {
    Programs.requireTracing();
    String part = ".fdt-0123456789abcdef.part";
    Files.writeString(copies.resolve(part), "left");
    Files.writeString(copies.resolve(".fdt-fedcba9876543210.journal"), "alone");
    Path calls = lab.directory("calls");

    Outcome traced =
        lab.runTraced(
            lab.root(),
            // A file for each thread: in one file, calls of one are cut in two by those of others.
            List.of("-ff", "-o", calls.resolve("of").toString(), "-e", "trace=openat,flock"),
            "cleanup",
            "copies");

    assertThat(traced.status()).as("%s", traced).isZero();
    assertThat(copies.toFile().list()).isEmpty();
    List<String> locked = new ArrayList<>();
    for (File thread : calls.toFile().listFiles()) {
      addLocked(thread.toPath(), locked);
    }
    assertThat(locked).hasSize(2).allMatch(how -> how.contains(".part\", O_RDWR"));
  }

  /** How the partial files were opened that a thread has locked. */
  private static void addLocked(Path calls, List<String> locked) throws IOException {
    Map<String, String> open = new HashMap<>();
    for (String line : Files.readAllLines(calls)) {
      Matcher opened = OPENED.matcher(line);
      Matcher lock = LOCKED.matcher(line);
      if (opened.find()) {
        open.put(opened.group(2), opened.group(1));
      } else if (lock.find() && open.getOrDefault(lock.group(1), "").contains(".part\"")) {
        locked.add(open.get(lock.group(1)));
      }
    }
  }

  @Test
  void whatIsNoLocalDirectoryIsAClearError() {
    Outcome missing = lab.run(lab.root(), "cleanup", "nowhere");
    assertThat(missing.status()).isEqualTo(1);
    assertThat(missing.problems()).singleElement().asString().contains("nowhere");
    assertThat(lab.run(lab.root(), "cleanup").expect(2).problems())
        .singleElement()
        .asString()
        .contains("exactly one directory");
    assertThat(lab.run(lab.root(), "cleanup", "host:/data").expect(2).problems())
        .singleElement()
        .asString()
        .contains("is on a server");
    assertThat(lab.run(lab.root(), "cleanup", "--help").expect(0).out().lines().toList())
        .contains("Usage: fdt cleanup [--dry-run] DIR");
    assertThat(List.of(source.toFile().list())).containsExactly("large");
  }
}
