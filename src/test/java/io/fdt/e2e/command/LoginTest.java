package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is typed once: tokens, keys, names of servers, and options in the environment. */
class LoginTest {
  @RegisterExtension private final Lab lab = new Lab();
  private RunningCommand server;
  private Path stranger;
  private String address;

  @BeforeEach
  void serveToSomebodyElse() throws IOException {
    Content.write(lab.root().resolve("data/50%?x"), 3000, 1);
    Content.write(lab.root().resolve("data/b"), 10, 2);
    server = lab.serveAt(lab.directory("owner"), "--export", "data:rw", "--limit", "200Mbit/s");
    address = "127.0.0.1:" + server.port();
    stranger = lab.root().resolve("home");
    Files.copy(lab.root().resolve("owner/token"), lab.root().resolve("alice"));
  }

  @Test
  void aLoginIsRememberedUntilTheLogout() throws IOException {
    run("ls", "fdt://" + address + "/data").expect(4);

    Outcome login =
        lab.runWords(lab.root(), "login --accept-new " + address + " < alice").expect(0);
    run("ls", "fdt://" + address + "/data").expect(0);
    run("copy", "fdt://" + address + "/data/b", "b").expect(0);
    Outcome servers = run("servers").expect(0);
    Outcome json = run("servers", "--json").expect(0);
    Path logins = stranger.resolve("logins");
    String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(logins));

    assertThat(login.out()).contains("logged in to " + address, "SHA256:");
    assertThat(mode).isEqualTo("rw-------");
    assertThat(servers.out()).contains(address + " ", " yes ", "SHA256:");
    assertThat(JsonLines.of(JsonLines.lines(JsonLines.COMMANDS, json), "server"))
        .singleElement()
        .satisfies(server -> assertThat(server.get("token").asBoolean()).isTrue());
    assertThat(servers.out() + json.out() + login.out() + login.err())
        .doesNotContain(Files.readString(lab.root().resolve("alice")).strip());

    run("logout", address).expect(0);

    assertThat(logins).isEmptyFile();
    assertThat(stranger.resolve("client.conf")).isEmptyFile();
    Outcome nobody = run("servers").expect(0);
    assertThat(nobody.out()).isEmpty();
    assertThat(nobody.err()).contains("no server is known yet; fdt login HOST remembers one");
    assertThat(run("ls", "fdt://" + address + "/data").expect(4).err()).contains("--accept-new");
    assertThat(run("logout", address).expect(1).err()).contains("is not known");
  }

  @Test
  void aTokenThatTheServerDoesNotTakeIsNotKept() {
    Shell.run(lab.root(), "printf fdt_nonsense > wrong; chmod 600 wrong; printf 'a b' > senseless");

    Outcome wrong =
        lab.runWords(lab.root(), "login --accept-new " + address + " < wrong").expect(4);
    Outcome senseless =
        lab.runWords(lab.root(), "login --accept-new " + address + " < senseless").expect(2);
    Outcome none = run("login", "--accept-new", address).expect(4);

    assertThat(stranger.resolve("logins")).doesNotExist();
    assertThat(wrong.problems()).hasSize(1);
    assertThat(senseless.problems())
        .containsExactly(
            "fdt: standard input: not a token: a token is one word that begins with fdt_");
    assertThat(none.err())
        .contains(
            "standard input, which may have it, was empty; use --token-file FILE or FDT_TOKEN");
    assertThat(run("ls", "--accept-new", address + ":/").expect(4).err())
        .contains("use fdt login, --token-file FILE or FDT_TOKEN; ask its administrator for one");
  }

  @Test
  void aLoginWithoutATokenKeepsTheStoredOneIfTheServerTakesIt() {
    login(address).expect(0);

    Outcome again = run("login", address).expect(0);

    assertThat(again.out()).contains("logged in to " + address);
    run("ls", address + ":/data").expect(0);
  }

  @Test
  void aRevokedStoredTokenIsReplacedByTheNextLogin() throws IOException {
    login(address).expect(0);
    Path logins = stranger.resolve("logins");
    Files.writeString(
        logins, Files.readString(logins).replaceAll("fdt_\\S+", "fdt_" + "A".repeat(43)));

    Outcome without = run("login", address).expect(4);
    Outcome with = login(address).expect(0);

    assertThat(without.problems())
        .containsExactly(
            "fdt: the server no longer accepts the stored token: log in with another one on"
                + " standard input, or remove it: fdt logout "
                + address);
    assertThat(with.out()).contains("logged in to " + address);
    run("ls", address + ":/data").expect(0);
  }

  @Test
  void theTokenOfALoginGoesToNobodyElse() throws IOException {
    lab.runWords(lab.root(), "login --accept-new " + address + " < alice").expect(0);
    Path logins = stranger.resolve("logins");
    Files.writeString(
        logins, Files.readString(logins).replaceAll("SHA256:\\S+", "SHA256:" + "A".repeat(43)));

    assertThat(run("ls", "fdt://" + address + "/data").expect(4).err()).contains("token");
  }

  @Test
  void aNameOfAServerWorksWhereverAHostDoes() throws IOException {
    String refusal = run("ls", "fdt://" + address + "/data").expect(4).err();
    String key = refusal.replaceFirst("(?s).*It presents (SHA256:[^ .]+).*", "$1");
    configure(
        """
        # Servers that I use.
        [server storage1]
        address = 127.0.0.1
        port = %d
        fingerprint = %s
        token-file = alice
        streams = 2
        dry-run = no

        [server other]
        address = storage2.example.org
        """
            .formatted(server.port(), key));

    assertThat(run("ls", "storage1:/data").expect(0).out()).isEqualTo("50%?x\nb\n");
    run("copy", "storage1:data/50%?x", "got").expect(0);
    run("copy", "got", "fdt://storage1/data/put").expect(0);
    run("copy", "-r", "storage1:/data/b", "storage1:/data/c").expect(0);
    run("-c", "storage1", "-pull", "-d", "here", "/data/b").expect(0);
    run("-c", "storage1", "-ls", "/data").expect(0); // streams mean nothing there
    Outcome nettest = run("nettest", "--seconds", "1", "storage1").expect(0);
    run("login", "storage1").expect(0);
    Outcome servers = run("servers").expect(0);

    assertThat(lab.root().resolve("got"))
        .hasSameBinaryContentAs(lab.root().resolve("data/50%?x"))
        .hasSameBinaryContentAs(lab.root().resolve("data/put"));
    Content.assertSame(lab.root().resolve("here/b"), lab.root().resolve("data/c"));
    assertThat(nettest.summary()).contains("2 streams");
    assertThat(servers.out())
        .containsPattern("storage1 +" + address + " +yes +SHA256:")
        .containsPattern("other +storage2.example.org:54321 +- +-");
  }

  @Test
  void anOptionMayStandInTheEnvironmentAndTheLineOverrulesIt() throws IOException {
    configure(
        "[server s]\naddress = 127.0.0.1\nport = %d\nstreams = 2\ntoken-file = alice\n"
            .formatted(server.port()));
    lab.environment("FDT_ACCEPT_NEW", "yes");
    lab.environment("FDT_STREAMS", "3");

    Outcome fromEnvironment = run("nettest", "--seconds", "1", "s").expect(0);
    Outcome fromLine = run("nettest", "--seconds", "1", "--streams", "1", "s").expect(0);
    lab.environment("FDT_DRY_RUN", "yes");
    run("copy", "s:/data/b", "b").expect(0);
    lab.environment("FDT_DRY_RUN", "perhaps");
    Outcome wrong = run("copy", "s:/data/b", "b").expect(2);
    lab.environment("FDT_DRY_RUN", "");
    lab.environment("FDT_BLOCK_SIZE", "1T");
    Outcome large = run("copy", "s:/data/b", "b").expect(2);

    assertThat(fromEnvironment.summary()).contains("3 streams");
    assertThat(fromLine.summary()).contains("1 stream");
    assertThat(lab.root().resolve("b")).doesNotExist();
    assertThat(wrong.err()).contains("FDT_DRY_RUN: dry-run is yes or no, not 'perhaps'");
    assertThat(large.err()).contains("FDT_BLOCK_SIZE: -bs: '1T' is not between");
  }

  @Test
  void aBadConfigurationIsToldWithItsLine() throws IOException {
    String file = stranger.resolve("client.conf").toString();
    String[][] rows = {
      {"streams = 2\n", ":1: before any option stands [server NAME]"},
      {"[server a b]\n", ":1: '[server a b]' is not of the form [server NAME]"},
      {"[server s]\n\nport = 0\n", ":3: port: '0' is not a whole number"},
      {"[server s]\nstraems = 2\n", ":2: 'straems' is no setting; did you mean streams?"},
      {"[server s]\nstreams = 200\n", ":2: -P: '200' is not a whole number from 1 to 128"},
      {"[server s]\n[server s]\n", ":2: a second server 's'"},
    };
    for (String[] row : rows) {
      configure(row[0]);
      assertThat(run("copy", "s:/data/b", "b").expect(2).err()).contains(file + row[1]);
    }
  }

  @Test
  void aLoginGivesTheServerANameAndSaysIt() throws IOException {
    String host = "127.0.0.1";
    Outcome usual = login(address).expect(0);
    Outcome named = login("--name", "s2", address).expect(0);
    Outcome again = login("s2").expect(0);

    assertThat(usual.out())
        .contains("from now on it is 127.0.0.1:/ in each command, as in: ", " ls 127.0.0.1:/\n");
    assertThat(named.out()).contains("it is 127.0.0.1:/ and s2:/ in each", " ls s2:/\n");
    assertThat(again.out()).contains("it is 127.0.0.1:/ and s2:/ in each");
    assertThat(stranger.resolve("client.conf"))
        .content()
        .containsOnlyOnce("[server 127.0.0.1]")
        .containsOnlyOnce("[server s2]\naddress = 127.0.0.1\nport = " + server.port() + "\n");
    for (String name : List.of(host, "s2")) {
      assertThat(run("ls", name + ":/data").expect(0).out()).contains("b\n");
      run("copy", name + ":/data/b", "b-" + name).expect(0);
      run("sync", "--yes", name + ":/data/", "mirror").expect(0);
      run("copy", "-r", name + ":/data/b", name + ":/data/copies/").expect(0);
      run("plan", "--dir", "plan-" + name, name + ":/data/b", "planned").expect(0);
      run("-c", name, "-ls", "/data").expect(0);
      run("-coord", "-sIP", name, "-dIP", name, "-d", "/data/coord", "/data/b").expect(0);
      run("sessions", name).expect(0);
      run("doctor", "--no-test", name).expect(0);
    }
    run("worker", "--plan", "plan-s2").expect(0);

    assertThat(login("--name", "s2", "127.0.0.2").expect(2).err())
        .contains("--name: 's2' is " + address + " already; choose another name");
    assertThat(login("--name", "a/b", address).expect(2).err()).contains("--name: 'a/b' cannot be");
    assertThat(run("logout", "s2").expect(0).out())
        .isEqualTo("forgot " + address + " and its names 127.0.0.1 and s2\n");
    assertThat(stranger.resolve("client.conf")).isEmptyFile();
  }

  @Test
  void aNameThatTheUserHasWrittenToStaysAfterALogout() throws IOException {
    login("--name", "s2", address).expect(0);
    Path file = stranger.resolve("client.conf");
    Files.writeString(file, Files.readString(file) + "streams = 2\n");

    Outcome logout = run("logout", "s2").expect(0);

    assertThat(logout.err()).contains("its name 's2' stays in client.conf, which fdt config opens");
    assertThat(file).content().contains("[server s2]", "streams = 2");
  }

  @Test
  void aSecondServerOfAHostHasANameOfItsOwn() {
    RunningCommand second =
        lab.serveAt(lab.directory("owner2"), "--anonymous", "ro", "--export", "data");
    String other = "127.0.0.1:" + second.port();
    login(address).expect(0);

    assertThat(login(other).expect(4).err())
        .endsWith("(any more): ask its administrator for another one\n");
    Outcome plain = run("login", "--accept-new", other).expect(0);
    Outcome named = run("login", "--name", "second", other).expect(0);
    Outcome json = run("login", "--json", "second").expect(0);

    assertThat(plain.out())
        .contains("no token is needed for " + other, "from now on it is " + other + ":/ in each");
    assertThat(plain.err())
        .contains(
            "127.0.0.1:/ alone stays " + address + "; login --name NAME gives " + other + " ano");
    assertThat(named.out()).contains("from now on it is second:/ in each command");
    assertThat(JsonLines.of(JsonLines.lines(JsonLines.COMMANDS, json), "login"))
        .singleElement()
        .satisfies(login -> assertThat(login.get("names").get(0).asString()).isEqualTo("second"));
    assertThat(run("ls", other + ":/").expect(0).out()).isEqualTo("data/\n");
    assertThat(run("ls", "second:/").expect(0).out()).isEqualTo("data/\n");
  }

  private Outcome login(String... words) {
    return lab.runWords(lab.root(), "login --accept-new " + String.join(" ", words) + " < alice");
  }

  @Test
  void aPortIsUnderstoodBehindTheHostEverywhere() throws IOException {
    lab.runWords(lab.root(), "login --accept-new " + address + ":/ < alice").expect(0);
    configure("[server s]\naddress = 127.0.0.1\nport = 1\n");
    for (String host : List.of(address, "s:" + server.port())) {
      assertThat(run("ls", host + ":/data").expect(0).out()).startsWith("50%?x\nb\n");
      run("copy", host + ":/data/b", "got").expect(0);
      run("copy", "-r", host + ":data/b", host + ":/data/c").expect(0);
      run("sync", "--yes", host + ":/data/", "mirror").expect(0);
      run("-c", host + ":/", "-ls", "/data").expect(0);
      run("-coord", "-sIP", host + ":/", "-dIP", host, "-d", "/data/d", "/data/b").expect(0);
      run("sessions", host + ":/data").expect(0);
      run("doctor", "--no-test", host + ":/data").expect(0);
      run("nettest", "--seconds", "1", "fdt://" + host + "/data").expect(0);

      String wrong = host + "/data/b";
      String both = "'%s': for a port write %s:/data/b, for a directory of this name ";
      assertThat(run("ls", wrong).expect(2).err()).contains(both.formatted(wrong, host));
      assertThat(run("copy", wrong, "got").expect(2).err()).contains(both.formatted(wrong, host));
      assertThat(run("-c", host + ":/data", "-ls", "/").expect(2).err())
          .contains(
              "-c names a server only: write -c " + address + ", and '/data' among the files");
    }
    assertThat(run("logout", address + ":/").expect(0).out()).contains("forgot " + address);
  }

  private void configure(String content) throws IOException {
    Files.createDirectories(stranger);
    Files.writeString(stranger.resolve("client.conf"), content);
  }

  private Outcome run(String... words) {
    return lab.run(lab.root(), words);
  }

  @Test
  void aNamedServerTakesAnotherPortAndTwoColons() throws IOException {
    Path source = lab.directory("source");
    Shell.run(source, "printf 1 > a");
    RunningCommand server = lab.serve("--export", source.toString(), "--limit", "200Mbit/s");
    Files.writeString(
        lab.home().resolve("client.conf"), "[server s1]\naddress = 127.0.0.1\nport = 1\n");
    String named = "s1:" + server.port();
    lab.run(lab.root(), "nettest", "--seconds", "1", named).expect(0);
    Files.writeString(
        lab.home().resolve("client.conf"),
        "[server s1]\naddress = 127.0.0.1\nport = " + server.port() + "\n");

    assertThat(lab.run(lab.root(), "ls", "s1::source").expect(0).out()).isEqualTo("a\n");
    assertThat(lab.run(lab.root(), "ls", "s1:~bob").expect(2).err())
        .contains("'s1:~bob': a server knows no homes of users");
    assertThat(lab.run(lab.root(), "ls", "s1:~/x").expect(1).err())
        .contains("'/~/' is in no export");
  }
}
