package io.fdt.cli.run.serve;

import io.fdt.cli.option.access.JoinOptions;
import io.fdt.cli.option.access.RelayOptions;
import io.fdt.cli.option.access.ServerAccess;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.transfer.FilterNames;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.Interruption;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.unit.AddressText;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import io.fdt.server.FrontEnd;
import io.fdt.server.NamedTokens;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a server until a signal ends it.
 *
 * @param port 0 for any free one
 * @param bind addresses to listen on; empty for all
 * @param dataPorts for data connections; empty for {@code port}
 * @param metrics address for Prometheus
 * @param http address for HTTPS; any of this machine where its host is empty
 * @param accessLog where a line for each file goes; "-" for standard output
 * @param unusedOptions options of the original FDT's servers that are ignored, because clients
 *     choose them
 */
public record ServeRun(
    int port,
    List<String> bind,
    Optional<Ports> dataPorts,
    List<Export> exports,
    boolean stopAfterLastClient,
    ServerAccess access,
    FilterNames filters,
    Optional<ServerAddress> metrics,
    Optional<ServerAddress> http,
    Optional<String> accessLog,
    boolean json,
    List<String> unusedOptions)
    implements Command {
  /** A range of ports, both ends included. */
  public record Ports(int low, int high) {}

  /** At least 1: a server logs each transfer. */
  @Override
  public int leastVerbosity() {
    return 1;
  }

  @Override
  public int run(CommandContext context) throws FdtException {
    Screen screen = context.screen();
    Logger log = LoggerFactory.getLogger(ServeRun.class);
    if (http.isPresent() && !filters.isEmpty()) {
      throw new FdtException(
          ErrorCode.USAGE, "--http: filters see no requests over HTTP; leave one of them out");
    }
    FdtServerBuilder builder =
        FdtServer.builder().port(port).stopAfterLastClient(stopAfterLastClient);
    if (access.certificate().isPresent()) {
      builder.certificate(access.certificate().get(), access.key().orElseThrow());
    }
    access.authority().ifPresent(builder::clientAuthority);
    access.anonymous().ifPresent(builder::anonymous);
    builder.limits(access.limits());
    builder.filters(filters.load());
    builder.requireEncryption(access.requireEncryption());
    builder.allowPrivileged(access.allowPrivileged());
    builder.allowSharedExports(access.allowShared());
    access.addresses().ifPresent(builder::allowedAddresses);
    builder.thirdParty(access.thirdParty());
    builder.udp(access.udp());
    ranges("--dial-to", access.dialTo(), builder::dialTo);
    if (access.relay().isPresent()) {
      builder.relay(true);
      ranges("--relay-to", access.relay().get().to(), builder::relayTo);
      access.relay().get().spool().ifPresent(place -> spool(place, context, builder));
    }
    builder.offerRelays(access.offeredRelays());
    if (access.join().isPresent()) {
      builder.join(frontEnd(access.join().get(), context));
    }
    builder.home(context.home());
    // Other commands in this process are other users.
    builder.trustOwnProcess(false);
    builder.bind(bind);
    dataPorts.ifPresent(ports -> builder.dataPorts(ports.low(), ports.high()));
    exports.forEach(builder::export);
    metrics
        .map(address -> new InetSocketAddress(address.host(), address.port()))
        .ifPresent(builder::metrics);
    http.map(ServeRun::socketAddress).ifPresent(builder::http);
    for (String option : unusedOptions) {
      log.info(
          "option {} is without effect on a server: {}",
          option,
          option.equals(Options.TRANSFER_PORTS)
              ? "all connections use one port"
              : "each client chooses");
    }
    AccessLog files =
        accessLog.isPresent()
            ? AccessLog.open(accessLog.get(), context.surroundings().workingDirectory(), screen)
            : null;
    if (files != null) {
      builder.accessLog(files);
    }
    try (files;
        FdtServer server = builder.build()) {
      server.start();
      rememberExports(context, log);
      Interruption interruption =
          context.onInterruption(() -> closeAndExit(server, files, json, context));
      try {
        if (json) {
          ready(server, context);
        } else {
          greet(server, context);
          screen.line("READY port=" + server.address().getPort());
        }
        server.stopped().join();
        if (json && !interruption.hasHappened()) {
          JsonEvent.end(screen, 0);
        }
        return 0;
      } finally {
        interruption.close();
      }
    } catch (CompletionException e) {
      if (e.getCause() instanceof FdtException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /** An address without a host is any of this machine. */
  private static InetSocketAddress socketAddress(ServerAddress address) {
    return address.host().isEmpty()
        ? new InetSocketAddress(address.port())
        : new InetSocketAddress(address.host(), address.port());
  }

  /** For {@code token create}, which warns of a name that is no export. */
  private void rememberExports(CommandContext context, Logger log) {
    try {
      NamedTokens.ofHome(context.home()).remember(exports);
    } catch (FdtException e) {
      log.debug("token create will not know the exports: {}", e.getMessage());
    }
  }

  private static void spool(
      RelayOptions.SpoolPlace place, CommandContext context, FdtServerBuilder builder) {
    Path directory = context.surroundings().workingDirectory().resolve(place.directory());
    builder.spool(directory, place.size());
  }

  private static FrontEnd frontEnd(JoinOptions join, CommandContext context) throws FdtException {
    String token;
    if (join.tokenFile().isPresent()) {
      Path file = join.tokenFile().get();
      try {
        token = FrontEnd.tokenOf(file);
      } catch (FdtException e) {
        throw new FdtException(e.code(), "--join-token-file '" + file + "': " + e.getMessage(), e);
      }
    } else {
      token = context.environment().get(JoinOptions.VARIABLE);
    }
    if (token == null || token.isEmpty()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "--join needs a token: have 'fdt token create NAME --data-node' make one at the front"
              + " end, and give --join-token-file FILE or "
              + JoinOptions.VARIABLE);
    }
    return new FrontEnd(
        join.frontEnd().host(),
        join.frontEnd().port(),
        join.fingerprint(),
        token,
        join.advertised());
  }

  private static void ranges(String option, List<String> ranges, Consumer<List<String>> use)
      throws FdtException {
    try {
      if (!ranges.isEmpty()) {
        use.accept(ranges);
      }
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, option + ": " + e.getMessage(), e);
    }
  }

  /**
   * Exits with status 0, not with the JVM's 143: a signal is the normal end of a server.
   *
   * @param files null for none
   */
  private static void closeAndExit(
      FdtServer server, AccessLog files, boolean json, CommandContext context) {
    try {
      server.close();
      if (files != null) {
        files.close();
      }
      if (json) {
        JsonEvent.end(context.screen(), 0);
      }
      context.screen().flush();
    } finally {
      context.ending().exit(0);
    }
  }

  private void ready(FdtServer server, CommandContext context) {
    BytePath here = BytePath.of(context.surroundings().workingDirectory());
    JsonEvent ready = new JsonEvent("ready");
    server.httpAddress().ifPresent(address -> ready.with("http_port", address.getPort()));
    ready
        .with("hosts", HostNames.of(bind, context.environment()).names())
        .with("port", server.address().getPort())
        .with("data_port", server.dataPort())
        .with("fingerprint", server.fingerprint())
        .with("anonymous", access.anonymous().map(ServeRun::text).orElse("none"))
        .with(
            "exports",
            exports,
            export ->
                JsonEvent.object(export.name() == null ? "/" : "/" + export.name())
                    .withPath("directory", HostNames.full(export.directory(), here))
                    .with("access", text(export.access())))
        .show(context.screen());
  }

  private static String text(Export.Access access) {
    return access == Export.Access.READ_WRITE ? "rw" : "ro";
  }

  private void greet(FdtServer server, CommandContext context) {
    Screen screen = context.screen();
    for (Export export : exports) {
      String path = export.name() == null ? "/" : "/" + export.name();
      boolean writable = export.access() == Export.Access.READ_WRITE;
      screen.line(
          "exposing "
              + HostNames.shown(export.directory(), context.surroundings().workingDirectory())
              + " as "
              + path
              + (writable ? ", read-write" : ", read-only"));
    }
    if (exports.isEmpty()) {
      screen.line("exposing nothing: a relay to other servers");
    }
    int own = server.address().getPort();
    HostNames names = HostNames.of(bind, context.environment());
    screen.line("on port " + own + " of " + names.all());
    if (server.dataPort() != own) {
      screen.line("data connections on port " + server.dataPort());
    }
    access.join().ifPresent(join -> screen.line("a data node of the server " + join.frontEnd()));
    screen.line(
        access.anonymous().isEmpty()
            ? "clients need a token: yours is in "
                + context.home().resolve("token")
                + "; make one for another user with: fdt token create NAME"
            : "ANY CLIENT that reaches this port may read"
                + (access.anonymous().get() == Export.Access.READ_WRITE ? " and write" : ""));
    server
        .httpAddress()
        .ifPresent(
            address ->
                screen.line("HTTPS at https://" + names.first() + ":" + address.getPort() + "/"));
    server
        .metricsAddress()
        .ifPresent(
            address ->
                screen.line(
                    "metrics at http://"
                        + new ServerAddress(
                            AddressText.of(address.getAddress().getHostAddress()),
                            address.getPort())
                        + "/metrics"));
    if (exports.isEmpty()) {
      return;
    }
    Export first = exports.get(0);
    String source = first.name() == null ? "/" : "/" + first.name();
    boolean isHere = names.areOfThisMachineOnly();
    new NextStep(
            names.first(),
            own,
            source,
            isHere ? Optional.empty() : Optional.of(server.fingerprint()),
            !isHere && access.anonymous().isEmpty())
        .lines(Help.command())
        .forEach(screen::line);
  }
}
