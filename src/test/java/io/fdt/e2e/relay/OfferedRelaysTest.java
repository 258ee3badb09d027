package io.fdt.e2e.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Relays that a server offers, and what they are shown. */
class OfferedRelaysTest {
  /** Far below what this machine carries, so that tests of the path leave it the processors. */
  private static final String LIMIT = "200Mbit/s";

  private static final Pattern IDENTITY = Pattern.compile("identity=(SHA256:\\S+)");

  @RegisterExtension private final Lab lab = new Lab();
  private Path homeOfRelay;
  private String relay;
  private RunningCommand server;

  @BeforeEach
  void serve() throws Exception {
    Path source = lab.directory("source");
    Files.writeString(source.resolve("f"), "1");
    homeOfRelay = lab.root().resolve("relay");
    RunningCommand running =
        lab.serveAt(
            homeOfRelay,
            "--relay",
            "--port",
            "0",
            "--limit",
            LIMIT,
            "--export",
            lab.directory("empty").toString());
    relay = "127.0.0.1:" + running.port();
    Matcher key = IDENTITY.matcher(running.err());
    assertThat(key.find()).isTrue();
    server =
        lab.serve(
            "--export",
            source.toString(),
            "--limit",
            LIMIT,
            "--offer-relays",
            relay + "?fingerprint=" + key.group(1));
  }

  private Outcome copy(String... words) {
    List<String> line = new ArrayList<>(List.of("copy", "--via", "auto"));
    line.addAll(List.of(words));
    line.addAll(List.of("fdt://127.0.0.1:" + server.port() + "/source/f", "got"));
    return lab.run(lab.root(), line.toArray(String[]::new)).expect(0);
  }

  private String token() {
    return homeOfRelay.resolve("token").toString();
  }

  /** Or any server could have the user's token of a relay by offering one of its own. */
  @Test
  void oneThatOnlyTheServerKnowsIsShownNoToken() {
    Outcome outcome = copy("--via-token-file", token());

    assertThat(outcome.err()).contains("via " + relay + " fails: Unknown server " + relay);
  }

  @Test
  void oneThatTheUserKnowsIsShownTheToken() {
    lab.run(lab.root(), "ls", "--accept-new", "--token-file", token(), "fdt://" + relay + "/")
        .expect(0);

    Outcome outcome = copy("--via-token-file", token());

    assertThat(outcome.err()).containsPattern("via " + relay + " [0-9.]+ [KMG]iB/s");
  }

  @Test
  void withoutATokenTheKeyOfTheServerIsBelieved() {
    assertThat(copy().err()).contains("via " + relay + " fails: ").doesNotContain("Unknown server");
  }
}
