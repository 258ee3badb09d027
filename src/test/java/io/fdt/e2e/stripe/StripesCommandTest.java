package io.fdt.e2e.stripe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data nodes, as processes of their own where they are killed and stopped. */
@Execution(ExecutionMode.CONCURRENT)
class StripesCommandTest {
  private static final Pattern FINGERPRINT = Pattern.compile("SHA256:[A-Za-z0-9_-]{43}");

  @RegisterExtension final Lab lab = new Lab();

  private Path shared;
  private Path here;
  private Path token;

  @BeforeEach
  void makeData() throws Exception {
    shared = lab.directory("shared");
    here = lab.directory("here");
    token = lab.root().resolve("node.token");
    Files.createDirectories(shared.resolve("run"));
    Content.write(here.resolve("run/large"), 48 << 20, 1);
    Content.write(here.resolve("run/small"), 100, 2);
  }

  private RunningCommand front() throws Exception {
    String made = lab.run(lab.root(), "token", "create", "node", "--data-node").expect(0).out();
    Files.writeString(token, made);
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    return lab.serve("--export", shared + ":rw");
  }

  /** As somebody would do it who reads what the front end prints. */
  private String joining(RunningCommand front) {
    Path home = lab.root().resolve("front-print");
    Matcher shown = FINGERPRINT.matcher(front.out() + fingerprintOf(front, home));
    assertThat(shown.find()).isTrue();
    return "fdt://127.0.0.1:" + front.port() + "?fingerprint=" + shown.group();
  }

  /** A server on loopback tells no other machine how to fetch; a client that meets it learns it. */
  private String fingerprintOf(RunningCommand front, Path home) {
    return lab.runAt(home, lab.root(), "ls", "fdt://127.0.0.1:" + front.port() + "/").err();
  }

  private CommandProcess node(String joining, String... options) {
    String[] all = new String[6 + options.length];
    all[0] = "--export";
    all[1] = shared + ":rw";
    all[2] = "--join";
    all[3] = joining;
    all[4] = "--join-token-file";
    all[5] = token.toString();
    System.arraycopy(options, 0, all, 6, options.length);
    return lab.serveProcessAt(lab.root().resolve("nodehome"), all);
  }

  private RunningCommand push(RunningCommand front) {
    return lab.start(
        here,
        "copy",
        "-r",
        "--limit",
        "80Mbit/s",
        "run",
        "fdt://127.0.0.1:" + front.port() + "/shared/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"KILL", "STOP", "TERM"})
  void aNodeThatDiesHangsOrIsStoppedCostsWhatWasUnderWay(String signal) throws Exception {
    RunningCommand front = front();
    CommandProcess node = node(joining(front));
    await(front, "data node joined");

    RunningCommand copy = push(front);
    Lab.awaitUnfinished(shared.resolve("run"), 12);
    node.signal(signal);
    Outcome outcome = copy.end().expect(0);

    assertThat(outcome.summary()).startsWith("done: 2 files");
    Tree.assertSame(shared.resolve("run"), here.resolve("run"));
    await(front, "data node left");
    if (signal.equals("STOP")) {
      node.signal("CONT");
    }
  }

  /** It is tried again every few seconds; the log would be full of it. */
  @Test
  void aTokenThatMakesNoNodeIsToldOfOnce() throws Exception {
    RunningCommand front = front();
    Files.writeString(token, lab.run(lab.root(), "token", "create", "other").expect(0).out());
    CommandProcess node = node(joining(front));
    await(node, "the token makes no data node");

    Awaitility.await()
        .during(Duration.ofSeconds(2)) // four more attempts
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                (node.err() + node.out()).lines().filter(line -> line.contains("joined")).count()
                    == 1);
    node.signal("TERM");
  }

  private static void await(RunningCommand server, String what) {
    Awaitility.await(what)
        .atMost(Duration.ofSeconds(60))
        .until(() -> (server.err() + server.out()).contains(what));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--join fdt://127.0.0.1:1 | must say who the front end is",
        "--join-token-file x | needs --join",
        "--advertise 10.0.0.1 | needs --join",
        "--limit 1G --join fdt://h | --limit cannot be combined with --join: give it to the front",
        "--join fdt://h:1?fingerprint=SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            + " | --join needs a token"
      })
  void whatMakesNoSenseIsSaid(String options, String message) {
    String[] words = ("serve /tmp --port 0 " + options).split(" ");
    Outcome outcome = lab.run(lab.root(), words).expect(2);
    assertThat(outcome.err()).contains(message);
  }

  @Test
  void aTokenFileThatOthersCanReadIsRefused() throws Exception {
    RunningCommand front = front();
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
    String joining = joining(front);
    Outcome outcome =
        lab.run(
            lab.root(),
            "serve",
            "/tmp",
            "--port",
            "0",
            "--join",
            joining,
            "--join-token-file",
            token.toString());
    assertThat(outcome.err()).contains(token.toString());
    assertThat(outcome.status()).isNotZero();
  }
}
