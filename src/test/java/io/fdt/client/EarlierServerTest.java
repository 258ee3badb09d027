package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Node;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.TestServer;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.FanMember;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Reply;
import io.fdt.core.wire.control.RequestEnd;
import io.fdt.core.wire.control.Route;
import io.fdt.core.wire.control.Welcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers and relays of a version that does not know fans. */
class EarlierServerTest {
  @Test
  void aServerThatTakesNoFansIsNamed() throws Exception {
    try (EarlierServer server = new EarlierServer()) {
      FdtException failure = failureOf(server.builder().dataConnections(4, 2));
      assertThat(failure.code()).isEqualTo(ErrorCode.VERSION);
      assertThat(failure)
          .hasMessageContaining("the server 127.0.0.1 (fdt 0.0.9)")
          .hasMessageContaining("update it, or give -P and --congestion one value");
    }
  }

  @Test
  void aRelayThatDialsNoFansIsNamed() throws Exception {
    try (EarlierServer relay = new EarlierServer()) {
      List<FdtClient.Builder> all =
          List.of(
              behind(relay.builder()).dataConnections(4, 2),
              behind(relay.builder()).relayCongestion("bbr"),
              behind(relay.builder().dataConnections(4, 2)),
              behind(relay.builder().relayCongestion("bbr")));
      for (FdtClient.Builder builder : all) {
        FdtException failure = failureOf(builder);
        assertThat(failure.code()).isEqualTo(ErrorCode.VERSION);
        assertThat(failure).hasMessageContaining("the relay 127.0.0.1 (fdt 0.0.9)");
      }
    }
  }

  @Test
  void aServerThatTakesFansOverTcpOnlyIsNamed() throws Exception {
    try (EarlierServer server = new EarlierServer(FanMember.MAX_COUNT, false)) {
      FdtException failure =
          failureOf(server.builder().dataTransport(DataTransport.UDT).dataConnections(4, 2));
      assertThat(failure.code()).isEqualTo(ErrorCode.VERSION);
      assertThat(failure)
          .hasMessageContaining("the server 127.0.0.1 (fdt 0.0.9)")
          .hasMessageContaining("several connections over UDP for one stream: update it");
    }
  }

  /** Also where it calls the route a violation, as versions with fans over TCP only did. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRelayThatTakesFansOverTcpOnlyIsNamed(boolean refuses) throws Exception {
    try (EarlierServer relay = new EarlierServer(FanMember.MAX_COUNT, refuses)) {
      List<FdtClient.Builder> all =
          List.of(
              behind(relay.builder()).dataTransport(DataTransport.UDT).dataConnections(4, 2),
              behind(relay.builder().dataTransport(DataTransport.UDT).dataConnections(4, 2)));
      for (FdtClient.Builder builder : all) {
        FdtException failure = failureOf(builder);
        assertThat(failure.code()).isEqualTo(ErrorCode.VERSION);
        assertThat(failure)
            .hasMessageContaining("the relay 127.0.0.1 (fdt 0.0.9)")
            .hasMessageContaining("several connections over UDP for one stream");
      }
    }
  }

  /** What it can do, it is asked to do. */
  @Test
  void aRelayThatTakesFansOverTcpOnlyIsUsedForThem() throws Exception {
    try (EarlierServer relay = new EarlierServer(FanMember.MAX_COUNT, false)) {
      FdtException failure =
          failureOf(behind(relay.builder().dataTransport(DataTransport.UDT)).dataConnections(4, 2));
      assertThat(failure)
          .as("it lets nobody join")
          .hasMessageContaining("refuses to connect further");
    }
  }

  /** It takes what its system does, and {@code -P auto} works all the same. */
  @Test
  void aRelayThatFindsNothingOutIsUsed() throws Exception {
    try (EarlierServer relay = new EarlierServer()) {
      FdtException failure =
          failureOf(behind(relay.builder().relayCongestion("auto")).relayCongestion("auto"));
      assertThat(failure)
          .as("it lets nobody join")
          .hasMessageContaining("refuses to connect further");
    }
  }

  private static FdtClient.Builder behind(FdtClient.Builder relay) {
    return FdtClient.builder("192.0.2.1").via(relay);
  }

  private static FdtException failureOf(FdtClient.Builder builder) {
    NettestRequest request =
        new NettestRequest(
            TransferRequest.Direction.PUSH,
            2,
            Duration.ofSeconds(1),
            ByteSize.ofBytes(1 << 20),
            ByteSize.ofBytes(0));
    try (FdtClient client = builder.retryTimeout(Duration.ZERO).build()) {
      return catchThrowableOfType(FdtException.class, () -> client.start(request).await());
    }
  }

  /** Opens routes, and ignores what it does not know of them. */
  private static final class EarlierServer implements AutoCloseable {
    private final Identity identity = Identity.generate();
    private final ServerTls tls = new ServerTls(identity, List.of());
    private final TestServer server;
    private final int mostOfFan;
    private final boolean refusesRoutes;

    EarlierServer() throws FdtException {
      this(0, false);
    }

    /**
     * @param refusesRoutes whether it calls each a violation
     */
    EarlierServer(int mostOfFan, boolean refusesRoutes) throws FdtException {
      this.mostOfFan = mostOfFan;
      this.refusesRoutes = refusesRoutes;
      server =
          new TestServer(
              Node.TCP,
              Duration.ofSeconds(10),
              CompletableFuture.completedFuture(tls),
              this::messages,
              stream -> {
                throw new AssertionError("no stream has a place here");
              });
    }

    FdtClient.Builder builder() {
      return FdtClient.builder("127.0.0.1")
          .port(server.address().getPort())
          .trust(ServerTrust.pinned(identity.fingerprint().toString()));
    }

    private ControlConnection.Handler messages(ControlConnection connection) {
      return new ControlConnection.Handler() {
        @Override
        public void message(Control message) {
          switch (message.getBodyCase()) {
            case HELLO ->
                connection.send(
                    Control.newBuilder()
                        .setWelcome(
                            Welcome.newBuilder().setSoftware("fdt 0.0.9").setMostOfFan(mostOfFan))
                        .build());
            case REQUEST -> open(message.getRequest().getId());
            default -> {}
          }
        }

        private void open(long id) {
          Route route =
              Route.newBuilder()
                  .setId(ByteString.copyFrom(new byte[SessionId.LENGTH]))
                  .setSecret(ByteString.copyFrom(new byte[Join.SECRET_LENGTH]))
                  .setDataSecret(ByteString.copyFrom(new byte[Join.SECRET_LENGTH]))
                  .setAddress("192.0.2.1")
                  .build();
          if (!refusesRoutes) {
            connection.send(
                Control.newBuilder()
                    .setReply(Reply.newBuilder().setId(id).setRoute(route))
                    .build());
          }
          connection.send(
              Control.newBuilder()
                  .setRequestEnd(
                      RequestEnd.newBuilder()
                          .setId(id)
                          .setCode(refusesRoutes ? ErrorCode.PROTOCOL.wireCode() : 0))
                  .build());
        }

        @Override
        public void closed(FdtException cause) {}
      };
    }

    @Override
    public void close() {
      server.close();
      tls.close();
    }
  }
}
