package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies that find out whether a relay is faster than the direct way. */
class ViaAutoTest {
  private static final String SLOW = "127.0.0.5";
  private static final String FAST = "127.0.0.6";

  /** At most 640 KB/s in each connection. */
  private static final FaultyNetwork.Fault CROWDED =
      (bytes, count, offset, toClient) -> {
        Thread.sleep(count > 1000 ? 100 : 0);
        return true;
      };

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private RunningCommand server;
  private CommandProcess relay;

  @BeforeEach
  void serve() throws Exception {
    source = lab.directory("source");
    Files.writeString(source.resolve("f"), "1");
    server = lab.serve("--export", source.toString());
  }

  private void startRelay() throws Exception {
    Path hosts = hosts("far.test", FAST);
    relay =
        lab.startWithOptions(
            List.of("-Djdk.net.hosts.file=" + hosts),
            List.of(
                "serve",
                "--relay",
                "--relay-to",
                "127.0.0.0/8",
                "--bind",
                "127.0.0.1",
                "-p",
                "0",
                "--export",
                lab.directory("empty").toString()));
  }

  private Path hosts(String name, String address) throws Exception {
    Path hosts = lab.root().resolve("hosts-" + address);
    Files.writeString(hosts, address + " " + name + "\n127.0.0.1 localhost\n");
    return hosts;
  }

  private Outcome copy(String direct, String... words) throws Exception {
    List<String> line = new ArrayList<>(List.of("copy", "--accept-new"));
    line.addAll(List.of("--token-file", lab.home().resolve("token").toString()));
    line.addAll(List.of(words));
    Path hosts = hosts("far.test", direct);
    return lab.startWithOptions(List.of("-Djdk.net.hosts.file=" + hosts), line).end();
  }

  private String relays() {
    return "127.0.0.1:" + relay.port();
  }

  @Test
  void theRelayIsTakenWhereItIsFaster() throws Exception {
    startRelay();
    FaultyNetwork.Plan free = (data, number) -> FaultyNetwork.Fault.NONE;
    try (FaultyNetwork fast =
            new FaultyNetwork(new InetSocketAddress(FAST, 0), server.port(), free);
        FaultyNetwork slow =
            new FaultyNetwork(
                new InetSocketAddress(SLOW, fast.port()),
                server.port(),
                (data, number) -> CROWDED)) {
      String from = "fdt://far.test:" + fast.port() + "/source/f";

      Outcome taken = copy(SLOW, "--via", "auto", "--relays", relays(), from, "a").expect(0);
      Outcome direct = copy(FAST, "--via", "auto", "--relays", "127.0.0.1:1", from, "b").expect(0);

      assertThat(slow.dataConnections()).isPositive();
      assertThat(taken.err())
          .contains("goes via " + relays() + ": directly ")
          .contains("; via " + relays() + " ");
      assertThat(direct.err())
          .contains("goes directly: directly ")
          .contains("via 127.0.0.1:1 fails: ");
    }
    assertThat(lab.root().resolve("a")).hasContent("1");
    assertThat(lab.root().resolve("b")).hasContent("1");
  }

  @Test
  void whereNoWayLeadsThereTheDirectOneIsTold() throws Exception {
    startRelay();
    Outcome outcome =
        copy(SLOW, "--via", "auto", "--relays", relays(), "fdt://far.test:1/source/f", "a")
            .expect(3);

    assertThat(outcome.err()).contains("cannot connect to 127.0.0.5:1");
    assertThat(lab.root().resolve("a")).doesNotExist();
  }

  @Test
  void theServerOffersRelaysWithTheirKeys() throws Exception {
    startRelay();
    Pattern identity = Pattern.compile("identity=(SHA256:\\S+)");
    await().atMost(RunningCommand.DEADLINE).until(() -> identity.matcher(relay.err()).find());
    Matcher key = identity.matcher(relay.err());
    assertThat(key.find()).isTrue();
    RunningCommand offering =
        lab.serve(
            "--export",
            source.toString(),
            "--offer-relays",
            relays() + "?fingerprint=" + key.group(1) + ",127.0.0.1:1");

    Outcome outcome =
        copy(FAST, "--via", "auto", "fdt://127.0.0.1:" + offering.port() + "/source/f", "a")
            .expect(0);

    assertThat(outcome.err())
        .containsPattern("goes .*: directly .*; via " + relays() + " [0-9.]+ [KMG]iB/s")
        .contains("via 127.0.0.1:1 fails: ");
  }

  @Test
  void aServerThatOffersNoneIsReachedDirectly() throws Exception {
    Outcome outcome =
        copy(FAST, "--via", "auto", "fdt://127.0.0.1:" + server.port() + "/source/f", "a")
            .expect(0);

    assertThat(outcome.err()).contains("the server offers no relays; name some with --relays");
  }

  @Test
  void whatIsNoRelayIsNotOffered() {
    Outcome outcome =
        lab.run(lab.root(), "serve", "--export", "source", "--offer-relays", "a/b").expect(2);

    assertThat(outcome.err()).contains("--offer-relays: 'a/b' is not a server");
  }
}
