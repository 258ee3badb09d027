package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of files, and one file on standard output, by the built jar. */
class PartsTest {
  private static final int SIZE = 40_000_007;

  @RegisterExtension final Lab lab = new Lab();

  private Path file;
  private String url;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    Path deep = lab.directory("data/a/b/c");
    file = deep.resolve("file");
    Content.write(file, SIZE, 5);
    Content.write(deep.resolve("small"), 100, 6);
    server = lab.serve("--export", "data:ro");
    url = "fdt://127.0.0.1:" + server.port() + "/data/a/b/c/";
  }

  private Outcome copy(String... words) {
    return lab.run(lab.root(), words);
  }

  private byte[] bytes(int from, int to) throws IOException {
    return Arrays.copyOfRange(Files.readAllBytes(file), from, to);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 10, crc32c",
    "7, 30000000, crc32c",
    "1048575, 2097153, blake3",
    "4M, 5M, sha256",
    "40000007, 0, xxh3",
  })
  void aPartArrivesAsAFile(String offset, String length, String checksum) throws Exception {
    int from = Integer.parseInt(offset.replace("M", "")) * (offset.endsWith("M") ? 1 << 20 : 1);
    int bytes = Integer.parseInt(length.replace("M", "")) * (length.endsWith("M") ? 1 << 20 : 1);

    copy("copy", "--checksum", checksum, "--offset", offset, "--length", length, url + "file", "x")
        .expect(0);

    Content.assertHolds(lab.root().resolve("x"), bytes(from, from + bytes));
  }

  /** Two parts of one size have one time, too. */
  @Test
  void anotherPartReplacesTheFirst() throws Exception {
    copy("copy", "--length", "6M", url + "file", "x").expect(0);
    copy("copy", "--offset", "6M", "--length", "6M", url + "file", "x").expect(0);
    Content.assertHolds(lab.root().resolve("x"), bytes(6 << 20, 12 << 20));
    copy("copy", "--offset", "38M", url + "file", "x").expect(0);
    Content.assertHolds(lab.root().resolve("x"), bytes(38 << 20, SIZE));
  }

  @Test
  void whatIsBeyondTheEndIsRefused() {
    Outcome outcome =
        copy("copy", "--offset", "40000000", "--length", "8", url + "file", "x").expect(2);
    assertThat(outcome.problems().get(0)).contains("has 40000007 bytes", "from 40000000");
    copy("copy", "--offset", "1T", url + "file", "x").expect(2);
    copy("copy", "--offset", "1", lab.root().relativize(file).toString(), url).expect(2);
    copy("copy", "-r", "--offset", "1", url, "x").expect(2);
    copy("copy", "--offset", "1", url + "file", url + "small", "x").expect(2);
    assertThat(lab.root().resolve("x")).doesNotExist();
    copy("copy", "--offset", "1", url, "x").expect(1);
  }

  private Outcome pipe(String options, String name, String redirect) {
    return lab.runWords(lab.root(), "copy " + options + " '" + url + name + "' - " + redirect);
  }

  @ParameterizedTest
  @CsvSource({
    "-P 1",
    "-P 8 --readers 4",
    "-P 4 -bs 64K --writers 3",
    "-P 3 -bs 16M -v",
    "--encrypt"
  })
  void aFileIsWrittenToStandardOutputInOrder(String options) throws Exception {
    Outcome outcome = pipe(options, "file", "> out").expect(0);

    assertThat(Files.mismatch(lab.root().resolve("out"), file)).isEqualTo(-1);
    assertThat(outcome.err()).contains("1 file");
    pipe(options, "small", "> out").expect(0);
    assertThat(Files.mismatch(lab.root().resolve("out"), file.resolveSibling("small")))
        .isEqualTo(-1);
    pipe(options + " --offset 3 --length 7M", "file", "> out").expect(0);
    Content.assertHolds(lab.root().resolve("out"), bytes(3, 3 + (7 << 20)));
  }

  /** The program that reads is slower than the network. */
  @Test
  void aSlowReaderGetsEveryByte() throws Exception {
    pipe("-P 8", "file", "> >(sleep 2; cat > out; touch done)").expect(0);
    org.awaitility.Awaitility.await()
        .atMost(RunningCommand.DEADLINE)
        .until(() -> Files.exists(lab.root().resolve("done")));
    assertThat(Files.mismatch(lab.root().resolve("out"), file)).isEqualTo(-1);
  }

  @Test
  void aReaderThatGoesEndsIt() {
    Outcome outcome = pipe("-P 4", "file", "> >(head -c 10 > out)").expect(1);

    assertThat(outcome.problems()).isEmpty();
    assertThat(outcome.elapsed()).isLessThan(Duration.ofSeconds(60));
  }

  @Test
  void aFullDiskIsToldOfAsForAnyFile() {
    Outcome outcome =
        lab.runScript(lab.root(), "\"$@\" copy '" + url + "file' - > /dev/full").expect(6);

    assertThat(outcome.problems().get(0)).contains("cannot be written: no space is left");
  }

  @Test
  void whatIsLostOnTheWayToStandardOutputGoesAgainInItsPlace() throws Exception {
    AtomicBoolean broken = new AtomicBoolean();
    FaultyNetwork.Plan plan =
        (data, number) ->
            (bytes, count, offset, toClient) ->
                !data
                    || number != 1
                    || !toClient
                    || offset < 3 << 20
                    || !broken.compareAndSet(false, true);
    try (FaultyNetwork network = new FaultyNetwork(server.port(), plan)) {
      String through = "fdt://127.0.0.1:" + network.port() + "/data/a/b/c/file";
      lab.runWords(lab.root(), "copy -P 3 -bs 256K -limit 160Mbit/s '" + through + "' - > out")
          .expect(0);
      assertThat(network.dataConnections()).isGreaterThan(3);
    }

    assertThat(broken).isTrue();
    assertThat(Files.mismatch(lab.root().resolve("out"), file)).isEqualTo(-1);
  }

  @Test
  void aPartThatWasInterruptedGoesOnWhereItStopped() throws Exception {
    lab.leavesUnfinishedFiles();
    Path copies = lab.directory("copies");
    String[] part = {
      "copy", "--offset", "1000003", "--length", "30000000", url + "file", "copies/x"
    };
    List<String> slowly = new ArrayList<>(List.of(part));
    slowly.addAll(1, List.of("-limit", "16Mbit/s"));
    CommandProcess client = lab.startProcess(lab.root(), slowly.toArray(String[]::new));
    Lab.awaitUnfinished(copies, 3);
    client.signal("INT");
    client.end().expect(130);
    assertThat(copies.resolve("x")).doesNotExist();

    copy("copy", "--offset", "2000003", "--length", "30000000", url + "file", "copies/y").expect(0);
    Outcome outcome = copy(part).expect(0);

    assertThat(outcome.summary()).contains(" were there already");
    Content.assertHolds(copies.resolve("x"), bytes(1_000_003, 31_000_003));
    Content.assertHolds(copies.resolve("y"), bytes(2_000_003, 32_000_003));
  }

  /** Another part of the same size, under the same name, is no continuation. */
  @Test
  void anInterruptedPartIsNotTakenForAnother() throws Exception {
    lab.leavesUnfinishedFiles();
    Path copies = lab.directory("copies");
    CommandProcess client =
        lab.startProcess(
            lab.root(), "copy", "-limit", "16Mbit/s", "--length", "30M", url + "file", "copies/x");
    Lab.awaitUnfinished(copies, 3);
    client.signal("KILL");
    client.end();

    Outcome outcome = copy("copy", "--offset", "1M", "--length", "30M", url + "file", "copies/x");

    assertThat(outcome.expect(0).summary()).doesNotContain("were there already");
    Content.assertHolds(copies.resolve("x"), bytes(1 << 20, 31 << 20));
  }

  @Test
  void onlyOneFileGoesToStandardOutput() {
    pipe("-r", "", "> out").expect(2);
    pipe("--json", "file", "> out").expect(2);
    pipe("--verify", "file", "> out").expect(2);
    assertThat(pipe("", "", "> out").expect(1).problems()).isNotEmpty();
    assertThat(pipe("", "none", "> out").expect(1).problems().get(0)).contains("no such file");
    copy("copy", "-", url).expect(2);
    assertThat(lab.root().resolve("out")).isEmptyFile();
  }
}
