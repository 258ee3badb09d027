package io.fdt.e2e.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.tuning.Observation;
import io.fdt.e2e.Content;
import io.fdt.e2e.FarTransport;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.RunningCommand;
import io.fdt.server.NamedTokens;
import io.fdt.udt.transport.UdtTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Data that begins over TCP, on a path where TCP is slow and UDP is not. */
@Execution(ExecutionMode.CONCURRENT)
class AutoTransportTest {
  private static final long SIZE = 80L << 20;
  private static final int STREAMS = 2;

  /** More than joins have: blocks went over UDP. A loaded machine may end the trial after that. */
  private static final long SOME = 100_000;

  /**
   * For each piece of 64 KiB on each stream, so long as TCP is slow: 0.8 MB/s, less than a loaded
   * machine carries over UDP. All of it would take 100 s: one second in which the processors are
   * not what limits it is enough to try UDP.
   */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(160);

  /** A loaded machine takes a while to find out. */
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  @RegisterExtension private final Lab lab = new Lab();
  private final List<String> changes = new CopyOnWriteArrayList<>();
  private volatile boolean tcpIsSlow = true;
  private long mostUdpData = Long.MAX_VALUE;
  private long cutUdpAfter = Long.MAX_VALUE;
  private Path source;
  private Path copies;
  private String token;
  private FaultyNetwork network;
  private volatile FarTransport far;
  private FdtClient client;

  @BeforeEach
  void makeAFile() throws Exception {
    source = lab.directory("source").resolve("file");
    Content.write(source, SIZE, 1);
    copies = lab.directory("copies");
    token =
        NamedTokens.ofHome(lab.root().resolve("home"))
            .create(
                new Grant(
                    "alice",
                    Instant.now(),
                    Optional.empty(),
                    false,
                    Set.of(),
                    List.of(),
                    true,
                    false,
                    RelayGrant.UNLIMITED));
  }

  @AfterEach
  void close() throws Exception {
    if (client != null) {
      client.close();
    }
    if (far != null) {
      far.close();
    }
    if (network != null) {
      network.close();
    }
  }

  @Test
  void dataMovesToUdpInMidTransfer() throws Exception {
    Transfer running = send();
    Awaitility.await().atMost(DEADLINE).until(() -> far != null && far.udpBytes() > SOME);
    tcpIsSlow = false; // for what is on its way there
    TransferReport report = copied(running);

    assertThat(report.failure()).as(report.failureMessage()).isEmpty();
    Content.assertSame(copies.resolve("file"), source);
  }

  @Test
  void dataComesBackWhereUdpStops() throws Exception {
    cutUdpAfter = 1 << 20;
    Transfer running = send();
    Awaitility.await().atMost(DEADLINE).until(() -> far != null && far.udpIsCut());
    tcpIsSlow = false;
    TransferReport report = copied(running);

    assertThat(report.failure()).as(report.failureMessage()).isEmpty();
    Content.assertSame(copies.resolve("file"), source);
    assertThat(changes).anySatisfy(one -> assertThat(one).contains("data goes back to TCP"));
    assertThat(far.udpBytes()).as("%s", changes).isLessThan(SIZE);
  }

  /** A filter that lets connections come about, and nothing more. */
  @Test
  void dataComesBackWhereUdpIsHeldBack() throws Exception {
    mostUdpData = SOME / 4;
    Transfer running = send();
    Awaitility.await()
        .atMost(DEADLINE)
        .until(() -> changes.stream().anyMatch(one -> one.contains("data goes back to TCP")));
    tcpIsSlow = false;
    TransferReport report = copied(running);

    assertThat(report.failure()).as(report.failureMessage()).isEmpty();
    Content.assertSame(copies.resolve("file"), source);
    assertThat(changes)
        .anySatisfy(one -> assertThat(one).contains("arrived over UDP in half a second"));
    assertThat(far.udpBytes()).as("%s", changes).isLessThan(SIZE / 8);
  }

  @Test
  void dataStaysOnTcpWhereTheServerTakesNoUdp() throws Exception {
    Transfer running = send("--no-udp");
    Awaitility.await()
        .atMost(DEADLINE)
        .until(() -> changes.stream().anyMatch(one -> one.contains("data stays on TCP: ")));
    tcpIsSlow = false;
    TransferReport report = copied(running);

    assertThat(report.failure()).as(report.failureMessage()).isEmpty();
    Content.assertSame(copies.resolve("file"), source);
    assertThat(far.udpBytes()).isZero();
  }

  private static TransferReport copied(Transfer running) throws Exception {
    return running.completion().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  private Transfer send(String... more) throws Exception {
    RunningCommand server = serve(more);
    network = new FaultyNetwork(server.port(), (data, number) -> this::passes);
    client =
        FdtClient.builder("127.0.0.1")
            .port(server.port())
            .trust(
                ServerTrust.knownHosts(lab.root().resolve("home"), ServerTrust.FirstContact.ACCEPT))
            .token(AccessToken.of(token))
            .transport(
                (loops, memory, timeout) -> {
                  far =
                      new FarTransport(
                          UdtTransport.AUTO.create(loops, memory, timeout), network.port());
                  far.dropUdpDataAfter(mostUdpData);
                  far.cutUdpAfter(cutUdpAfter);
                  return far;
                })
            .build();
    TransferRequest request =
        TransferRequest.push().source(source).destination("/copies").streams(STREAMS).build();
    return client.start(
        request,
        new TransferListener() {
          @Override
          public void problem(FileProblem problem) {}

          @Override
          public void observed(Observation seen) {
            if (!seen.change().isEmpty()) {
              changes.add(seen.change());
            }
          }
        });
  }

  private RunningCommand serve(String... more) {
    List<String> words = new ArrayList<>(List.of("--export", "copies:rw"));
    words.addAll(List.of("--bind", "127.0.0.1"));
    words.addAll(List.of(more));
    return lab.serve(words.toArray(String[]::new));
  }

  private boolean passes(byte[] bytes, int count, long offset, boolean toClient) {
    if (tcpIsSlow && !toClient) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }
}
