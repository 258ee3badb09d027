package io.fdt.e2e.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ForwardingTransport;
import io.fdt.core.transport.Transport;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import io.fdt.server.NamedTokens;
import io.fdt.udt.transport.LossyForwarder;
import io.fdt.udt.transport.UdtTransport;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole transfers whose data goes over UDP. */
class UdpTest {
  private static final int FILES = 60;
  private static final long LARGE = 12L << 20;

  @RegisterExtension final Lab lab = new Lab();

  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<LossyForwarder> forwarders = new CopyOnWriteArrayList<>();
  private Path source;
  private Path copy;
  private RunningCommand server;
  private String token;

  @BeforeEach
  void makeATree() throws Exception {
    source = lab.directory("sources/data");
    for (int i = 0; i < FILES; i++) {
      Content.write(source.resolve("small/" + i), 1000L * i, i);
    }
    Content.write(source.resolve("z-large"), LARGE, 1);
    copy = lab.directory("copies").resolve("data");
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
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
    forwarders.forEach(LossyForwarder::close);
  }

  @ParameterizedTest
  @CsvSource({
    "true, false, 0",
    "false, false, 0",
    "true, true, 0",
    "true, false, 0.02",
    "false, true, 0.02"
  })
  void aTreeArrives(boolean pull, boolean encrypted, double loss) throws Exception {
    server = serve(0);
    FdtClient client = client(encrypted, loss);
    TransferReport report = start(client, pull).completion().get(60, TimeUnit.SECONDS);

    assertThat(report.failure()).as(report.failureMessage()).isEmpty();
    assertThat(report.figures().files().done()).isEqualTo(FILES + 1);
    Tree.assertSame(copy, source);
    TransferReport again = start(client, pull).completion().get(60, TimeUnit.SECONDS);
    assertThat(again.figures().bytesDone()).isZero();
    assertThat(forwarders.stream().mapToLong(LossyForwarder::encryptedBytes).sum() > 0)
        .as("encrypted packets")
        .isEqualTo(encrypted && loss > 0);
  }

  /** So the tests before were not about TCP. */
  @Test
  void aServerWithoutUdpIsNotReachedOverIt() throws Exception {
    server = serve(0, "--no-udp");
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    try (EventLoops loops = new EventLoops("test-udp")) {
      Transport udt =
          UdtTransport.UDP.create(loops, UnpooledByteBufAllocator.DEFAULT, Duration.ofSeconds(5));
      assertThat(udt.dialData(address))
          .failsWithin(30, TimeUnit.SECONDS)
          .withThrowableThat()
          .withCauseInstanceOf(FdtException.class)
          .withMessageContaining("connection refused: does the server there take UDP?");
    }
  }

  @Test
  void aServerWithoutUdpSaysSo() throws Exception {
    server = serve(0, "--no-udp");
    TransferReport report = start(client(false, 0), true).completion().get(20, TimeUnit.SECONDS);

    assertThat(report.failure()).contains(ErrorCode.UNREACHABLE);
    assertThat(report.failureMessage())
        .isEqualTo(
            "127.0.0.1 accepts no data over UDP: leave out FdtClient.dataTransport, or have its"
                + " administrator start it without FdtServer.udp(false)");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPathThatDropsUdpIsFoundSoon(boolean pull) throws Exception {
    server = serve(0);
    TransferReport report = start(client(false, 1), pull).completion().get(20, TimeUnit.SECONDS);

    assertThat(report.failure()).contains(ErrorCode.UNREACHABLE);
    assertThat(report.failureMessage()).contains("no answer over UDP; check the address");
  }

  @Test
  void aTreeArrivesAlthoughTheServerIsKilled() throws Exception {
    CommandProcess killed = lab.serveProcess(words(0, "--limit", "20Mbit/s"));
    server = killed;
    int port = killed.port();
    Transfer transfer = start(client(false, 0), true);
    Lab.awaitUnfinished(copy.getParent(), 2);
    killed.signal("KILL");
    killed.end();
    server = serve(port);
    TransferReport report = transfer.completion().get(60, TimeUnit.SECONDS);

    assertThat(report.failure()).as(report.failureMessage()).isEmpty();
    Tree.assertSame(copy, source);
    assertThat(Lab.unfinishedFiles(copy)).isEmpty();
    assertThat(report.figures().bytesDone()).isLessThan(LARGE + (8L << 20));
  }

  private RunningCommand serve(int port, String... more) {
    return lab.serve(words(port, more));
  }

  private static String[] words(int port, String... more) {
    List<String> words = new ArrayList<>(List.of("--export", "sources", "--export", "copies:rw"));
    words.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
    words.addAll(List.of(more));
    return words.toArray(String[]::new);
  }

  private FdtClient.Builder builder() throws Exception {
    return FdtClient.builder("127.0.0.1")
        .port(server.port())
        .trust(ServerTrust.knownHosts(lab.root().resolve("home"), ServerTrust.FirstContact.ACCEPT))
        .token(AccessToken.of(token))
        .retryTimeout(Duration.ofSeconds(40));
  }

  private FdtClient client(boolean encrypted, double loss) throws Exception {
    FdtClient.Builder builder = builder().encryptData(encrypted).udt(true);
    if (loss > 0) {
      builder.transport(
          (loops, memory, timeout) ->
              new LossyTransport(
                  UdtTransport.UDP.create(loops, memory, timeout), loss, forwarders));
    }
    FdtClient client = builder.build();
    open.add(0, client);
    return client;
  }

  private Transfer start(FdtClient client, boolean pull) {
    return client.start(request(pull), TransferListener.NONE);
  }

  private TransferRequest request(boolean pull) {
    TransferRequest.Builder request =
        pull
            ? TransferRequest.pull().source("/sources/data").destination(copy.getParent())
            : TransferRequest.push().source(source).destination("/copies");
    return request.recursive(true).build();
  }

  /** Dials each data connection through a forwarder of its own that loses packets. */
  private static final class LossyTransport extends ForwardingTransport {
    private final double loss;
    private final List<LossyForwarder> forwarders;

    LossyTransport(Transport udt, double loss, List<LossyForwarder> forwarders) {
      super(udt);
      this.loss = loss;
      this.forwarders = forwarders;
    }

    @Override
    public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
      try {
        LossyForwarder forwarder = new LossyForwarder(peer.getPort(), loss, 42);
        forwarders.add(forwarder);
        return super.dialData(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), forwarder.port()));
      } catch (java.io.IOException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }
}
