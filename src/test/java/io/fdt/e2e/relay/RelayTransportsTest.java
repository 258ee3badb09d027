package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data that goes over UDP on one part of a way through relays, and over TCP on another. */
class RelayTransportsTest {
  @RegisterExtension final Lab lab = new Lab();

  private Path source;

  @BeforeEach
  void makeFiles() throws Exception {
    source = lab.directory("source");
    Content.write(source.resolve("large"), 20 << 20, 1);
    for (int i = 0; i < 50; i++) {
      Content.write(source.resolve("d" + i % 5 + "/small" + i), 100L * i, i);
    }
  }

  private RunningCommand server(String... options) {
    List<String> all = new ArrayList<>(List.of("--export", source.toString()));
    all.addAll(List.of("--export", lab.directory("target") + ":rw"));
    all.addAll(List.of(options));
    return lab.serve(all.toArray(String[]::new));
  }

  private RunningCommand relay(String... options) {
    List<String> all = new ArrayList<>(List.of("--relay"));
    all.addAll(List.of("--export", lab.directory("empty").toString()));
    all.addAll(List.of(options));
    return lab.serve(all.toArray(String[]::new));
  }

  private static String at(RunningCommand server) {
    return "127.0.0.1:" + server.port();
  }

  private Outcome copy(String transport, String via, String from, String to, String... options) {
    return lab.run(lab.root(), words(transport, via, from, to, options));
  }

  private static String[] words(
      String transport, String via, String from, String to, String... options) {
    List<String> all = new ArrayList<>(List.of("copy", "-r", "-P", "2"));
    all.addAll(List.of("--retry-timeout", "1", "--via", via, "--transport", transport));
    all.addAll(List.of(options));
    all.addAll(List.of(from, to));
    return all.toArray(String[]::new);
  }

  @ParameterizedTest
  @CsvSource({"'udt,tcp', -v", "'tcp,udt', -v", "udt, -v", "'udt,tcp', --encrypt"})
  void eachPartHasItsTransport(String transport, String option) {
    RunningCommand server = server();
    RunningCommand relay = relay();
    String remote = "fdt://" + at(server);

    copy(transport, at(relay), remote + "/source/", "pulled", option).expect(0);
    copy(transport, at(relay), "source/", remote + "/target/", option).expect(0);

    Tree.assertSame(lab.root().resolve("pulled"), source);
    Tree.assertSame(lab.root().resolve("target"), source);
    assertThat(relay.err().contains("udp=true")).isEqualTo(!transport.endsWith("tcp"));
  }

  @Test
  void autoIsTcpBehindARelay() {
    String remote = "fdt://" + at(server());
    RunningCommand relay = relay();

    Outcome copied = copy("auto", at(relay), remote + "/source/", "pulled").expect(0);

    assertThat(copied.err()).contains("data stays on TCP: through a relay");
    assertThat(relay.err()).doesNotContain("udp=true");
  }

  @Test
  void threePartsHaveThreeTransports() {
    RunningCommand server = server();
    RunningCommand first = relay();
    RunningCommand second = relay();

    copy("udt,tcp,udt", at(first) + "," + at(second), "fdt://" + at(server) + "/source/", "pulled")
        .expect(0);

    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(first.err()).contains("route opened").doesNotContain("udp=true");
    assertThat(second.err()).contains("udp=true");
  }

  @Test
  void aRelayWithoutUdpIsReachedOverTcpOnly() {
    RunningCommand server = server();
    RunningCommand relay = relay("--no-udp");
    String from = "fdt://" + at(server) + "/source/";

    Outcome first = copy("udt,tcp", at(relay), from, "pulled").expect(3);
    Outcome second = copy("tcp,udt", at(relay), from, "pulled").expect(4);

    assertThat(first.err()).contains(at(relay) + " over UDP");
    assertThat(second.err()).contains("the relay uses no UDP");
  }

  @Test
  void aServerWithoutUdpIsReachedOverTcpOnly() {
    RunningCommand server = server("--no-udp");
    RunningCommand relay = relay();
    String from = "fdt://" + at(server) + "/source/";

    copy("udt,tcp", at(relay), from, "pulled").expect(0);
    Outcome refused = copy("tcp,udt", at(relay), from, "again").expect(3);

    Tree.assertSame(lab.root().resolve("pulled"), source);
    assertThat(refused.err()).contains("cannot connect further over UDP");
  }

  @ParameterizedTest
  @ValueSource(strings = {"udt,tcp,tcp", "udt,auto", "udt,", "tcp,sctp"})
  void whatDoesNotFitTheWayIsRefused(String transport) {
    Outcome outcome = copy(transport, "192.0.2.1", "fdt://192.0.2.2/x", "pulled").expect(2);
    assertThat(outcome.err()).contains("--transport");
  }
}
