package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Node;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.TestServer;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.SessionOpened;
import io.fdt.core.wire.control.Welcome;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Whatever is logged, at whatever verbosity: tokens and secrets of sessions are not in it. */
class SecretsInLogsTest {
  private static final Logger ROOT =
      (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  @TempDir Path directory;

  private final Lines lines = new Lines();
  private Level before;

  @BeforeEach
  void listen() {
    before = ROOT.getLevel();
    ROOT.setLevel(Level.TRACE);
    lines.setContext(ROOT.getLoggerContext());
    lines.start();
    ROOT.addAppender(lines);
  }

  @AfterEach
  void stop() {
    ROOT.detachAppender(lines);
    ROOT.setLevel(before);
  }

  @Test
  void tokensOfClientsAreInNoLine() throws Exception {
    Path data = Files.createDirectory(directory.resolve("data"));
    Files.writeString(data.resolve("file"), "content");
    FdtServer server =
        FdtServer.builder().port(0).bind("127.0.0.1").export(Export.readOnly("data", data)).build();
    server.start();
    String wrong = "fdt_WrongWrongWrongWrongWrongWrongWrongWrongWr0";
    try {
      for (String token : List.of(server.localToken(), wrong)) {
        try (FdtClient client =
            FdtClient.builder("127.0.0.1")
                .port(server.address().getPort())
                .trust(ServerTrust.pinned(server.fingerprint()))
                .token(AccessToken.of(token))
                .build()) {
          TransferReport report = end(client, "/data/file");
          assertThat(report.exitStatus()).isEqualTo(token.equals(wrong) ? 4 : 0);
          end(client, "/nowhere");
        }
      }
    } finally {
      server.close();
    }

    assertThat(lines.all).as("something was logged").anyMatch(l -> l.contains("session opened"));
    assertThat(lines.all).noneMatch(line -> line.contains(server.localToken().substring(4)));
    assertThat(lines.all).noneMatch(line -> line.contains(wrong.substring(4)));
  }

  /** Also when the connection is lost, the session is not known any more, and another one opens. */
  @Test
  void secretsOfSessionsAreInNoLine() throws Exception {
    List<byte[]> secrets;
    try (ForgetfulServer server = new ForgetfulServer();
        FdtClient client =
            FdtClient.builder("127.0.0.1")
                .port(server.port())
                .trust(ServerTrust.pinned(server.fingerprint()))
                .token(AccessToken.of("fdt_any"))
                .build()) {
      assertThat(end(client, "/data/file").failure()).contains(ErrorCode.FORBIDDEN);
      secrets = List.copyOf(server.secrets);
    }

    assertThat(secrets).as("sessions").hasSize(2);
    assertThat(lines.all).isNotEmpty();
    for (byte[] secret : secrets) {
      for (String text : spellings(secret)) {
        assertThat(lines.all).noneMatch(line -> line.toLowerCase(Locale.ROOT).contains(text));
      }
    }
  }

  private static List<String> spellings(byte[] secret) {
    StringBuilder escaped = new StringBuilder(); // as protocol buffers show bytes
    for (byte b : secret) {
      boolean isPlain = b >= ' ' && b < 0x7f && b != '"' && b != '\'' && b != '\\';
      escaped.append(isPlain ? Character.toString(b) : "\\%03o".formatted(b & 0xff));
    }
    return List.of(
        HexFormat.of().formatHex(secret, 0, 8),
        Base64.getEncoder().withoutPadding().encodeToString(secret).toLowerCase(Locale.ROOT),
        Arrays.toString(secret),
        escaped.toString().toLowerCase(Locale.ROOT));
  }

  private TransferReport end(FdtClient client, String source) throws Exception {
    Path here = Files.createTempDirectory(directory, "here");
    return client
        .start(
            TransferRequest.pull().source(source).destination(here).build(), TransferListener.NONE)
        .completion()
        .get(60, TimeUnit.SECONDS);
  }

  /** All that is logged, with the messages of what was thrown. */
  private static final class Lines extends AppenderBase<ILoggingEvent> {
    final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      StringBuilder line = new StringBuilder(event.getFormattedMessage());
      for (IThrowableProxy thrown = event.getThrowableProxy();
          thrown != null;
          thrown = thrown.getCause()) {
        line.append(' ').append(thrown.getMessage());
      }
      all.add(line.toString());
    }
  }

  /** Agrees to the first session, hangs up and forgets it; refuses the second one. */
  private static final class ForgetfulServer implements AutoCloseable {
    final List<byte[]> secrets = new CopyOnWriteArrayList<>();
    private final Identity identity = Identity.generate();
    private final ServerTls tls = new ServerTls(identity, List.of());
    private final TestServer server;

    ForgetfulServer() throws FdtException {
      server =
          new TestServer(
              Node.TCP,
              Duration.ofSeconds(10),
              CompletableFuture.completedFuture(tls),
              this::messages,
              stream -> {
                throw new AssertionError("no stream has a place here");
              });
      server.refusal = new FdtException(ErrorCode.BUSY, "not now");
    }

    int port() {
      return server.address().getPort();
    }

    String fingerprint() {
      return identity.fingerprint().toString();
    }

    private ControlConnection.Handler messages(ControlConnection connection) {
      return new ControlConnection.Handler() {
        @Override
        public void message(Control message) {
          switch (message.getBodyCase()) {
            case HELLO ->
                connection.send(
                    Control.newBuilder().setWelcome(Welcome.getDefaultInstance()).build());
            case OPEN_SESSION -> {
              secrets.add(message.getOpenSession().getSessionSecret().toByteArray());
              if (secrets.size() == 1) {
                connection.send(
                    Control.newBuilder()
                        .setSessionOpened(SessionOpened.getDefaultInstance())
                        .build());
                connection.close();
              } else {
                end(ErrorCode.FORBIDDEN);
              }
            }
            case RESUME_SESSION -> end(ErrorCode.UNREACHABLE);
            default -> {}
          }
        }

        private void end(ErrorCode code) {
          connection.send(AbortCoding.encode(new FdtException(code, "no such session")));
          connection.close();
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
