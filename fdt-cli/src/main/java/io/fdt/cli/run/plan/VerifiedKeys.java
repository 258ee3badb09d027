package io.fdt.cli.run.plan;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.TokenSource;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The keys of the servers and relays of a plan, verified by the planner, so that workers with an
 * empty home know them. Stateless.
 */
final class VerifiedKeys {
  private VerifiedKeys() {}

  /**
   * The copy with the keys of its servers. A server that cannot be reached from here has none:
   * workers may reach it.
   *
   * @throws FdtException UNTRUSTED when a server is unknown, or has another key than before
   */
  static Copy of(Copy copy, CommandContext context) throws FdtException {
    Optional<Copy.Server> source = copy.source();
    if (source.isPresent()) {
      ServerAddress server = source.get().address();
      ClientAccess access = source.get().access();
      Optional<AccessToken> token = TokenSource.givenForSource(access, context.environment());
      source = Optional.of(new Copy.Server(server, verified(server, access, token, context)));
    }
    Optional<AccessToken> token = TokenSource.given(copy.access(), context.environment());
    return copy.with(verified(copy.server(), copy.access(), token, context), source);
  }

  private static ClientAccess verified(
      ServerAddress server,
      ClientAccess access,
      Optional<AccessToken> token,
      CommandContext context)
      throws FdtException {
    if (access.authority().isPresent()) {
      return access;
    }
    List<ViaOptions.Relay> relays = new ArrayList<>();
    for (ViaOptions.Relay relay : access.via().relays()) {
      ClientAccess before =
          access.withVia(with(access.via(), relays)).withFingerprint(relay.fingerprint());
      relays.add(
          new ViaOptions.Relay(
              relay.address(), keyOf(relay.address(), before, Optional.empty(), context)));
    }
    ClientAccess known = access.withVia(with(access.via(), relays));
    return known.withFingerprint(keyOf(server, known, token, context));
  }

  private static ViaOptions with(ViaOptions via, List<ViaOptions.Relay> relays) {
    return new ViaOptions(
        List.copyOf(relays), via.tokenFile(), via.isOpen(), via.choice(), via.handOver());
  }

  private static Optional<String> keyOf(
      ServerAddress server,
      ClientAccess access,
      Optional<AccessToken> token,
      CommandContext context)
      throws FdtException {
    if (access.fingerprint().isPresent()) {
      return access.fingerprint();
    }
    try (FdtClient client = Clients.open(server, access, token, context)) {
      return Optional.of(client.serverKey());
    } catch (FdtException e) {
      if (e.code() == ErrorCode.UNTRUSTED) {
        throw e;
      }
      context
          .screen()
          .note(
              "the plan has no key of %s; give --fingerprint to workers that do not know it: %s"
                  .formatted(server, e.getMessage()));
      return Optional.empty();
    }
  }
}
