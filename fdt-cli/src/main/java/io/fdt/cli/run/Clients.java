package io.fdt.cli.run;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.output.Screen;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.util.Optional;

/** Makes clients for the access of a command line. */
public final class Clients {
  private Clients() {}

  /** Whether a failure is one of the connection, not of a file. */
  public static boolean isOfConnection(ErrorCode code) {
    return code.exitStatus() == 3
        || code == ErrorCode.UNAUTHENTICATED
        || code == ErrorCode.UNTRUSTED;
  }

  /** A client for a server; it may ask the person at the screen whether to trust it. */
  public static FdtClient open(
      ServerAddress server,
      ClientAccess access,
      Optional<AccessToken> token,
      CommandContext context)
      throws FdtException {
    return builder(server, access, token, context).build();
  }

  /** A builder of a client, which remembers the best number of streams. */
  public static FdtClient.Builder builder(
      ServerAddress server,
      ClientAccess access,
      Optional<AccessToken> token,
      CommandContext context)
      throws FdtException {
    return builderForOnce(server, access, token, context).rememberPaths(context.home());
  }

  /** A builder for a server that is used once. */
  public static FdtClient.Builder builderForOnce(
      ServerAddress server,
      ClientAccess access,
      Optional<AccessToken> token,
      CommandContext context)
      throws FdtException {
    FdtClient.Builder builder =
        plain(server, access, access.fingerprint(), access.via().relays().size(), token, context);
    Optional<AccessToken> forRelays =
        TokenSource.givenForRelays(access.via(), context.environment());
    FdtClient.Builder way = null;
    int part = 0;
    for (ViaOptions.Relay relay : access.via().relays()) {
      FdtClient.Builder next =
          plain(relay.address(), access, relay.fingerprint(), part++, forRelays, context);
      way = way == null ? next : next.via(way);
    }
    return way == null ? builder : builder.via(way);
  }

  /** The client of one server at the end of a part of the route, counted from 0. */
  private static FdtClient.Builder plain(
      ServerAddress server,
      ClientAccess access,
      Optional<String> fingerprint,
      int part,
      Optional<AccessToken> token,
      CommandContext context) {
    FdtClient.Builder builder =
        FdtClient.builder(server.host())
            .port(server.port())
            .trust(trust(access, fingerprint, context))
            .retryTimeout(access.retryTimeout());
    if (access.certificate().isPresent()) {
      builder.certificate(access.certificate().get(), access.key().orElseThrow());
    }
    builder.encryptData(access.encrypt());
    builder.dataTransport(access.transport().part(part));
    builder.relayCongestion(access.congestion().ofRelays(part));
    token.ifPresent(builder::token);
    return builder;
  }

  private static ServerTrust trust(
      ClientAccess access, Optional<String> fingerprint, CommandContext context) {
    Path home = context.home();
    if (fingerprint.isPresent()) {
      return ServerTrust.pinned(fingerprint.get()).withHome(home);
    }
    if (access.authority().isPresent()) {
      return ServerTrust.authority(access.authority().get()).withHome(home);
    }
    return ServerTrust.knownHosts(home, firstContact(access, context.screen()));
  }

  private static ServerTrust.FirstContact firstContact(ClientAccess access, Screen screen) {
    return new ServerTrust.FirstContact() {
      @Override
      public boolean accept(String host, int port, String fingerprint) {
        return access.acceptNew() || (screen.canAsk() && ask(host, port, fingerprint, screen));
      }

      @Override
      public void notRemembered(String host, int port, String reason) {
        screen.note(
            "the key of " + new ServerAddress(host, port) + " is not remembered: " + reason);
      }
    };
  }

  private static boolean ask(String host, int port, String fingerprint, Screen screen) {
    Optional<String> answer =
        screen.ask(
            ("Unknown server %s. It presents the fingerprint %s\nIf its administrator gave "
                    + "you the same, trust it (yes/no/fingerprint)? ")
                .formatted(new ServerAddress(host, port), fingerprint));
    while (answer.isPresent()) {
      String typed = answer.get();
      if (typed.equalsIgnoreCase("yes") || typed.equals(fingerprint)) {
        return true;
      }
      if (typed.equalsIgnoreCase("no")) {
        return false;
      }
      answer = screen.ask("Please type yes, no or the fingerprint: ");
    }
    return false;
  }
}
