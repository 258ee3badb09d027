package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A name with several addresses: when the one in use is gone, the others are tried. */
class SpareAddressTest {
  private static final String FIRST = "127.0.0.3";
  private static final String SECOND = "127.0.0.4";

  @RegisterExtension final Lab lab = new Lab();

  private final FaultyNetwork.Plan passing = (data, number) -> FaultyNetwork.Fault.NONE;

  private CommandProcess copy(String... words) throws Exception {
    Path hosts = lab.root().resolve("hosts");
    Files.writeString(hosts, FIRST + " storage.test\n" + SECOND + " storage.test\n");
    List<String> line = new ArrayList<>(List.of("copy", "--accept-new"));
    line.addAll(List.of(words));
    return lab.startWithOptions(List.of("-Djdk.net.hosts.file=" + hosts), line);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theOtherAddressCarriesOn(boolean encrypts) throws Exception {
    Path there = lab.directory("there");
    Path big = there.resolve("big");
    Content.write(big, 40 << 20, 1);
    RunningCommand server = lab.serve("--export", "data=" + there);
    FaultyNetwork.Gate gate = new FaultyNetwork.Gate(8 << 20);
    FaultyNetwork first = new FaultyNetwork(new InetSocketAddress(FIRST, 0), server.port(), gate);
    try (FaultyNetwork second =
        new FaultyNetwork(new InetSocketAddress(SECOND, first.port()), server.port(), passing)) {
      String source = "fdt://storage.test:" + first.port() + "/data/big";
      CommandProcess running = encrypts ? copy("--encrypt", source, "in") : copy(source, "in");
      gate.awaitHold();
      assertThat(second.controlConnections()).isZero();
      first.close();
      gate.open();

      Outcome outcome = running.end().expect(0);

      assertThat(second.controlConnections()).isPositive();
      assertThat(second.dataConnections()).isPositive();
      assertThat(outcome.summary()).contains("all verified");
      Content.assertSame(lab.root().resolve("in"), big);
    } finally {
      first.close();
    }
  }

  @Test
  void anAddressThatIsDeadFromTheStartCostsNothingButTime() throws Exception {
    Path there = lab.directory("there");
    Files.writeString(there.resolve("f"), "1");
    RunningCommand server = lab.serve("--export", "data=" + there);
    try (FaultyNetwork second =
        new FaultyNetwork(new InetSocketAddress(SECOND, 0), server.port(), passing)) {
      copy("fdt://storage.test:" + second.port() + "/data/f", "in").end().expect(0);

      assertThat(lab.root().resolve("in")).hasContent("1");
    }
  }
}
