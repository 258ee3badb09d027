package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Copies that are left with a relay, which delivers them by itself. */
@Execution(ExecutionMode.CONCURRENT)
class HandOverTest {
  /** Within the first block of a stream's direction of data. */
  private static final long AT = 200_000;

  private static final Pattern ID = Pattern.compile("fdt attach ([0-9a-f]{8})");

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path target;
  private Path spool;
  private Path homeOfServer;
  private RunningCommand relay;
  private int port;
  private String fingerprint;

  @BeforeEach
  void start() throws Exception {
    source = lab.directory("source");
    Content.write(source.resolve("run/large"), 6 << 20, 1);
    Shell.run(
        source,
        "cd run; mkdir -p sub/empty; ln -s large link; chmod 640 large; touch -d 2020-01-02 sub");
    target = lab.directory("target");
    spool = lab.root().resolve("spool");
    homeOfServer = lab.root().resolve("far");
    relay = startRelay("1G");
    RunningCommand server = serve(0);
    port = server.port();
    fingerprint = fingerprintOf(server);
    server.stop();
  }

  private RunningCommand startRelay(String size) {
    return lab.serve(
        "--relay", "--spool", spool + ":" + size, "--export", "empty=" + lab.directory("empty"));
  }

  private RunningCommand serve(int at) {
    return lab.serveAt(
        homeOfServer, "--port", Integer.toString(at), "--export", "in=" + target + ":rw");
  }

  private static String fingerprintOf(RunningCommand server) {
    Matcher shown = Pattern.compile("identity=(SHA256:\\S+)").matcher(server.err());
    assertThat(shown.find()).isTrue();
    return shown.group(1);
  }

  private Outcome handOver(String... words) {
    List<String> all = new ArrayList<>(List.of("copy", "--hand-over", "-r"));
    all.addAll(List.of("--via", "127.0.0.1:" + relay.port()));
    all.addAll(List.of("--token-file", homeOfServer.resolve("token").toString()));
    all.addAll(List.of(words));
    return lab.run(lab.root(), all.toArray(String[]::new));
  }

  private String in(String path) {
    return "fdt://127.0.0.1:" + port + "/in/" + path + "?fingerprint=" + fingerprint;
  }

  private static String id(Outcome outcome) {
    Matcher id = ID.matcher(outcome.err());
    assertThat(id.find()).as(outcome.err()).isTrue();
    return id.group(1);
  }

  private Outcome attach(String id) {
    return lab.run(lab.root(), "attach", "fdt://127.0.0.1:" + relay.port() + "/" + id);
  }

  private void awaitArrival(String name) {
    await()
        .atMost(Duration.ofSeconds(40))
        .untilAsserted(() -> assertThat(target.resolve(name)).exists());
  }

  private void awaitEmptySpool() {
    await()
        .atMost(Duration.ofSeconds(40))
        .untilAsserted(() -> assertThat(spool.resolve("data")).isEmptyDirectory());
  }

  @Test
  void theServerIsAwayAndTheTreeArrivesWhenItIsBack() {
    Outcome left = handOver("source/run", in("")).expect(0);
    assertThat(left.err()).contains("handed over to 127.0.0.1:" + relay.port() + ": 6.00 MiB");
    Outcome waiting = lab.run(lab.root(), "sessions", "127.0.0.1:" + relay.port()).expect(0);
    assertThat(waiting.out()).contains(id(left));
    assertThat(target).isEmptyDirectory();

    serve(port);
    awaitArrival("run/sub");

    Outcome attached = lab.run(lab.root(), "attach", id(left)).expect(0); // it is remembered
    assertThat(attached.summary()).startsWith("done: 1 file, 6.00 MiB");
    Tree.assertSame(target.resolve("run"), source.resolve("run"));
    awaitEmptySpool();
  }

  /** It takes longer than a look at how it goes, which nobody but the relay is told. */
  @Test
  void aDeliveryThatTunesItselfArrives() throws Exception {
    serve(port);

    Outcome left = handOver("-P", "auto", "--limit", "20Mbit/s", "source/run", in("")).expect(0);

    assertThat(attach(id(left)).expect(0).summary()).startsWith("done: 1 file, 6.00 MiB");
    Tree.assertSame(target.resolve("run"), source.resolve("run"));
  }

  @Test
  void contentsAndNewNamesArriveAsWithoutARelay() throws Exception {
    serve(port);
    Files.writeString(source.resolve("one"), "1");

    handOver("source/run/", in("contents/")).expect(0);
    handOver("source/one", in("renamed")).expect(0);
    handOver("source/one", "source/run/large", in("both/")).expect(0);

    awaitArrival("contents/large");
    awaitArrival("both/large");
    awaitArrival("renamed");
    awaitEmptySpool();
    Tree.assertSame(target.resolve("contents"), source.resolve("run"));
    assertThat(target.resolve("renamed")).hasContent("1");
    assertThat(target.resolve("both/one")).hasContent("1");
  }

  @Test
  void theRelayIsRestartedAndGoesOnAndKeepsResults() {
    Outcome left = handOver("source/run", in("")).expect(0);
    relay.stop();
    relay = startRelay("1G");
    serve(port);
    awaitArrival("run/sub");
    awaitEmptySpool();
    Tree.assertSame(target.resolve("run"), source.resolve("run"));
    relay.stop();
    relay = startRelay("1G");

    assertThat(attach(id(left)).expect(0).summary()).startsWith("done: 1 file, 6.00 MiB");
  }

  /** The relay is killed in the middle of a delivery, and started again. */
  @Test
  void aRelayThatIsKilledGoesOn() throws Exception {
    relay.stop();
    Content.write(source.resolve("run/huge"), 40 << 20, 3);
    String[] options = {
      "--relay", "--spool", spool + ":1G", "--export", "empty=" + lab.directory("empty")
    };
    CommandProcess first = lab.serveProcess(options);
    relay = first;
    Outcome left = handOver("--limit", "15M", "source/run", in("")).expect(0);
    serve(port);
    Lab.awaitUnfinished(target, 4);

    first.kill();
    relay = lab.serveProcess(options);

    assertThat(attach(id(left)).expect(0).summary()).startsWith("done: 2 files, ");
    Tree.assertSame(target.resolve("run"), source.resolve("run"));
    awaitEmptySpool();
  }

  /** The source has gone by then, so what is sent again comes from the relay. */
  @Test
  void whatIsDamagedBehindTheRelayComesFromItsSpoolAgain() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    AtomicInteger flips = new AtomicInteger();
    serve(port);
    try (FaultyNetwork behind =
        new FaultyNetwork(
            port,
            (data, number) ->
                (bytes, count, offset, toClient) -> {
                  if (data && !toClient) {
                    gone.await();
                    if (number == 0 && offset <= AT && AT < offset + count) {
                      bytes[(int) (AT - offset)] ^= 1;
                      flips.incrementAndGet();
                    }
                  }
                  return true;
                })) {
      String there = in("").replace(":" + port + "/", ":" + behind.port() + "/");
      Outcome left = handOver("-bs", "1M", "-P", "1", "source/run", there).expect(0);
      Files.move(source.resolve("run"), source.resolve("moved"));
      gone.countDown();

      Outcome attached = attach(id(left)).expect(0);

      assertThat(flips).hasValue(1);
      assertThat(attached.summary())
          .startsWith("done: 1 file, 6.00 MiB")
          .contains("1 block sent again");
    }
    Tree.assertSame(target.resolve("run"), source.resolve("moved"));
    awaitEmptySpool();
  }

  /** Large and small files, whose digests lie beside the record; the same command mends it. */
  @Test
  void aByteThatIsDamagedInTheSpoolIsNeverDelivered() throws Exception {
    Content.write(source.resolve("run/small"), 5000, 2);
    Content.write(source.resolve("run/intact"), 5000, 3);
    Outcome left = handOver("source/run", in("")).expect(0);
    Path place = only(only(spool.resolve("data")));
    flip(place.resolve("run/large"), 4 << 20);
    flip(place.resolve("run/small"), 77);
    serve(port);

    Outcome attached = attach(id(left)).expect(5);

    assertThat(attached.err())
        .contains("large' in the spool is not what was handed over: check the disk of the relay")
        .contains("small' in the spool is not what was handed over");
    assertThat(target.resolve("run/large")).doesNotExist();
    assertThat(target.resolve("run/small")).doesNotExist();
    assertThat(target.resolve("run/intact")).exists();

    Outcome again = handOver("source/run", in("")).expect(0);
    assertThat(attach(id(again)).expect(0).summary()).startsWith("done: ");
    Tree.assertSame(target.resolve("run"), source.resolve("run"));
    awaitEmptySpool();
    await()
        .atMost(RunningCommand.DEADLINE)
        .untilAsserted(
            () -> assertThat(spool.resolve("records")).isDirectoryNotContaining("glob:**.digests"));
  }

  /** As after the loss of a mount, which is no reason to delete at the other end. */
  @Test
  void anEmptySourceDeletesNothingBehindTheRelay() throws Exception {
    lab.directory("source/gone");
    Files.writeString(Files.createDirectory(target.resolve("gone")).resolve("kept"), "k");
    serve(port);
    Outcome left = handOver("--delete", "source/gone", in("")).expect(0);

    assertThat(attach(id(left)).expect(1).err()).contains("the source is empty");

    assertThat(target.resolve("gone/kept")).exists();
    Outcome wanted = handOver("--delete", "--delete-from-empty", "source/gone", in("")).expect(0);
    attach(id(wanted)).expect(0);
    assertThat(target.resolve("gone")).isEmptyDirectory();
  }

  private static Path only(Path directory) throws Exception {
    try (Stream<Path> all = Files.list(directory)) {
      return all.toList().get(0);
    }
  }

  private static void flip(Path file, int at) throws Exception {
    byte[] bytes = Files.readAllBytes(file);
    FileTime modified = Files.getLastModifiedTime(file);
    bytes[at] ^= 1;
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, modified);
  }

  @Test
  void theSameCommandAgainSaysThatItIsThere() {
    Outcome left = handOver("source/run", in("")).expect(0);

    Outcome again = handOver("source/run", in("")).expect(1);

    assertThat(again.err()).contains("the relay has this already").contains(id(left));
  }

  @Test
  void whatIsCancelledIsRemoved() {
    Outcome left = handOver("source/run", in("")).expect(0);

    lab.run(lab.root(), "cancel", "fdt://127.0.0.1:" + relay.port() + "/" + id(left)).expect(0);

    awaitEmptySpool();
    serve(port);
    assertThat(attach(id(left)).expect(130).err()).contains("cancelled");
    assertThat(target).isEmptyDirectory();
  }

  /** Attempts fail and follow one another, and clients see one transfer. */
  @Test
  void whoFollowsFromThePauseHearsHowItEnds() {
    Outcome left = handOver("source/run", in("")).expect(0);
    awaitPause(left, "cannot connect");
    RunningCommand attached =
        lab.start(lab.root(), "attach", "fdt://127.0.0.1:" + relay.port() + "/" + id(left));
    await().atMost(RunningCommand.DEADLINE).until(() -> attached.err().contains(": trying again"));

    serve(port);

    assertThat(attached.end().expect(0).summary()).startsWith("done: 1 file, 6.00 MiB");
    Tree.assertSame(target.resolve("run"), source.resolve("run"));
  }

  @Test
  void whatIsCancelledInAPauseIsRemovedAtOnce() {
    Outcome left = handOver("source/run", in("")).expect(0);
    awaitPause(left, "cannot connect");

    Outcome cancelled =
        lab.run(lab.root(), "cancel", "fdt://127.0.0.1:" + relay.port() + "/" + id(left));

    assertThat(cancelled.expect(0).out()).contains("cancelled " + id(left));
    awaitEmptySpool();
    assertThat(attach(id(left)).expect(130).err()).contains("cancelled");
  }

  private void awaitPause(Outcome left, String reason) {
    await()
        .atMost(RunningCommand.DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        lab.run(lab.root(), "sessions", "127.0.0.1:" + relay.port())
                            .expect(0)
                            .out())
                    .containsPattern(id(left) + " +waiting .*" + reason));
  }

  @Test
  void aServerThatRefusesIsTheResult() {
    RunningCommand server = serve(port);
    Outcome left = handOver("source/run", in("").replace("/in/", "/elsewhere/")).expect(0);

    Outcome attached = attach(id(left));

    assertThat(attached.status()).isNotZero();
    assertThat(attached.err()).contains("elsewhere");
    assertThat(server.isAlive()).isTrue();
    assertThat(Shell.run(spool.resolve("records"), "grep -rl fdt_ . || true"))
        .as("records with a token")
        .isEmpty();
  }

  @Test
  void aDeliveryIsGivenUpAtItsDeadline() {
    Outcome left = handOver("--deliver-within", "1s", "source/run", in("")).expect(0);

    RunningCommand attached =
        lab.start(lab.root(), "attach", "fdt://127.0.0.1:" + relay.port() + "/" + id(left));
    await().atMost(Duration.ofSeconds(30)).until(() -> !attached.isAlive());
    assertThat(attached.end().expect(3).err()).contains("cannot connect");
  }

  @Test
  void aDeliveryEndsWhenTheTokenThatLeftItIsRevoked() throws Exception {
    token("gone");
    Outcome left = handOver("--via-token-file", "gone.token", "source/run", in("")).expect(0);
    awaitPause(left, "cannot connect");

    lab.run(lab.root(), "token", "revoke", "gone").expect(0);

    RunningCommand attached =
        lab.start(lab.root(), "attach", "fdt://127.0.0.1:" + relay.port() + "/" + id(left));
    await().atMost(Duration.ofSeconds(40)).until(() -> !attached.isAlive());
    assertThat(attached.err()).contains("gone", "revoked");
  }

  /** A token in a file, which the relay knows by then: it looks for new ones twice a second. */
  private void token(String name, String... limits) throws Exception {
    List<String> words = new ArrayList<>(List.of("token", "create", name));
    words.addAll(List.of(limits));
    String token = lab.run(lab.root(), words.toArray(String[]::new)).expect(0).out().strip();
    String file = name + ".token";
    Files.writeString(lab.root().resolve(file), token);
    Shell.run(lab.root(), "chmod 600 " + file);
    String relayed = "fdt://127.0.0.1:" + relay.port() + "/";
    await()
        .atMost(RunningCommand.DEADLINE)
        .until(() -> lab.run(lab.root(), "ls", "--token-file", file, relayed).status() == 0);
  }

  /** What one token leaves, no other one sees, reads or removes. */
  @Test
  void nobodySeesWhatOthersLeave() throws Exception {
    Outcome left = handOver("source/run", in("")).expect(0);
    String place = Lab.names(spool.resolve("data"), "?".repeat(32)).get(0).substring(2);
    token("mallory");
    String relayed = "fdt://127.0.0.1:" + relay.port();
    for (String[] words :
        new String[][] {
          {"ls", relayed + "/.spool"},
          {"ls", relayed + "/.spool/" + place},
          {"rm", "-r", relayed + "/.spool/" + place},
          {"copy", "-r", relayed + "/.spool/" + place, "stolen"},
          {"copy", "-r", "source/run", relayed + "/.spool/" + place + "/0"}
        }) {
      List<String> all = new ArrayList<>(List.of(words));
      all.addAll(1, List.of("--token-file", "mallory.token"));
      Outcome refused = lab.run(lab.root(), all.toArray(String[]::new));
      assertThat(refused.status()).as(String.join(" ", words)).isNotZero();
    }
    assertThat(lab.run(lab.root(), "ls", relayed + "/").expect(0).out()).doesNotContain("spool");
    assertThat(spool.resolve("data").resolve(place)).exists();

    serve(port);
    assertThat(attach(id(left)).expect(0).summary()).startsWith("done: 1 file");
  }

  @Test
  void aSecondServerDoesNotGetTheSameSpool() {
    Outcome second =
        lab.run(
            lab.root(),
            "serve",
            "--relay",
            "--spool",
            spool + ":1G",
            "--export",
            "e=empty",
            "-p",
            "0");

    assertThat(second.status()).isNotZero();
    assertThat(second.err()).contains("another server has the spool");
  }

  @Test
  void aFullSpoolTakesNothing() {
    relay.stop();
    relay = startRelay("2M");

    Outcome outcome = handOver("--limit", "5M", "source/run", in("")).expect(6);

    assertThat(outcome.err()).contains("the spool of the relay is full (2.00 MiB)");
    awaitEmptySpool(); // the room is for others
  }

  @Test
  void aTokenLeavesNoMoreThanItMay() throws Exception {
    token("bob", "--spool", "2M");

    Outcome outcome =
        handOver("--limit", "20M", "--via-token-file", "bob.token", "source/run", in("")).expect(6);

    assertThat(outcome.err()).contains("the token may leave 2.00 MiB with the relay");
    awaitEmptySpool();
    handOver("source/run", in("")).expect(0); // others have room
  }

  @Test
  void aDeliveryGoesOnlyWhereItsTokenMay() throws Exception {
    token("bob", "--relay-to", "192.0.2.0/24");
    serve(port);

    Outcome left = handOver("--via-token-file", "bob.token", "source/run", in("")).expect(0);

    assertThat(attach(id(left)).expect(4).err())
        .contains("the token does not allow connecting to 127.0.0.1");
    assertThat(target).isEmptyDirectory();
  }

  @Test
  void aDeliveryIsAsFastAsItsTokenMayRelay() throws Exception {
    token("bob", "--relay-limit", "2M"); // 2 MiB a second
    serve(port);

    Outcome left = handOver("--via-token-file", "bob.token", "source/run", in("")).expect(0);

    String summary = attach(id(left)).expect(0).summary();
    Matcher seconds = Pattern.compile("done: 1 file, 6\\.00 MiB in ([0-9.]+) s").matcher(summary);
    assertThat(seconds.find()).as(summary).isTrue();
    assertThat(Double.parseDouble(seconds.group(1))).isGreaterThan(1.5);
  }

  @Test
  void aSpoolThatCannotBeMadeIsNamed() throws Exception {
    Files.writeString(lab.root().resolve("file"), "");

    Outcome outcome =
        lab.run(lab.root(), "serve", "--relay", "--spool", "file:1G", "--export", "e=empty");

    assertThat(outcome.status()).isNotZero();
    assertThat(outcome.err()).contains("cannot make the spool");
  }

  @Test
  void whatMakesNoSenseIsNamed() {
    String via = "127.0.0.1:" + relay.port();
    assertThat(lab.run(lab.root(), "copy", "--hand-over", "source/run", in("")).expect(2).err())
        .contains("--hand-over needs one relay: --via HOST[:PORT]");
    assertThat(handOver(in("x"), "here").expect(2).err())
        .contains("--hand-over is for files of this machine that go to a server");
    assertThat(handOver("-n", "source/run", in("")).expect(2).err())
        .contains("cannot be combined with --hand-over");
    assertThat(
            lab.run(lab.root(), "copy", "--hand-over", "--via", via, "source/run", "fdt://h/x")
                .expect(4)
                .err())
        .contains("the key of h:54321 is not known: add --fingerprint");
    RunningCommand without = lab.serve("--relay", "--export", "empty=" + lab.directory("empty"));
    relay = without;
    assertThat(handOver("source/run", in("")).expect(4).err())
        .contains("the relay keeps nothing")
        .contains("--spool DIR:SIZE");
  }
}
