package io.fdt.cli.run.copy;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.output.Screen;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.TokenSource;
import io.fdt.cli.ssh.StartedServers;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.HandOver;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The servers of a copy, and their tokens. */
final class CopyServers {
  /**
   * The tokens.
   *
   * @param source for the source's server of two
   */
  record Tokens(Optional<AccessToken> server, Optional<AccessToken> source) {}

  private final Copy copy;
  private final Optional<StartedServers> started;
  private final CommandContext context;
  private ClientAccess access;

  /**
   * @param started servers that were started for the copy
   */
  CopyServers(Copy copy, Optional<StartedServers> started, CommandContext context) {
    this.copy = copy;
    this.started = started;
    this.context = context;
    this.access = copy.access();
  }

  /**
   * Measures the fastest route to the server, if none is given.
   *
   * @return false after an interruption
   * @throws FdtException no route leads to the server
   */
  boolean chooseWay(Tokens tokens, Consumer<String> notices)
      throws FdtException, InterruptedException {
    boolean isOpen = access.via().isOpen() && copy.source().isEmpty();
    if (isOpen && !copy.request().spec().dryRun()) {
      Optional<ClientAccess> fastest = new FastestWay(copy, tokens.server(), context).find(notices);
      access = fastest.orElse(access);
      return fastest.isPresent();
    }
    return true;
  }

  /** The tokens of files and the environment. */
  Tokens givenTokens() throws FdtException {
    Optional<AccessToken> source = Optional.empty();
    if (copy.source().isPresent()) {
      Copy.Server server = copy.source().get();
      source = ofStarted(server.address());
      if (source.isEmpty()) {
        source =
            isOneHere()
                ? TokenSource.given(server.access(), context.environment())
                : TokenSource.givenForSource(server.access(), context.environment());
      }
    }
    Optional<AccessToken> token = ofStarted(copy.server());
    return new Tokens(
        token.isPresent() ? token : TokenSource.given(copy.access(), context.environment()),
        source);
  }

  private Optional<AccessToken> ofStarted(ServerAddress server) {
    return started.flatMap(servers -> servers.token(server));
  }

  /** The tokens, with those that a person types for missing ones. */
  Tokens asked(Tokens given) throws FdtException {
    Screen screen = context.screen();
    if (copy.source().isEmpty()) {
      return given.server().isPresent()
          ? given
          : new Tokens(TokenSource.asked(screen), given.source());
    }
    return new Tokens(
        given.server().isPresent() ? given.server() : asked(copy.server(), screen),
        given.source().isPresent() ? given.source() : asked(copy.source().get().address(), screen));
  }

  private static Optional<AccessToken> asked(ServerAddress server, Screen screen)
      throws FdtException {
    return TokenSource.asked(screen, "Token for " + server + ": ");
  }

  /** A client of the server, or of the destination's. */
  FdtClient.Builder builder(Tokens tokens) throws FdtException {
    return builder(copy.server(), access, tokens.server());
  }

  /** A client of the relay. */
  FdtClient openRelay() throws FdtException {
    ViaOptions.Relay relay = access.via().relays().get(0);
    Optional<AccessToken> token = TokenSource.givenForRelays(access.via(), context.environment());
    ClientAccess way = access.withoutVia().withFingerprint(relay.fingerprint());
    return Clients.open(relay.address(), way, token, context);
  }

  /**
   * Begins a hand-over. After a refusal by the relay, no token is asked for: such a question
   * concerns the server's token.
   */
  static HandOver begin(FdtClient relay, FdtClient destination, Copy copy)
      throws FdtException, InterruptedException {
    try {
      return HandOver.begin(
          relay, destination, copy.request(), copy.access().via().handOver().orElseThrow());
    } catch (FdtException e) {
      throw e.code() == ErrorCode.UNAUTHENTICATED
          ? new FdtException(
              ErrorCode.FORBIDDEN,
              "the relay refuses its token; give it one with --via-token-file: " + e.getMessage(),
              e)
          : e;
    }
  }

  /** A client of the server that the relay delivers to; it does not connect. */
  FdtClient openDestination(Tokens tokens) throws FdtException {
    return Clients.open(copy.server(), access.withoutVia(), tokens.server(), context);
  }

  /** A client of the source's server; null without a second server. */
  FdtClient openSource(Tokens tokens) throws FdtException {
    if (copy.source().isEmpty()) {
      return null;
    }
    Copy.Server server = copy.source().get();
    return builder(server.address(), server.access(), tokens.source()).build();
  }

  private FdtClient.Builder builder(
      ServerAddress server, ClientAccess way, Optional<AccessToken> token) throws FdtException {
    if (ofStarted(server).isEmpty()) {
      return Clients.builder(server, way, token, context);
    }
    boolean isHere = near().filter(server::equals).isPresent();
    FdtClient.Builder builder =
        Clients.builderForOnce(server, isHere ? way.withoutVia() : way, token, context);
    started.get().configure(server, builder);
    return builder;
  }

  private Optional<ServerAddress> near() {
    return started.flatMap(StartedServers::near);
  }

  boolean areStarted() {
    return started.isPresent();
  }

  /** Whether one of two servers is on this machine, so that the user sees only the other one. */
  boolean isOneHere() {
    return near().isPresent();
  }

  /** Whether the sources are on this machine, where a shell expands wildcards. */
  boolean areSourcesHere() {
    return near().isPresent() && copy.source().map(Copy.Server::address).equals(near());
  }

  /** Completes when a started server is lost. */
  CompletableFuture<FdtException> lost() {
    return started.map(StartedServers::lost).orElseGet(CompletableFuture::new);
  }

  /** The report, with a lost SSH connection as its failure. */
  TransferReport explained(TransferReport report) {
    FdtException lost = lost().getNow(null);
    return lost == null || report.failure().isEmpty() ? report : report.withFailure(lost);
  }
}
