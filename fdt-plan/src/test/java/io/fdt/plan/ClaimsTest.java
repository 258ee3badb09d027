package io.fdt.plan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Claims as files: one worker has a unit. */
@Timeout(60)
class ClaimsTest {
  @TempDir Path directory;

  @Test
  void ofManyWhoClaimAtOnceOneHasIt() throws Exception {
    PlanFiles files = new PlanFiles(directory);
    int workers = 8;
    int units = 50;
    ExecutorService threads = Executors.newFixedThreadPool(workers);
    CyclicBarrier start = new CyclicBarrier(workers);
    List<Future<Integer>> claimed = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      Claims claims = new Claims(files, "worker-" + worker);
      Callable<Integer> all =
          () -> {
            int count = 0;
            start.await(30, TimeUnit.SECONDS);
            for (int unit = 0; unit < units; unit++) {
              count += claims.claim(PlanFiles.name(unit), 1) ? 1 : 0;
            }
            return count;
          };
      claimed.add(threads.submit(all));
    }
    int sum = 0;
    for (Future<Integer> one : claimed) {
      sum += one.get(30, TimeUnit.SECONDS);
    }
    threads.shutdown();

    assertThat(sum).isEqualTo(units);
    Claims reader = new Claims(files, "reader");
    assertThat(reader.list("000000")).hasSize(units);
    assertThat(reader.holder("000007", 1)).isPresent();
  }

  @Test
  void aClaimIsSeenByItsNameAndSoIsItsEnd() throws FdtException {
    Claims claims = new Claims(new PlanFiles(directory), "me");

    assertThat(claims.list("000001")).isEmpty();
    assertThat(claims.claim("000001", 1)).isTrue();
    assertThat(claims.claim("000001", 1)).isFalse();
    assertThat(claims.list("000001").get("000001").isRunning()).isTrue();
    claims.end("000001", 1, UnitEnding.RELEASED);
    assertThat(claims.list("000001").get("000001").isOpen()).isTrue();
    assertThat(claims.claim("000001", 2)).isTrue();
    claims.end("000001", 2, UnitEnding.OK);
    assertThat(claims.list("000001").get("000001").isDone()).isTrue();
    assertThat(claims.holder("000001", 2)).contains("me");
    assertThat(claims.holder("000001", 3)).isEmpty();
  }

  @Test
  void namesThatAreNoneOfOursMeanNothing() throws Exception {
    PlanFiles files = new PlanFiles(directory);
    Claims claims = new Claims(files, "me");
    assertThat(claims.claim("000001", 1)).isTrue();
    Path states = files.state("000001");
    for (String name : List.of(".nfs0001", "000002.x.claim", "000003.1.claim.old", "a", ".me")) {
      Files.writeString(states.resolve(name), "");
    }

    assertThat(claims.list("000001")).containsOnlyKeys("000001");
  }

  /** A worker that died between its two files leaves one that is in nobody's way. */
  @Test
  void whatADeadWorkerLeftIsReplaced() throws Exception {
    PlanFiles files = new PlanFiles(directory);
    Path states = Files.createDirectories(files.state("000001"));
    Files.writeString(states.resolve(".me"), "half");

    assertThat(new Claims(files, "me").claim("000001", 1)).isTrue();
    assertThat(new Claims(files, "me").holder("000001", 1)).contains("me");
  }

  /** As some file systems do when the power goes: the length is there, the bytes are not. */
  @Test
  void aClaimWhoseTextWasLostIsHeldByNobody() throws Exception {
    PlanFiles files = new PlanFiles(directory);
    Files.createDirectories(files.state("000001"));
    for (byte[] lost :
        List.of(new byte[12], new byte[0], new byte[] {(byte) 0xc3}, "../x".getBytes(UTF_8))) {
      Files.write(files.state("000001").resolve("000001.1.claim"), lost);

      Optional<String> holder = new Claims(files, "me").holder("000001", 1);

      assertThat(holder).contains(Claims.NO_WORKER);
      assertThat(Heartbeat.read(files, holder.orElseThrow())).isEmpty();
    }
  }

  @Test
  void aProcessThatNobodyHasWaitedForHasEnded() throws Exception {
    PlanFiles files = new PlanFiles(directory);
    String name = Heartbeat.newName();
    Heartbeat.Beat own;
    try (Heartbeat heartbeat = Heartbeat.start(files, name, 0, Duration.ofHours(1))) {
      own = Heartbeat.read(files, name).orElseThrow();
      assertThat(heartbeat).isNotNull();
    }
    // The shell becomes a program that waits for no child before the child ends.
    Process parent =
        new ProcessBuilder("sh", "-c", "exec 3<&0; cat <&3 & echo $!; exec sleep 60").start();
    try {
      String child =
          new BufferedReader(new InputStreamReader(parent.getInputStream(), UTF_8)).readLine();
      Path shell = Path.of("/proc", Long.toString(parent.pid()), "comm");
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> Files.readString(shell).strip().equals("sleep"));
      parent.getOutputStream().close();
      Path stat = Path.of("/proc", child, "stat");
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> Files.readString(stat).contains(") Z "));
      String began = Files.readString(stat).split(" ", -1)[21];

      assertThat(
              Heartbeat.isOfEndedProcess(new Heartbeat.Beat(1, own.machine(), child + "@" + began)))
          .isTrue();
      assertThat(Heartbeat.isOfEndedProcess(new Heartbeat.Beat(1, own.machine(), "x"))).isFalse();
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void aHeartbeatIsThereWhileItsWorkerRuns() throws FdtException {
    PlanFiles files = new PlanFiles(directory);
    String name = Heartbeat.newName();
    try (Heartbeat heartbeat = Heartbeat.start(files, name, 3, Duration.ofMillis(1))) {
      long first = Heartbeat.read(files, name).orElseThrow().beat();
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> Heartbeat.read(files, name).orElseThrow().beat() > first);
      assertThat(Heartbeat.isOfEndedProcess(Heartbeat.read(files, name).orElseThrow())).isFalse();
      assertThat(heartbeat).isNotNull();
    }
    assertThat(Heartbeat.read(files, name)).isEmpty();
  }

  @Test
  void aProcessThatHasEndedIsNoticedOnItsOwnMachineOnly() throws Exception {
    PlanFiles files = new PlanFiles(directory);
    String name = Heartbeat.newName();
    Heartbeat.Beat own;
    try (Heartbeat heartbeat = Heartbeat.start(files, name, 0, Duration.ofHours(1))) {
      own = Heartbeat.read(files, name).orElseThrow();
      assertThat(heartbeat).isNotNull();
    }
    Process ended = new ProcessBuilder("true").start();
    assertThat(ended.waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(
            Heartbeat.isOfEndedProcess(
                new Heartbeat.Beat(1, own.machine(), ended.pid() + "@12345")))
        .isTrue();
    assertThat(
            Heartbeat.isOfEndedProcess(
                new Heartbeat.Beat(1, "another machine", ended.pid() + "@12345")))
        .isFalse();
    Map<String, UnitState> none = new Claims(files, "x").list("000000");
    assertThat(none).isEmpty();
  }
}
