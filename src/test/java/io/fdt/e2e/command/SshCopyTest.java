package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Sshd;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies to and from hosts on which nothing runs but sshd: a real one, of OpenSSH. */
class SshCopyTest {
  /** An end that has lost the other one, or is told to stop, on a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(30);

  private static final Path JAVAS = Path.of("/usr/lib/jvm");
  private static final Path JAR = Path.of(System.getProperty("fdt.jar")).toAbsolutePath();

  @RegisterExtension static final Sshd SSHD = new Sshd();
  @RegisterExtension final Lab lab = new Lab();

  /** Of all tests: the jar is sent once. */
  private static Path cache;

  /** The variables of a host on which the command is installed. */
  private static String installed;

  private Path sources;
  private Path destinations;

  @BeforeAll
  static void addHosts() throws IOException {
    cache = Files.createDirectory(SSHD.key("cache"));
    String bare = variable("XDG_CACHE_HOME", cache.toString());
    installed = bare + "," + SSHD.install();
    SSHD.host("bare", bare);
    SSHD.host("far", installed);
    SSHD.host("other", installed);
    SSHD.host("jump", "restrict,port-forwarding");
    SSHD.host("behind", installed, "ProxyJump jump");
    SSHD.host("forced", installed + ",command=\"eval \\\"$SSH_ORIGINAL_COMMAND\\\"\"");
    SSHD.host("deaf", "command=\"echo This account is for sftp only.\"");
    SSHD.host("echo", "command=\"cat\"");
    SSHD.host(
        "noisy",
        installed
            + ",command=\"echo Welcome; printf 'no newline'; echo oops >&2;"
            + " eval \\\"$SSH_ORIGINAL_COMMAND\\\"\"");
    SSHD.host("nojava", bare + "," + variable("FDT_JAVA", "/nowhere/java"));
    SSHD.host("nocache", variable("XDG_CACHE_HOME", "/proc/nowhere"));
  }

  private static String variable(String name, String value) {
    return "environment=\"" + name + "=" + value + "\"";
  }

  @BeforeEach
  void makeSources() {
    lab.environment("PATH", SSHD.path());
    sources = lab.directory("sources");
    destinations = lab.directory("destinations");
    Shell.run(sources, "mkdir -p run/sub; printf 1 > run/f; printf 22 > run/sub/g");
  }

  @AfterEach
  void nothingIsLeftOnTheFarSide() throws IOException {
    await("the end of far sides")
        .atMost(RunningCommand.DEADLINE) // of a busy machine; otherwise a second
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> assertThat(farSides()).isEmpty());
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(cache.resolve("fdt/remote"))) {
      found.forEach(path -> names.add(path.getFileName().toString()));
    } catch (NoSuchFileException e) {
      return; // no test has come so far
    }
    assertThat(names).allMatch(name -> name.matches("[0-9a-f]{64}\\.jar")).hasSizeLessThan(2);
  }

  /** Command lines and environments of far sides, and of the ssh to them. */
  private static List<String> farSides() {
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        String line = text(process, "cmdline") + text(process, "environ");
        boolean isFar = line.contains("ssh-end") && line.contains(cache.toString());
        if (isFar || line.contains(SSHD.key("ssh_config").toString())) {
          found.add(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private static String text(Path process, String file) {
    try {
      return Files.readString(process.resolve(file), StandardCharsets.ISO_8859_1)
          .replace('\0', ' ');
    } catch (IOException e) {
      return ""; // it has ended
    }
  }

  /**
   * A copy with a host on which the command is installed: from this JVM there is no jar to send.
   */
  private Outcome copy(String... words) {
    List<String> all = new ArrayList<>(List.of("copy", "-e", SSHD.command().toString()));
    all.addAll(List.of(words));
    return lab.run(lab.root(), all.toArray(String[]::new));
  }

  /** A copy of the built jar, which finds ssh by its PATH and sends itself where it is missing. */
  private Outcome copyOfJar(String... words) {
    List<String> all = new ArrayList<>(List.of("copy"));
    all.addAll(List.of(words));
    return lab.runProcess(lab.root(), all.toArray(String[]::new));
  }

  @Test
  void aTreeIsFetchedAndSent() {
    Outcome fetched =
        copyOfJar("-r", "ssh://bare" + sources.resolve("run"), destinations.toString()).expect(0);
    Outcome sent =
        copyOfJar("-r", destinations + "/run", "ssh://bare" + destinations.resolve("sent/"));

    sent.expect(0);
    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
    Tree.assertSame(destinations.resolve("sent/run"), sources.resolve("run"));
    assertThat(fetched.summary()).startsWith("done: 2 files, 3 B").contains("all verified");
    assertThat(fetched.err() + sent.err()).isEmpty();
    assertThat(lab.root().resolve("home/known_hosts")).doesNotExist();
  }

  @Test
  void theJarIsInTheCacheForItsUserAloneAndADamagedOneIsReplaced() throws IOException {
    copyOfJar("ssh://bare" + sources.resolve("run/f"), destinations.toString()).expect(0);
    Path jar;
    try (DirectoryStream<Path> found = Files.newDirectoryStream(cache.resolve("fdt/remote"))) {
      jar = found.iterator().next();
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(jar)))
        .isEqualTo("rw-------");
    assertThat(Files.mismatch(jar, JAR)).isNegative();
    Shell.run(lab.root(), "truncate -s 1000000 '" + jar + "'");

    copyOfJar("ssh://bare" + sources.resolve("run/sub/g"), destinations.toString()).expect(0);

    assertThat(Files.mismatch(jar, JAR)).isNegative();
  }

  @Test
  void pathsAreThoseOfAShellThere() throws IOException {
    String user = System.getProperty("user.name");
    Path home = Path.of(System.getProperty("user.home"));
    Files.createSymbolicLink(sources.resolve("link"), Path.of("run"));
    String relative = home.toRealPath().relativize(sources.toRealPath()).toString();

    copy("-r", user + "@far:" + relative + "/run", destinations + "/a").expect(0);
    copy("-r", user + "@far:" + relative + "/link/", destinations + "/b").expect(0);
    copy("-r", user + "@far:~/" + relative + "/link/sub", destinations + "/c").expect(0);
    copy(sources + "/run/f", user + "@far:" + sources + "/link").expect(0);
    copy(sources + "/run/sub/g", user + "@far:" + sources + "/link/new").expect(0);

    assertThat(destinations.resolve("a/run/f")).hasContent("1");
    assertThat(destinations.resolve("b/f")).hasContent("1");
    assertThat(destinations.resolve("c/sub/g")).hasContent("22");
    assertThat(sources.resolve("run/new")).hasContent("22");
    assertThat(Files.isSymbolicLink(sources.resolve("link"))).isTrue();
  }

  @Test
  void allThatACopyHasIsThere() throws IOException {
    copy("-r", "--dry-run", "ssh://far" + sources + "/run/", destinations.toString()).expect(0);
    assertThat(destinations).isEmptyDirectory();
    Files.writeString(destinations.resolve("extra"), "x");

    Outcome json =
        copy(
            "-r",
            "--json",
            "--delete",
            "--exclude",
            "g",
            "ssh://far" + sources + "/run/",
            destinations.toString());

    json.expect(0);
    assertThat(JsonLines.of(JsonLines.events(json), "summary")).hasSize(1);
    assertThat(destinations.resolve("extra")).doesNotExist();
    assertThat(destinations.resolve("sub/g")).doesNotExist();
    assertThat(destinations.resolve("f")).hasContent("1");
    Shell.run(lab.root(), "printf sub/g > list");
    copy("--files-from", "list", "ssh://far" + sources + "/run", destinations + "/l").expect(0);
    assertThat(destinations.resolve("l/sub/g")).hasContent("22");
    assertThat(copy("ssh://far" + sources + "/run/f", "-").expect(0).out()).isEqualTo("1");
    copy("ssh://far" + sources + "/nothing", destinations.toString()).expect(1);
  }

  @Test
  void aHostWithoutAUserIsOneOfSshWhenACommandIsGiven() {
    copyOfJar("-e", "ssh -o LogLevel=ERROR", "far:" + sources + "/run/f", destinations + "/a")
        .expect(0);
    lab.environment("FDT_SSH", "ssh");
    copyOfJar("far:" + sources + "/run/f", destinations + "/b").expect(0);

    assertThat(destinations.resolve("a")).hasContent("1");
    assertThat(destinations.resolve("b")).hasContent("1");
  }

  @Test
  void theFlagsOfTheOriginalWork() {
    Outcome sent =
        lab.runProcess(
            lab.root(), "-P", "2", "-r", sources + "/run", "far:" + destinations + "/in");
    Outcome fetched =
        lab.runProcess(
            lab.root(), "-sshKey", SSHD.key("far") + "", "far:" + sources + "/run/f", "out");

    sent.expect(0);
    fetched.expect(0);
    Tree.assertSame(destinations.resolve("in/run"), sources.resolve("run"));
    assertThat(lab.root().resolve("out/f")).hasContent("1");
  }

  @Test
  void betweenTwoHosts() {
    String other = System.getProperty("user.name") + "@other:";
    Outcome outcome =
        copy("-r", "ssh://far" + sources + "/run", other + destinations + "/x").expect(0);
    copy("-r", "--tunnel", "ssh://far" + sources + "/run", "ssh://far" + destinations + "/y")
        .expect(0);

    Tree.assertSame(destinations.resolve("x/run"), sources.resolve("run"));
    Tree.assertSame(destinations.resolve("y/run"), sources.resolve("run"));
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void betweenAHostAndAServer() {
    RunningCommand server = lab.serve("--export", "in=" + destinations + ":rw");

    copy(
            "-r",
            "--accept-new",
            "ssh://far" + sources + "/run",
            "fdt://127.0.0.1:" + server.port() + "/in/")
        .expect(0);

    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
  }

  @Test
  void throughSshWhenToldSo() {
    Outcome outcome =
        copy("-r", "--tunnel", "ssh://far" + sources + "/run", destinations.toString()).expect(0);

    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void throughSshWhereNoPortIsReached() {
    assumeTrue(Nobody.isRoot(), "not installed: the right to make network namespaces");
    addHostAlone("alone");

    Outcome outcome =
        copy("-r", "ssh://alone" + sources + "/run", destinations.toString()).expect(0);

    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
    assertThat(outcome.err()).contains("cannot be reached").contains("through the SSH connection");
  }

  @Test
  void whereOnlyTheOtherSideConnects() {
    assumeTrue(Nobody.isRoot(), "not installed: the right to make network namespaces");
    String name = "fdt" + ProcessHandle.current().pid() % 100000;
    Shell.run(
        lab.root(),
        """
        ip netns add NAME
        ip link add NAMEa type veth peer name NAMEb netns NAME
        ip address add 10.97.0.1/30 dev NAMEa
        ip link set NAMEa up
        ip -n NAME link set lo up
        ip -n NAME address add 10.97.0.2/30 dev NAMEb
        ip -n NAME link set NAMEb up
        # No connection begins here; those that begin there get their answers.
        ip rule add pref 90 from 10.97.0.1 ipproto tcp to 10.97.0.2 lookup main
        ip rule add pref 91 ipproto tcp to 10.97.0.2 unreachable
        """
            .replace("NAME", name));
    try {
      SSHD.host(
          "inside",
          installed
              + ",command=\"ip netns exec NAME sh -c 'eval \\\"$SSH_ORIGINAL_COMMAND\\\"'\""
                  .replace("NAME", name));
      Outcome fetched =
          copy("-r", "ssh://inside" + sources + "/run", destinations.toString()).expect(0);
      Outcome sent =
          copy("-r", sources + "/run", "ssh://inside" + destinations + "/sent/").expect(0);

      assertThat(fetched.err()).contains("it connects to this machine");
      assertThat(sent.problems()).noneMatch(line -> line.contains("SSH connection"));
    } finally {
      Shell.run(lab.root(), "ip rule del pref 90; ip rule del pref 91; ip netns del " + name);
    }
    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
    Tree.assertSame(destinations.resolve("sent/run"), sources.resolve("run"));
  }

  @Test
  void behindAJumpHost() {
    copy("-r", "ssh://behind" + sources + "/run", destinations.toString()).expect(0);

    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
  }

  @Test
  void aForcedCommandThatRunsOursAndALoginShellThatPrintsNoiseDoNoHarm() {
    copy("-r", "ssh://forced" + sources + "/run", destinations + "/a").expect(0);
    Outcome noisy = copy("-r", "ssh://noisy" + sources + "/run", destinations + "/b").expect(0);

    Tree.assertSame(destinations.resolve("a/run"), sources.resolve("run"));
    Tree.assertSame(destinations.resolve("b/run"), sources.resolve("run"));
    assertThat(noisy.out()).doesNotContain("Welcome");
    assertThat(noisy.err()).isEqualTo("oops\n");
  }

  /** A login shell gets what is to be run as one word after -c, whatever its language. */
  @ParameterizedTest
  @ValueSource(strings = {"tcsh", "fish"})
  void loginShellsOfAllLanguagesRunOurs(String shell) {
    Path program = Path.of("/bin", shell);
    assumeTrue(Files.isExecutable(program), "not installed: " + shell);
    SSHD.host(
        shell,
        installed
            + ",command=\"exec PROGRAM -c \\\"$SSH_ORIGINAL_COMMAND\\\"\""
                .replace("PROGRAM", program.toString()));
    Shell.run(sources, "mkdir 'a b!'; printf '!$x' > 'a b!/it'\\''s ~'");

    Outcome fetched =
        copy("-r", "ssh://" + shell + sources + "/", destinations.toString()).expect(0);
    Outcome sent =
        copy(
            "-r",
            destinations + "/",
            System.getProperty("user.name") + "@" + shell + ":" + sources + "/back");
    Outcome tunnelled =
        copy("-r", "--tunnel", "ssh://" + shell + sources + "/run", destinations + "/t").expect(0);

    assertThat(fetched.err() + tunnelled.err()).isEmpty();
    assertThat(sent.expect(0).err()).isEmpty();
    assertThat(destinations.resolve("a b!/it's ~")).hasContent("!$x");
    assertThat(sources.resolve("back/a b!/it's ~")).hasContent("!$x");
    Tree.assertSame(destinations.resolve("t/run"), sources.resolve("run"));
  }

  @Test
  void aForcedCommandThatIgnoresOursIsNamed() {
    Outcome deaf = copy("ssh://deaf/x", destinations.toString()).expect(4);

    Outcome echo = copy("ssh://echo/x", destinations.toString()).expect(4);

    assertThat(echo.problems())
        .containsExactly(
            "fdt: echo echoes the script in place of running it; check the login shell" + " there");
    assertThat(deaf.problems())
        .singleElement()
        .asString()
        .contains("deaf did not run the command of SSH (exit status 0)")
        .contains("This account is for sftp only.")
        .contains("SSH_ORIGINAL_COMMAND");
  }

  @Test
  void anotherJavaThereIsAsGood() throws IOException {
    List<Path> javas = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(JAVAS)) {
      for (Path java : found) {
        boolean isOne = Files.isExecutable(java.resolve("bin/java"));
        if (isOne && !Files.isSymbolicLink(java)) {
          javas.add(java);
        }
      }
    }
    assumeTrue(javas.size() > 1, "not installed: a second Java");
    for (Path java : javas) {
      String name = "with-" + java.getFileName();
      SSHD.host(
          name,
          variable("XDG_CACHE_HOME", cache.toString())
              + ","
              + variable("JAVA_HOME", java.toString()));
      Outcome outcome =
          copyOfJar("ssh://" + name + sources + "/run/f", destinations.resolve(name).toString());

      outcome.expect(0);
      assertThat(destinations.resolve(name)).hasContent("1");
      assertThat(outcome.err()).isEmpty();
    }
  }

  @Test
  void noJavaAndNoCacheAreNamed() {
    Outcome nojava = copyOfJar("ssh://nojava/x", destinations.toString()).expect(3);
    Outcome nocache = copyOfJar("ssh://nocache/x", destinations.toString()).expect(1);

    assertThat(nojava.problems())
        .containsExactly("fdt: nojava: no Java 17 or newer in /nowhere/java");
    assertThat(nocache.problems())
        .singleElement()
        .asString()
        .contains("nocache: /proc/nowhere/fdt/remote: ");
  }

  @Test
  void aFullDiskForTheCacheIsNamed() {
    assumeTrue(Nobody.isRoot(), "not installed: the right to mount a small file system");
    Path small = lab.directory("small");
    Shell.run(lab.root(), "mount -t tmpfs -o size=1m none '" + small + "'");
    try {
      SSHD.host("full", variable("XDG_CACHE_HOME", small.toString()));

      Outcome full = copyOfJar("ssh://full/x", destinations.toString()).expect(6);

      assertThat(full.problems()).singleElement().asString().contains("No space left on device");
      assertThat(small.resolve("fdt/remote")).isEmptyDirectory();
    } finally {
      Shell.run(lab.root(), "umount '" + small + "'");
    }
  }

  @Test
  void whatSshSaysIsShownWithOneLineOfOurs() {
    Outcome unknown = copyOfJar("ssh://nobody.invalid/x", destinations.toString()).expect(3);
    lab.environment("PATH", System.getenv("PATH"));
    Outcome refused =
        copyOfJar("-e", SSHD.refusedCommand(), "root@127.0.0.1:/x", destinations.toString())
            .expect(4);
    Outcome missing = copyOfJar("-e", "no-such-ssh", "a@b:/x", destinations.toString()).expect(3);

    assertThat(unknown.err())
        .contains("Could not resolve hostname")
        .contains("fdt: ssh to nobody.invalid failed\n");
    assertThat(refused.err())
        .contains("Permission denied")
        .contains("fdt: ssh to root@127.0.0.1 was refused; try: ssh root@127.0.0.1\n");
    assertThat(missing.problems()).singleElement().asString().contains("cannot run 'no-such-ssh'");
  }

  @Test
  void anInstalledCommandIsUsedWhenItFits() throws IOException {
    Path bin = lab.directory("bin");
    Path empty = lab.directory("empty");
    Path project = JAR.resolve("../../..").normalize();
    Shell.run(bin, "cp '%s/dist/fdt' fdt; chmod 755 fdt; cp '%s' .".formatted(project, JAR));
    String path = variable("PATH", bin + ":/usr/bin:/bin");
    SSHD.host("installed", path + "," + variable("XDG_CACHE_HOME", empty.toString()));

    copyOfJar("-r", "ssh://installed" + sources + "/run", destinations.toString()).expect(0);

    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
    assertThat(empty.resolve("fdt/remote")).doesNotExist();
  }

  @Test
  void thePortIsThatOfTheOption() {
    Outcome taken =
        copy("-p", SSHD.port() + "", "ssh://far" + sources + "/run/f", destinations.toString());

    assertThat(taken.expect(3).err()).startsWith("fdt: far: cannot listen on ").hasLineCount(1);
  }

  @Test
  void whereNeitherHostReachesTheOtherBothReasonsAreTold() {
    assumeTrue(Nobody.isRoot(), "not installed: the right to make network namespaces");
    addHostAlone("apart");

    Outcome apart = copy("ssh://apart" + sources + "/run/f", "ssh://far" + destinations).expect(3);

    assertThat(apart.err()).contains("fdt: neither server reaches the other: from ");
    assertThat(destinations).isEmptyDirectory();
  }

  private static void addHostAlone(String name) {
    SSHD.host(
        name,
        installed
            + ",command=\"unshare -n sh -c 'ip link set lo up;"
            + " eval \\\"$SSH_ORIGINAL_COMMAND\\\"'\"");
  }

  private void writeBig(Path file) {
    Shell.run(lab.root(), "head -c 80000000 /dev/urandom > '" + file + "'");
  }

  @Test
  void whenSshDiesTheFarSideDoesAndTheSameCommandGoesOn() throws IOException {
    writeBig(sources.resolve("big"));
    String[] words = {
      "copy", "--limit", "10M", "ssh://far" + sources + "/big", destinations.toString()
    };
    CommandProcess running = lab.startProcess(lab.root(), words);
    Lab.awaitUnfinished(destinations, 8);
    assertThat(farSides()).isNotEmpty().noneMatch(line -> line.contains("SHA256:"));
    assertThat(farSides()).noneMatch(line -> line.contains("fdt_"));

    Shell.run(lab.root(), "pkill -KILL -P " + running.pid() + " ssh");
    Outcome lost = running.end(SOON).expect(3);

    assertThat(lost.problems())
        .singleElement()
        .asString()
        .contains("the SSH connection to far was lost")
        .contains("the same command goes on");
    nothingIsLeftOnTheFarSide();
    words[2] = "off";
    Outcome again = lab.runProcess(lab.root(), words).expect(0);
    assertThat(again.summary()).contains("were there already");
    assertThat(Files.mismatch(destinations.resolve("big"), sources.resolve("big"))).isNegative();
  }

  @Test
  void controlCEndsBothSides() throws IOException {
    writeBig(sources.resolve("big"));
    CommandProcess running =
        lab.startProcess(
            lab.root(),
            "copy",
            "--tunnel",
            "--limit",
            "10M",
            sources + "/big",
            "ssh://far" + destinations + "/");
    Lab.awaitUnfinished(destinations, 4);

    running.signal("INT");
    Outcome outcome = running.end(SOON);

    assertThat(outcome.status()).isEqualTo(130);
    nothingIsLeftOnTheFarSide();
    lab.leavesUnfinishedFiles();
    assertThat(Files.exists(destinations.resolve("big"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }
}
