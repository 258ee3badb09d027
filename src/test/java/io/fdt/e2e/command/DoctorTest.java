package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** The command doctor, by the built jar. */
class DoctorTest {
  /** Far below what this machine carries, so that tests of the path leave it the processors. */
  private static final String LIMIT = "200Mbit/s";

  @RegisterExtension private final Lab lab = new Lab();

  private Outcome doctor(String... words) {
    List<String> arguments = new ArrayList<>(List.of("doctor"));
    arguments.addAll(List.of(words));
    return lab.run(lab.root(), arguments.toArray(String[]::new));
  }

  private static String address(RunningCommand server) {
    return "127.0.0.1:" + server.port();
  }

  @Test
  void thisHostIsLookedAt() throws Exception {
    Outcome outcome = doctor("--rate", "100Gbit", "--rtt", "300").expect(0);

    assertThat(outcome.out()).startsWith("this host: Linux");
    assertThat(outcome.out())
        .contains("memory nodes ", "java ", "processors ", "open files ", "memory ", "send buffer ")
        .contains("11.6 GiB/s (100 Gbit/s) at 300 ms takes");
    // No system comes with windows for that: 3.75 GB under way.
    long most = Long.parseLong(setting("net/ipv4/tcp_wmem").replaceFirst("^.*\\s", ""));
    assertThat(most).isLessThan(1 << 30);
    assertThat(outcome.out())
        .containsPattern("\n  net.ipv4.tcp_wmem = \\d+ \\d+ 1073741824\n")
        .contains("settings for this host (/etc/sysctl.d/90-fdt.conf, then: sysctl --system):");
  }

  private static String setting(String path) throws IOException {
    return Files.readString(Path.of("/proc/sys", path), StandardCharsets.UTF_8).strip();
  }

  @Test
  void programsReadItToo() throws Exception {
    List<JsonNode> lines = JsonLines.lines(JsonLines.DOCTOR, doctor("--json").expect(0));

    JsonNode host = lines.get(0);
    assertThat(host.get("event").asString()).isEqualTo("host");
    assertThat(host.get("settings").get("net.ipv4.tcp_congestion_control").asString())
        .isEqualTo(setting("net/ipv4/tcp_congestion_control"));
    assertThat(JsonLines.of(lines, "finding"))
        .extracting(finding -> finding.get("subject").asString())
        .contains("java", "memory", "open files", "send buffer", "receive buffer");
  }

  @Test
  void aServerAndThePathToItAreLookedAt() {
    lab.directory("data/a/b");
    lab.directory("in");
    RunningCommand server = lab.serve("--export", "data", "--export", "in:rw", "--limit", LIMIT);

    Outcome outcome = doctor("--seconds", "1", "-P", "2", address(server)).expect(0);
    assertThat(outcome.out().lines().toList().get(0))
        .startsWith("server " + address(server) + ": fdt ")
        .contains("Linux", "Java");
    assertThat(outcome.out())
        .containsPattern("round trip +[\\d.]+ ms\n")
        .containsPattern("export +/data \\(read\\)\n")
        .containsPattern("export +/in \\(read, write\\)\n")
        .containsPattern(
            "to the server +[\\d.]+ [KMG]iB/s \\([\\d.]+ [kMGT]?bit/s\\) with 2 streams.*; (limited"
                + " by|too short) ")
        .containsPattern(
            "from the server +[\\d.]+ [KMG]iB/s \\([\\d.]+ [kMGT]?bit/s\\) with 2 streams.*;"
                + " (limited by|too short) ")
        .contains("\nthis host: ", "\nthe server's host:\n")
        .containsPattern("ok +udp +passes: connected in [\\d.]+ ms")
        .containsPattern("ok +udp buffers +a socket receives up to ");
  }

  @Test
  void aServerThatTakesNoUdpIsSaidToDoSo() {
    lab.directory("data");
    RunningCommand server = lab.serve("--export", "data", "--no-udp");
    assertThat(doctor("--no-test", address(server)).expect(0).out())
        .containsPattern("ok +udp +does not pass, data goes over TCP: .*connection refused");
  }

  @Test
  void programsReadAllOfAPath() {
    lab.directory("data");
    RunningCommand server = lab.serve("--export", "data", "--limit", LIMIT);

    List<JsonNode> lines =
        JsonLines.lines(
            JsonLines.DOCTOR,
            doctor("--json", "--seconds", "2", "--rate", "1G", address(server)).expect(0));

    assertThat(JsonLines.of(lines, "host"))
        .extracting(host -> host.get("place").asString())
        .containsExactly("here", "server");
    assertThat(JsonLines.of(lines, "test"))
        .extracting(test -> test.get("direction").asString())
        .containsExactly("push", "pull");
    assertThat(JsonLines.of(lines, "test"))
        .allSatisfy(test -> assertThat(test.get("bytes_per_second").asLong()).isPositive());
    assertThat(JsonLines.of(lines, "export").get(0).get("path").asString()).isEqualTo("/data");
    // A machine that is very slow sees nothing in two seconds.
    boolean knows = JsonLines.of(lines, "test").stream().anyMatch(test -> test.has("limited_by"));
    assertThat(JsonLines.of(lines, "advice").isEmpty()).isEqualTo(!knows);
  }

  @Test
  void aTokenThatMayOnlyReadIsSaidToDoSo() throws Exception {
    lab.directory("data");
    lab.directory("other");
    String made =
        lab.run(lab.root(), "token", "create", "r", "--read-only", "--export", "data")
            .expect(0)
            .out();
    write("reader", made.lines().filter(line -> line.startsWith("fdt_")).findFirst().orElseThrow());
    RunningCommand server = lab.serve("--export", "data:rw", "--export", "other:rw");

    Outcome outcome = doctor("--no-test", "--token-file", "reader", address(server)).expect(0);

    assertThat(outcome.out()).contains("/data (read)\n").doesNotContain("/other", "limited by");
  }

  @Test
  void whoMayNotIsToldWhy() throws Exception {
    lab.directory("data");
    RunningCommand server = lab.serve("--export", "data", "--require-encryption", "--limit", LIMIT);
    write("wrong", "fdt_wrong");

    assertThat(doctor("--token-file", "wrong", address(server)).expect(4).problems())
        .singleElement()
        .asString()
        .contains("another one");
    assertThat(doctor(address(server)).expect(4).problems())
        .singleElement()
        .asString()
        .contains("--encrypt");
    doctor("--encrypt", "--seconds", "1", address(server)).expect(0);
  }

  @Test
  void whoCannotBeReachedIsNamed() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    String nobody = "127.0.0.1:" + free;
    assertThat(doctor(nobody).expect(3).problems()).singleElement().asString().contains(nobody);
    List<JsonNode> lines = JsonLines.lines(JsonLines.DOCTOR, doctor("--json", nobody).expect(3));
    assertThat(JsonLines.of(lines, "error").get(0).get("code").asString()).isEqualTo("UNREACHABLE");
    assertThat(doctor("a", "b").expect(2).problems())
        .singleElement()
        .asString()
        .contains("one server");
  }

  /** A file that nobody else may read, as it must be for a token. */
  private void write(String name, String text) throws IOException {
    Path file = lab.root().resolve(name);
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }
}
