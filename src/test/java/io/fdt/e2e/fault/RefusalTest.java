package io.fdt.e2e.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whoever is refused learns it by exit status 4 and one line that says what to do; on every verb.
 */
class RefusalTest {
  private static final int REFUSED = 4;

  @RegisterExtension final Lab lab = new Lab();

  private Path data;

  @BeforeEach
  void makeData() {
    data = lab.directory("data");
    lab.directory("here");
    Content.write(data.resolve("file"), 1000, 1);
    Content.write(lab.root().resolve("mine"), 1000, 2);
  }

  /** Each row: how the token comes to be, and what the line says. */
  @Test
  void tokensThatAreNotGoodAreRefusedOnEveryVerb() {
    String alice = token("alice");
    String late = token("late", "--expires", "1s");
    String far = token("far", "--address", "192.0.2.0/24");
    RunningCommand server = lab.serve("--export", "data:rw");
    lab.run(lab.root(), "token", "revoke", "alice").expect(0);

    awaitRefusal(server, alice);
    awaitRefusal(server, late);
    for (String verb : List.of("pull", "push", "ls", "nettest")) {
      assertRefused(run(server, verb, write("wrong", "fdt_wrong")), "another one");
      assertRefused(run(server, verb, write("alice", alice)), "another one");
      assertRefused(run(server, verb, write("late", late)), "another one");
      assertRefused(run(server, verb, write("far", far)), "127.0.0.1", "administrator");
    }
    assertThat(data.toFile().list()).containsExactly("file");
    assertThat(lab.root().resolve("here")).isEmptyDirectory();
  }

  @Test
  void narrowedTokensReachNoFurther() {
    lab.directory("other");
    Content.write(lab.root().resolve("other/file"), 10, 3);
    String reader = write("reader", token("reader", "--read-only"));
    String narrow = write("narrow", token("narrow", "--export", "other"));
    RunningCommand server = lab.serve("--export", "data:rw", "--export", "other:rw");

    assertRefused(run(server, "push", reader), "'/data/", "a token that is not read-only");
    for (String verb : List.of("pull", "push", "ls")) {
      assertRefused(run(server, verb, narrow), "/data", "other");
    }
    assertThat(data.toFile().list()).containsExactly("file");
  }

  @Test
  void readOnlyExportsTakeNothing() {
    RunningCommand server = lab.serve("--export", "data:ro");

    assertRefused(client(server, "-d", "/data", "mine"), "the export is read-only", "another one");
    assertThat(data.toFile().list()).containsExactly("file");
  }

  @Test
  void tokenFilesThatOthersMayReadAreRefused() throws IOException {
    Path file = Path.of(write("own", token("alice")));
    String good = token("bob");
    RunningCommand server = lab.serve("--export", "data");
    for (String permissions : List.of("rw-r-----", "rw----r--", "rw--w----")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
      assertRefused(run(server, "ls", file.toString()), "chmod 600 " + file);
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Files.write(file, new byte[] {(byte) 0xff, '\n'});
    assertThat(run(server, "ls", file.toString()).expect(2).problems())
        .containsExactly(
            "fdt: --token-file: '"
                + file
                + "' is not a token: a token is one word that begins with fdt_");
    Files.writeString(file, good);
    run(server, "ls", file.toString()).expect(0);
    lab.runWords(
            lab.root(),
            "ls --token-file <(cat %s) fdt://127.0.0.1:%d/data".formatted(file, server.port()))
        .expect(0);
  }

  @Test
  void addressesThatAreNotListedAreRefused() {
    String list = write("list", "192.0.2.7\n");
    RunningCommand server = lab.serve("--export", "data:rw", "-f", list);

    for (String verb : List.of("pull", "push", "ls", "nettest")) {
      assertRefused(run(server, verb, null), "this address", "ask its administrator");
    }
  }

  @Test
  void clearDataIsRefusedWhereEncryptionIsDemanded() {
    RunningCommand server = lab.serve("--export", "data:rw", "--require-encryption");

    for (String verb : List.of("pull", "push", "nettest")) {
      assertRefused(run(server, verb, null), "--encrypt");
    }
    client(server, "--encrypt", "-pull", "-d", "here", "/data/file").expect(0);
  }

  @Test
  void keysThatAreUnknownWrongOrNewAreRefused() throws IOException {
    RunningCommand server = lab.serve("--export", "data:rw");
    Path home = lab.root().resolve("home");
    String token = home.resolve("token").toString();
    Path stranger = lab.root().resolve("stranger-home");
    Files.createDirectory(stranger);

    assertRefused(strangersClient(stranger, server, token), "--fingerprint", "--accept-new");
    assertRefused(
        client(
            server,
            "--fingerprint",
            "SHA256:" + "A".repeat(43),
            "-pull",
            "-d",
            "here",
            "/data/file"),
        "is not the requested server");
    strangersClient(stranger, server, token, "--accept-new").expect(0);
    Path hosts = stranger.resolve("known_hosts");
    String known = Files.readString(hosts);
    Files.writeString(
        hosts, known.replaceAll("SHA256:\\S+", "SHA256:" + "A".repeat(43)), StandardCharsets.UTF_8);
    assertRefused(
        strangersClient(stranger, server, token, "--accept-new"), "HAS CHANGED", "remove");
  }

  /** The CA of a site signs for server and client; nobody else's certificate is good. */
  @Test
  void certificatesOfTheSitesAuthority() throws IOException {
    Shell.run(
        lab.root(),
        """
        mkdir tls; cd tls
        for ca in ca other; do
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $ca.key \\
            -out $ca.pem -subj "/CN=$ca" -days 2 2>/dev/null
        done
        for who in "server ca" "client ca" "foreign other"; do
          set -- $who
          openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $1.key \\
            -out $1.csr -subj "/CN=$1" 2>/dev/null
          printf 'subjectAltName=IP:127.0.0.1' > $1.ext
          openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -CAcreateserial -days 2 \\
            -extfile $1.ext -out $1.pem 2>/dev/null
        done
        chmod 600 *.key
        """);
    RunningCommand server =
        lab.serve(
            "--export", "data:rw", "--tls-cert", "tls/server.pem", "--tls-key", "tls/server.key");

    // The local client of the same user finds key and token by itself.
    client(server, "-pull", "-d", "here", "/data/file").expect(0);
    client(server, "--tls-ca", "tls/ca.pem", "-pull", "-d", "here", "/data/file").expect(0);
    assertRefused(
        client(server, "--tls-ca", "tls/other.pem", "-pull", "-d", "here", "/data/file"),
        "no TLS with");

    RunningCommand mutual =
        lab.serve(
            "--export",
            "data:rw",
            "--tls-cert",
            "tls/server.pem",
            "--tls-key",
            "tls/server.key",
            "--tls-ca",
            "tls/ca.pem");
    client(
            mutual,
            "--tls-cert",
            "tls/client.pem",
            "--tls-key",
            "tls/client.key",
            "--encrypt",
            "-pull",
            "-d",
            "here",
            "/data/file")
        .expect(0);
    assertRefused(client(mutual, "-pull", "-d", "here", "/data/file"), "--tls-cert");
    assertRefused(
        client(
            mutual,
            "--tls-cert",
            "tls/foreign.pem",
            "--tls-key",
            "tls/foreign.key",
            "-pull",
            "-d",
            "here",
            "/data/file"),
        "certificate");
  }

  @Test
  void aFullServerSaysWhenToComeAgain() {
    RunningCommand server = lab.serve("--export", "data:rw", "--max-sessions", "1", "-v");
    RunningCommand running =
        lab.start(lab.root(), "nettest", "127.0.0.1:" + server.port(), "--seconds", "60");
    org.awaitility.Awaitility.await("the one place is taken")
        .atMost(RunningCommand.DEADLINE)
        .until(() -> (server.out() + server.err()).contains("session opened"));

    Outcome outcome = client(server, "-pull", "-d", "here", "/data/file").expect(3);

    assertThat(outcome.problems()).singleElement().asString().contains("try again in a minute");
    running.stop();
  }

  private void awaitRefusal(RunningCommand server, String token) {
    String file = write("awaited", token);
    org.awaitility.Awaitility.await("the server follows its tokens")
        .atMost(RunningCommand.DEADLINE)
        .until(() -> run(server, "ls", file).status() == REFUSED);
  }

  private static void assertRefused(Outcome outcome, String... words) {
    outcome.expect(REFUSED);
    assertThat(outcome.problems()).as(outcome.err()).singleElement().asString().contains(words);
    assertThat(outcome.err()).doesNotContain("fdt_");
  }

  private Outcome run(RunningCommand server, String verb, String tokenFile) {
    String host = "127.0.0.1:" + server.port();
    String data = "fdt://" + host + "/data";
    List<String> words = new ArrayList<>();
    switch (verb) {
      case "pull" -> words.addAll(List.of("copy", data + "/file", "here/"));
      case "push" -> words.addAll(List.of("copy", "mine", data + "/"));
      case "ls" -> words.addAll(List.of("ls", data));
      default -> words.addAll(List.of("nettest", host, "--seconds", "1"));
    }
    if (tokenFile != null) {
      words.addAll(List.of("--token-file", tokenFile));
    }
    return lab.run(lab.root(), words.toArray(String[]::new));
  }

  private Outcome client(RunningCommand server, String... words) {
    return lab.run(lab.root(), Lab.clientOf(server, words));
  }

  /** As somebody with another home, but with the token. */
  private Outcome strangersClient(Path home, RunningCommand server, String token, String... words) {
    List<String> all = new ArrayList<>(List.of("--token-file", token));
    all.addAll(List.of(words));
    all.addAll(List.of("-pull", "-d", "here", "/data/file"));
    return lab.runAt(home, lab.root(), Lab.clientOf(server, all.toArray(String[]::new)));
  }

  private String token(String name, String... options) {
    List<String> words = new ArrayList<>(List.of("token", "create", name));
    words.addAll(List.of(options));
    Outcome outcome = lab.run(lab.root(), words.toArray(String[]::new)).expect(0);
    return outcome.out().lines().filter(line -> line.startsWith("fdt_")).findFirst().orElseThrow();
  }

  private String write(String name, String text) {
    try {
      Path file = Files.createTempFile(lab.root(), name, "");
      Files.writeString(file, text);
      return file.toString();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
