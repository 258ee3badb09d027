package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Standard input that arrives as one file, by the built jar. */
class StandardInputTest {
  private static final int SIZE = 40_000_007;
  private static final int DATA_FRAMES_AT = 16 + 52;

  @RegisterExtension final Lab lab = new Lab();

  private RunningCommand server;
  private Path arrived;

  @BeforeEach
  void serve() {
    arrived = lab.directory("data/a/b").resolve("c");
    server = lab.serve("--export", "data:rw", "--anonymous", "rw");
  }

  private String url(int port) {
    return "fdt://127.0.0.1:" + port + "/data/a/b/";
  }

  private Path input(long size) {
    Path file = lab.root().resolve("input");
    Content.write(file, size, 9);
    return file;
  }

  /** The options, the name at the destination, and where the input comes from. */
  private Outcome copy(String options, String name, String redirect) {
    return lab.runWords(
        lab.root(), "copy " + options + " - '" + url(server.port()) + name + "' " + redirect);
  }

  @ParameterizedTest
  @CsvSource({
    "0, -P 4",
    "1, -P 4",
    "1048576, -P 4",
    "1048575, -P 2 --checksum none",
    "2097152, -P 1 --verify --fsync",
    "40000007, -P 4",
    "40000007, -P 4 --verify --writers 3",
    "40000007, -P 8 -bs 64K --encrypt",
    "40000007, -P 3 -bs 16M --readers 4",
  })
  void whatIsReadArrivesWhole(long size, String options) throws Exception {
    Path input = input(size);

    Outcome outcome = copy(options, "c", "< input").expect(0);

    assertThat(Files.mismatch(arrived, input)).isEqualTo(-1);
    assertThat(outcome.summary()).contains("1 file");
  }

  @Test
  void aSlowPipeIsWaitedForAndADirectoryThatLacksIsMade() throws Exception {
    Path input = input(3_000_000);

    copy("-P 4", "new/d/c", "< <(head -c 1000000 input; sleep 2; tail -c +1000001 input)")
        .expect(0);

    assertThat(Files.mismatch(arrived.resolveSibling("new/d/c"), input)).isEqualTo(-1);
  }

  @Test
  void itReplacesAFile() throws Exception {
    Content.write(arrived, 5_000_000, 1);
    Path input = input(100);
    copy("", "c", "< input").expect(0);
    assertThat(Files.mismatch(arrived, input)).isEqualTo(-1);
    copy("", "c", "< /dev/null").expect(0);
    assertThat(arrived).isEmptyFile();
  }

  @Test
  void aNameMustBeGiven() {
    Content.write(arrived.resolve("in"), 1, 1);
    assertThat(copy("", "c", "< /dev/null").expect(2).problems().get(0))
        .contains("/data/a/b/c", "is a directory", "has no name");
    assertThat(copy("", "", "< /dev/null").expect(2).problems().get(0)).contains("has no name");
    assertThat(copy("", "none/", "< /dev/null").expect(2).problems().get(0))
        .contains("has no name");
    assertThat(arrived.resolveSibling("none")).doesNotExist();
    assertThat(
            lab.runWords(
                    lab.root(), "copy - fdt://127.0.0.1:" + server.port() + "/data < /dev/null")
                .expect(2)
                .problems()
                .get(0))
        .contains("has no name");
  }

  @ParameterizedTest
  @CsvSource({
    "-r",
    "--dry-run",
    "--checksum blake3",
    "--sync size",
    "--update",
    "--exclude x",
    "--files-from /dev/null",
    "--offset 1",
    "./x",
  })
  void whatDoesNotGoWithItIsRefused(String options) {
    assertThat(copy(options, "c", "< /dev/null").expect(2).problems()).hasSize(1);
    assertThat(arrived).doesNotExist();
  }

  @Test
  void fdtsFormSaysHowItIsWritten() {
    Outcome outcome = lab.run(lab.root(), Lab.clientOf(server, "-d", "/data/a/b", "-")).expect(2);

    assertThat(outcome.problems().get(0)).contains("copy - HOST:/PATH/NAME");
  }

  @Test
  void inputThatCannotBeReadIsNotPublished() {
    Outcome outcome = copy("", "c", "< .").expect(1);

    assertThat(outcome.problems().get(0)).contains("the input cannot be read");
    assertThat(arrived).doesNotExist();
  }

  @Test
  void aServerThatIsReadOnlyTakesNothing() {
    RunningCommand other = lab.serve("--export", "data:ro");

    lab.runWords(
            lab.root(), "copy - fdt://127.0.0.1:" + other.port() + "/data/x < <(echo x; sleep 60)")
        .expect(4);

    assertThat(lab.root().resolve("data/x")).doesNotExist();
  }

  /** One stream breaks in the middle, and the control connection as well. */
  @Test
  void whatIsLostWithItsConnectionGoesAgain() throws Exception {
    Path input = input(SIZE);
    AtomicBoolean stream = new AtomicBoolean();
    AtomicBoolean control = new AtomicBoolean();
    FaultyNetwork.Plan plan =
        (data, number) ->
            (bytes, count, offset, toClient) -> {
              boolean middle = !toClient && offset > DATA_FRAMES_AT + (3 << 20);
              if (data && number == 1 && middle && stream.compareAndSet(false, true)) {
                return false;
              }
              return data || number > 0 || !stream.get() || !control.compareAndSet(false, true);
            };
    try (FaultyNetwork network = new FaultyNetwork(server.port(), plan)) {
      lab.runWords(lab.root(), "copy -P 3 -bs 256K - '" + url(network.port()) + "c' < input")
          .expect(0);
      assertThat(network.dataConnections()).isGreaterThan(3);
    }

    assertThat(stream).isTrue();
    assertThat(control).isTrue();
    assertThat(Files.mismatch(arrived, input)).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource({"INT", "KILL"})
  void aClientThatIsStoppedPublishesNothing(String signal) throws Exception {
    lab.leavesUnfinishedFiles();
    input(8 << 20);
    RunningCommand client =
        lab.startWords(
            lab.root(), "copy - '" + url(server.port()) + "c' < <(cat input; exec sleep 60)");
    Lab.awaitUnfinished(arrived.getParent(), 2);

    client.signal(signal);
    client.end();

    assertThat(arrived).doesNotExist();
    Path other = input(10);
    copy("", "c", "< <(cat input)").expect(0);
    assertThat(Files.mismatch(arrived, other)).isEqualTo(-1);
  }

  /** What a killed stream has left is no part of the file whose journal stood there before. */
  @Test
  void aStreamDoesNotLeaveTheJournalOfAnotherFile() throws Exception {
    lab.leavesUnfinishedFiles();
    server.stop();
    server = lab.serveProcess("--export", "data:rw", "--anonymous", "rw");
    Path large = lab.directory("large").resolve("c");
    Content.write(large, 32L << 20, 3);
    String[] push = {"copy", "-limit", "16Mbit/s", large.toString(), url(server.port())};
    CommandProcess first = lab.startProcess(lab.root(), push);
    Lab.awaitUnfinished(arrived.getParent(), 4);
    first.signal("INT");
    first.end();
    input(6 << 20);
    RunningCommand second =
        lab.startWords(
            lab.root(), "copy - '" + url(server.port()) + "c' < <(cat input; exec sleep 60)");
    await("the journal is gone")
        .atMost(RunningCommand.DEADLINE)
        .until(() -> Lab.names(arrived.getParent(), ".fdt-*.journal").isEmpty());
    server.kill(); // so that nobody removes what it has written
    second.signal("INT");
    second.end();
    server = lab.serve("--export", "data:rw", "--anonymous", "rw");

    lab.run(lab.root(), "copy", large.toString(), url(server.port())).expect(0);

    assertThat(Files.mismatch(arrived, large)).isEqualTo(-1);
  }

  @Test
  void aProgramGivesAStream() throws Exception {
    byte[] bytes = new byte[3_000_000];
    bytes[2_999_999] = 7;
    assertThat(push(new ByteArrayInputStream(bytes)).exitStatus()).isZero();
    Content.assertHolds(arrived, bytes);
    Files.delete(arrived);
    InputStream torn = InputStream.nullInputStream();
    torn.close();

    TransferReport report = push(new SequenceInputStream(new ByteArrayInputStream(bytes), torn));

    assertThat(report.figures().files().failed()).isEqualTo(1);
    assertThat(arrived).doesNotExist();
  }

  private TransferReport push(InputStream in) throws Exception {
    ServerTrust trust =
        ServerTrust.knownHosts(lab.root().resolve("home"), ServerTrust.FirstContact.REFUSE);
    try (FdtClient client =
        FdtClient.builder("127.0.0.1").port(server.port()).trust(trust).build()) {
      return client
          .start(
              TransferRequest.push().input(in).destination("/data/a/b/c").build(),
              TransferListener.NONE)
          .await();
    }
  }
}
