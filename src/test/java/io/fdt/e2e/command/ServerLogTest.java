package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The lines by which an operator sees who took or brought which files. */
class ServerLogTest {
  private static final String START = "[-0-9T:.]+Z INFO  session ended session=[0-9a-f]+";

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private static final byte[] CONTROL_PREFACE =
      HexFormat.of().parseHex("89464454" + "0d0a1a0a" + "0003" + "01" + "00" + "00000000");

  @RegisterExtension final Lab lab = new Lab();

  private RunningCommand server;
  private Path token;

  @BeforeEach
  void serve() throws Exception {
    Content.write(lab.directory("data").resolve("run42/a"), 1000, 1);
    Content.write(lab.root().resolve("data/run42/b"), 2000, 2);
    lab.directory("in");
    token = lab.root().resolve("alice.token");
    Files.createFile(
        token, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(token, lab.run(lab.root(), "token", "create", "alice").expect(0).out());
    server = lab.serve("--export", "data", "--export", "in:rw");
  }

  private Outcome copy(String... words) {
    List<String> all = new ArrayList<>(List.of("copy", "-r", "--token-file", token.toString()));
    all.addAll(List.of(words));
    return lab.run(lab.root(), all.toArray(String[]::new));
  }

  private String at(String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  private List<String> ends(int count) {
    await("sessions have ended")
        .atMost(DEADLINE)
        .until(() -> lines("session ended").size() >= count);
    return lines("session ended");
  }

  private List<String> lines(String event) {
    return server.err().lines().filter(line -> line.contains(event)).toList();
  }

  @Test
  void theEndOfASessionIsOneLineOfWhoTookWhat() {
    copy(at("/data/run42"), "copy").expect(0);

    assertThat(ends(1))
        .singleElement()
        .asString()
        .matches(
            START
                + " token=alice peer=127.0.0.1:[0-9]+ direction=pull export=data paths=/data/run42"
                + " files=2 unchanged=0 failed=0 bytes=3000 seconds=[0-9]+\\.[0-9]{3} result=done");
  }

  @Test
  void theEndOfADryRunSaysSo() {
    copy("--dry-run", at("/data/run42"), "copy").expect(0);
    copy("--dry-run", "data/run42", at("/in/")).expect(0);

    assertThat(ends(2)).hasSize(2).allMatch(line -> line.endsWith(" result=done dry-run=true"));
  }

  @Test
  void aSessionThatFailsEndsWithItsReason() {
    copy("data/run42", at("/data/")).expect(4);

    assertThat(ends(1))
        .singleElement()
        .asString()
        .matches(
            START
                + " token=alice .* direction=push export=data paths=/data/ files=0 .*"
                + " result=forbidden reason=\".*read-only.*\"");
  }

  @Test
  void aSessionWithoutSomeOfItsFilesIsPartial() {
    copy(at("/data/run42"), at("/data/none"), "copy").expect(1);

    assertThat(ends(1))
        .singleElement()
        .asString()
        .matches(
            START
                + " token=alice .* files=2 unchanged=0 failed=1 .*"
                + " result=partial reason=\".*/data/none.*\"");
  }

  @Test
  void aSessionWhoseDeletionIsRefusedIsPartial() throws Exception {
    Content.write(lab.root().resolve("in/run42/old"), 10, 3);
    copy("data/run42", at("/in/"), "--delete", "--max-delete", "0").expect(1);

    assertThat(ends(1))
        .singleElement()
        .asString()
        .matches(
            START + " .* files=2 unchanged=0 failed=0 .* result=partial reason=\".*deleted.*\"");
  }

  @Test
  void aNetworkTestThatIsOverIsDone() {
    lab.run(lab.root(), "nettest", "--seconds", "1", "127.0.0.1:" + server.port()).expect(0);

    assertThat(ends(1)).singleElement().asString().endsWith(" result=done");
  }

  @Test
  void eachRefusedRequestIsOneLine() throws Exception {
    Files.writeString(
        token, lab.run(lab.root(), "token", "create", "narrow", "--export", "in").expect(0).out());
    String[][] requests = {
      {"rm", "remove", "/data/run42/a"},
      {"ls", "look", "/data/run42"},
      {"mkdir", "make_directory", "/data/new"}
    };
    for (String[] request : requests) {
      String place = at(request[2]);
      lab.run(lab.root(), request[0], "--token-file", token.toString(), place).expect(4);
      assertThat(lines(" op=" + request[1] + " "))
          .singleElement()
          .asString()
          .matches(
              ".* INFO  refused peer=127.0.0.1:[0-9]+ token=narrow op=%s path=%s reason=\".*\""
                  .formatted(request[1], request[2]));
    }
    lab.run(lab.root(), "ls", at("/data/none")).expect(1);
    assertThat(lines("refused")).hasSize(3);
  }

  @Test
  void aClientThatLeavesDuringTheHandshakeIsNotRefused() throws Exception {
    for (String greeting : List.of("", "this is not TLS")) {
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        client.getOutputStream().write(CONTROL_PREFACE);
        client.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
        assertThat(client.getInputStream().readNBytes(16)).hasSize(16);
      }
    }
    await("who spoke is refused").atMost(DEADLINE).until(() -> !lines("refused").isEmpty());
    assertThat(lines("refused")).singleElement().asString().contains("no TLS with 127.0.0.1:");
  }

  @Test
  void aRefusedCopyIsOneLine() {
    server = lab.serve("--export", "data", "--require-encryption");
    for (int i = 0; i < 3; i++) {
      copy(at("/data/run42"), "copy").expect(4);
    }
    assertThat(lines("refused")).hasSize(3).allMatch(line -> line.contains(" token=alice reason="));
  }

  @Test
  void serversThatDoNotReachEachOtherSayWhy() {
    String[] options = {"--export", "data", "--export", "in:rw", "--dial-to", "192.0.2.0/24"};
    server = lab.serve(options);
    RunningCommand other = lab.serve(options);
    String destination = "fdt://127.0.0.1:" + other.port() + "/in/";
    Outcome copied = copy("--source-token-file", token.toString(), at("/data/run42"), destination);
    assertThat(copied.err()).contains("neither server reaches the other");

    for (String log : List.of(server.err(), other.err())) {
      assertThat(log)
          .containsPattern("refused peer=127.0.0.1:[0-9]+ token=alice op=probe_peer reason=\".+\"");
    }
  }

  @Test
  void aNameForgesNeitherALineNorAValue() {
    String name = "x\nresult=done token=\"root\"";
    copy("data/run42", at("/in/" + name)).expect(0);

    assertThat(ends(1))
        .singleElement()
        .asString()
        .contains(" paths=\"/in/x\\\\nresult=done token=\\\"root\\\"\" ")
        .endsWith(" result=done");
    assertThat(server.err().lines()).noneMatch(line -> line.startsWith("result="));
  }

  @Test
  void bothServersNameTheTokenAndThePaths() {
    RunningCommand other = lab.serve("--export", "data", "--export", "in:rw");
    String destination = "fdt://127.0.0.1:" + other.port() + "/in/";
    copy("--source-token-file", token.toString(), at("/data/run42"), destination).expect(0);

    String direction = " token=alice peer=127.0.0.1:[0-9]+ direction=";
    assertThat(ends(1))
        .singleElement()
        .asString()
        .matches(START + direction + "pull export=data paths=/data/run42 files=2 .* result=done");
    await("the other one's line")
        .atMost(DEADLINE)
        .until(() -> other.err().contains("session ended"));
    assertThat(other.err().lines().filter(line -> line.contains("session ended")))
        .singleElement()
        .asString()
        .matches(START + direction + "push export=in paths=/in/ files=2 .* result=done");
  }
}
