package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.DoneFile;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.e2e.Arrived;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import io.fdt.server.NamedTokens;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that dies, or is stopped, and comes back: its clients go on by themselves. */
@Execution(ExecutionMode.CONCURRENT)
class RestartTest {
  private static final int FILES = 20;
  private static final long LARGE = 24L << 20;
  private static final long TOTAL = LARGE + FILES * 100;

  /** What the first server moves at most: the large file would take 5 s. */
  private static final String SLOW = "40Mbit/s";

  private static final Duration DEADLINE = Duration.ofSeconds(60);

  enum Way {
    PULL,
    PUSH
  }

  @RegisterExtension final Lab lab = new Lab();

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Heard heard = new Heard();
  private Path source;
  private Path copy;

  /** The one that dies. */
  private CommandProcess server;

  private int port;
  private String token;

  @BeforeEach
  void serve() throws Exception {
    source = lab.directory("sources/data");
    for (int i = 0; i < FILES; i++) {
      Content.write(source.resolve("small/" + i), 100, i);
    }
    Content.write(source.resolve("z-large"), LARGE, 1);
    copy = lab.directory("copies").resolve("data");
    token =
        NamedTokens.ofHome(lab.root().resolve("home"))
            .create(
                new Grant(
                    "alice",
                    Instant.now(),
                    Optional.empty(),
                    false,
                    Set.of(),
                    List.of(),
                    true,
                    false,
                    RelayGrant.UNLIMITED));
    server =
        lab.serveProcess(
            "--export", "sources", "--export", "copies:rw", "--limit", SLOW, "--port", "0");
    port = server.port();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
  }

  /** Starts the server again: it moves what is left at full speed. */
  private RunningCommand serveAgain(String... options) {
    List<String> words = new ArrayList<>(List.of("--export", "sources", "--export", "copies:rw"));
    words.addAll(List.of("--port", Integer.toString(port)));
    words.addAll(List.of(options));
    return lab.serve(words.toArray(String[]::new));
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aTreeArrivesAlthoughTheServerIsKilledAndNothingThatIsThereGoesAgain(Way way)
      throws Exception {
    Transfer transfer = client(DEADLINE).start(request(way).build(), heard);
    Lab.awaitUnfinished(copy.getParent(), 8);

    server.signal("KILL");
    server.end();
    long kept = Arrived.in(copy).total();
    assertThat(kept).isGreaterThan(4L << 20);
    serveAgain();
    await("it goes on, and what is shown does not fall back")
        .atMost(DEADLINE)
        .until(() -> heard.notices.contains("the server restarted: continuing"));
    // What was written and not acknowledged when the server died counts as kept from then on.
    assertThat(transfer.progress().figures().bytesTotal())
        .isGreaterThanOrEqualTo(LARGE - (4L << 20));
    TransferReport report = transfer.completion().get(60, TimeUnit.SECONDS);

    assertThat(report.failure()).as(report.failureMessage()).isEmpty();
    assertThat(report.exitStatus()).isZero();
    Tree.assertSame(copy, source);
    assertThat(Lab.unfinishedFiles(copy)).isEmpty();
    assertThat(report.figures().files().done() + report.figures().files().unchanged())
        .isEqualTo(FILES + 1);
    assertThat(report.figures().files().failed()).isZero();
    // What was on its way, or written and not acknowledged, is all that went twice or was not seen.
    assertThat(report.figures().bytesDone()).isBetween(TOTAL - (4L << 20), TOTAL + (4L << 20));
    assertThat(report.figures().bytesKept()).isLessThanOrEqualTo(4L << 20);
    assertThat(heard.done).doesNotHaveDuplicates();
    assertThat(heard.all()).doesNotHaveDuplicates().hasSize(FILES + 1);
    assertThat(heard.done).hasSize((int) report.figures().files().done());
    assertThat(transfer.progress().figures().files().done())
        .isEqualTo(report.figures().files().done());
    assertThat(transfer.progress().figures().files().total()).isEqualTo(FILES + 1);
    assertThat(transfer.progress().figures().bytesDone()).isEqualTo(report.figures().bytesDone());
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void theSecondSessionMovesNoByteThatIsInTheJournal(Way way) throws Exception {
    Transfer transfer = client(DEADLINE).start(request(way).build(), heard);
    Lab.awaitUnfinished(copy.getParent(), 8);
    server.signal("KILL");
    server.end();
    long kept = Arrived.in(copy).total();
    RunningCommand again = serveAgain("-v");
    assertThat(transfer.completion().get(60, TimeUnit.SECONDS).exitStatus()).isZero();

    await("its log").atMost(DEADLINE).until(() -> again.err().contains("session ended"));
    String line =
        again.err().lines().filter(text -> text.contains("session ended")).findFirst().orElse("");
    long moved = Long.parseLong(line.replaceFirst(".* bytes=([0-9]+) .*", "$1"));
    assertThat(moved).isBetween(1L, TOTAL - kept + 1024);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aServerThatIsStoppedAndStartedAgainIsContinuedToo(Way way) throws Exception {
    Transfer transfer = client(DEADLINE).start(request(way).build(), heard);
    Lab.awaitUnfinished(copy.getParent(), 4);

    server.signal("TERM");
    server.end().expect(0);
    serveAgain();

    assertThat(transfer.completion().get(60, TimeUnit.SECONDS).exitStatus()).isZero();
    Tree.assertSame(copy, source);
    assertThat(heard.notices).contains("the server restarted: continuing");
    assertThat(heard.all()).doesNotHaveDuplicates().hasSize(FILES + 1);
  }

  /** After the last session, which alone has seen everything. */
  @Test
  void whatTheSourceLacksIsDeletedAndCounted() throws Exception {
    Content.write(copy.resolve("extra"), 10, 3);
    Content.write(copy.resolve("small/extra"), 10, 4);
    Transfer transfer = client(DEADLINE).start(request(Way.PUSH).delete(true).build(), heard);
    Lab.awaitUnfinished(copy.getParent(), 4);
    server.signal("KILL");
    server.end();
    assertThat(copy.resolve("extra")).exists();
    serveAgain();

    TransferReport report = transfer.completion().get(60, TimeUnit.SECONDS);
    assertThat(report.exitStatus()).isZero();
    assertThat(report.figures().deleted()).isEqualTo(2);
    Tree.assertSame(copy, source);
  }

  /** The command, with its token, its summary and its report of files. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void theCommandNeedsNobodyToRunItAgain(Way way) {
    String remote = "fdt://127.0.0.1:" + port;
    lab.environment("FDT_TOKEN", token);
    List<String> words = new ArrayList<>(List.of("copy", "-r", "--json"));
    words.addAll(List.of("--accept-new"));
    words.addAll(
        way == Way.PULL
            ? List.of(remote + "/sources/data", "copies")
            : List.of("sources/data", remote + "/copies"));
    RunningCommand client = lab.start(lab.root(), words.toArray(String[]::new));
    Lab.awaitUnfinished(copy.getParent(), 4);

    server.signal("KILL");
    server.end();
    serveAgain();

    Outcome outcome = client.end().expect(0);
    Tree.assertSame(copy, source);
    assertThat(outcome.out() + outcome.err()).contains("the server restarted: continuing");
    for (int i = 0; i < FILES; i++) {
      String end = "/" + i + "\"";
      assertThat(outcome.out().lines().filter(line -> line.contains("fate") && line.contains(end)))
          .as("small/" + i)
          .hasSize(1);
    }
  }

  @Test
  void aServerThatDoesNotComeBackIsGivenUpAfterTheRetryTimeout() throws Exception {
    lab.leavesUnfinishedFiles();
    Transfer transfer = client(Duration.ofSeconds(2)).start(request(Way.PUSH).build(), heard);
    Lab.awaitUnfinished(copy.getParent(), 2);

    server.signal("TERM");
    server.end().expect(0);
    long endNanos = System.nanoTime();

    TransferReport report = transfer.completion().get(60, TimeUnit.SECONDS);
    assertThat(report.exitStatus()).isEqualTo(3);
    assertThat(System.nanoTime() - endNanos).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
    assertThat(report.figures().bytesDone()).isPositive();
    assertThat(report.failure()).contains(ErrorCode.UNREACHABLE);
    assertThat(heard.notices).contains("the server is stopping: trying again");
  }

  @Test
  void whoWaitsForTheServerCanCancel() throws Exception {
    lab.leavesUnfinishedFiles();
    Transfer transfer = client(DEADLINE).start(request(Way.PUSH).build(), heard);
    Lab.awaitUnfinished(copy.getParent(), 2);
    server.signal("TERM");
    await("it has heard").atMost(DEADLINE).until(() -> !heard.notices.isEmpty());

    transfer.cancel();

    TransferReport report = transfer.completion().get(60, TimeUnit.SECONDS);
    assertThat(report.failure()).contains(ErrorCode.CANCELLED);
    assertThat(report.figures().bytesDone()).isPositive();
  }

  @Test
  void withoutARetryTimeoutTheEndOfTheServerIsTheEnd() throws Exception {
    lab.leavesUnfinishedFiles();
    Transfer transfer = client(Duration.ZERO).start(request(Way.PUSH).build(), heard);
    Lab.awaitUnfinished(copy.getParent(), 2);
    server.signal("KILL");

    TransferReport report = transfer.completion().get(60, TimeUnit.SECONDS);
    assertThat(report.exitStatus()).isEqualTo(3);
    assertThat(heard.notices).isEmpty();
  }

  @Test
  void aServerThatWasKilledAndDoesNotComeBackIsGivenUpAfterTheRetryTimeout() throws Exception {
    lab.leavesUnfinishedFiles();
    Transfer transfer = client(Duration.ofSeconds(2)).start(request(Way.PUSH).build(), heard);
    Lab.awaitUnfinished(copy.getParent(), 2);
    server.signal("KILL");
    server.end();
    long killedNanos = System.nanoTime();

    TransferReport report = transfer.completion().get(60, TimeUnit.SECONDS);
    assertThat(System.nanoTime() - killedNanos).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
    assertThat(report.exitStatus()).isEqualTo(3);
    assertThat(report.failureMessage()).contains("did not come back within 2 s");
  }

  /** What was read of it is gone. */
  @Test
  void anInputThatCannotBeReadTwiceFailsAndSaysSo() throws Exception {
    RunningCommand client =
        lab.startWords(
            lab.root(),
            "copy --accept-new - fdt://127.0.0.1:"
                + port
                + "/copies/stream < <(cat sources/data/z-large)");
    lab.leavesUnfinishedFiles();
    await("it arrives")
        .atMost(DEADLINE)
        .until(() -> !Lab.unfinishedFiles(copy.getParent()).isEmpty());
    server.signal("KILL");
    server.end();
    serveAgain();

    Outcome outcome = client.end().expect(3);
    assertThat(outcome.err()).contains("the input cannot be read twice");
    Shell.run(copy.getParent(), "rm -f .fdt-*"); // of the server that was killed
  }

  private FdtClient client(Duration retryTimeout) {
    FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(port)
            .trust(
                ServerTrust.knownHosts(lab.root().resolve("home"), ServerTrust.FirstContact.ACCEPT))
            .token(AccessToken.of(token))
            .retryTimeout(retryTimeout)
            .build();
    open.add(client);
    return client;
  }

  private TransferRequest.Builder request(Way way) {
    TransferRequest.Builder request =
        way == Way.PULL
            ? TransferRequest.pull().source("/sources/data").destination(copy.getParent())
            : TransferRequest.push().source(source).destination("/copies");
    return request.recursive(true);
  }

  /** What a listener was told. */
  private static final class Heard implements TransferListener {
    final List<String> notices = new CopyOnWriteArrayList<>();
    final List<String> done = new CopyOnWriteArrayList<>();
    final List<String> unchanged = new CopyOnWriteArrayList<>();

    List<String> all() {
      List<String> all = new ArrayList<>(done);
      all.addAll(unchanged);
      return all;
    }

    @Override
    public void notice(String message) {
      notices.add(message);
    }

    @Override
    public void fileDone(DoneFile file) {
      done.add(file.path());
    }

    @Override
    public void fileUnchanged(FoundFile file) {
      unchanged.add(file.path());
    }

    @Override
    public void problem(FileProblem problem) {
      notices.add(problem.toString());
    }
  }
}
