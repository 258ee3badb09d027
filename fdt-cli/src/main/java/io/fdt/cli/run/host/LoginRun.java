package io.fdt.cli.run.host;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.output.text.ServerTable;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TokenSource;
import io.fdt.cli.run.TransferRun;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.Logins;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Remembers servers and tokens, forgets them, and lists them. */
public final class LoginRun {
  private LoginRun() {}

  /**
   * Remembers a server, and a token that it accepts.
   *
   * @param inSecretService whether the desktop's secret service keeps the token
   */
  public record Login(
      ServerAddress server, boolean inSecretService, boolean json, ClientAccess access)
      implements Command {
    @Override
    public int run(CommandContext context) throws FdtException, InterruptedException {
      Optional<AccessToken> given = TokenSource.given(access, context.environment());
      if (given.isPresent() || context.screen().canAsk()) {
        return TokenSource.withToken(
            access, context.environment(), context.screen(), token -> login(this, token, context));
      }
      return login(this, ofStandardInput(context), context);
    }
  }

  /** The token on standard input; empty if there is none. */
  private static Optional<AccessToken> ofStandardInput(CommandContext context) throws FdtException {
    try {
      String text = new String(context.surroundings().read("-"), StandardCharsets.ISO_8859_1);
      return text.isBlank() ? Optional.empty() : Optional.of(AccessToken.of(text));
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, "standard input: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.USAGE, "standard input cannot be read: " + IoReason.of(e), e);
    }
  }

  private static int login(Login command, Optional<AccessToken> token, CommandContext context)
      throws FdtException, InterruptedException {
    try (FdtClient client = Clients.open(command.server(), command.access(), token, context);
        Interruption interruption = context.onInterruption(client::close)) {
      try {
        String fingerprint =
            new Logins(context.home())
                .add(client, token, command.inSecretService(), context.screen()::note);
        if (command.json()) {
          new JsonEvent("login")
              .with("server", command.server())
              .with("fingerprint", fingerprint)
              .with("token", token.isPresent())
              .show(context.screen());
          JsonEvent.end(context.screen(), 0);
          return 0;
        }
        context
            .screen()
            .line(
                (token.isPresent() ? "logged in to " : "no token is needed for ")
                    + command.server()
                    + ", whose key is "
                    + fingerprint);
        return 0;
      } catch (FdtException e) {
        if (interruption.hasHappened()) {
          return TransferRun.INTERRUPTED;
        }
        throw e.code() == ErrorCode.UNAUTHENTICATED && token.isEmpty()
            ? new FdtException(
                e.code(),
                e.getMessage() + "; write the token to standard input, or use --token-file FILE",
                e)
            : e;
      }
    }
  }

  /** Forgets a server and the token for it. */
  public record Logout(ServerAddress server, boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      if (!new Logins(context.home())
          .remove(server.host(), server.port(), context.screen()::note)) {
        throw new FdtException(
            ErrorCode.NOT_FOUND, server + " is not known; fdt servers lists those that are");
      }
      if (json) {
        new JsonEvent("logout").with("server", server).show(context.screen());
        JsonEvent.end(context.screen(), 0);
      } else {
        context.screen().line("forgot " + server);
      }
      return 0;
    }
  }

  /** Lists the known servers: names, keys and logins. */
  public record Servers(Collection<ServersFile.Named> named, boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      ServerTable table = new ServerTable();
      List<Logins.Known> known = new Logins(context.home()).all();
      for (ServersFile.Named server : named) {
        String address = server.address().toString();
        Optional<Logins.Known> met =
            known.stream().filter(one -> one.address().equalsIgnoreCase(address)).findFirst();
        table.add(
            Optional.of(server.name()),
            address,
            server.fingerprint().or(() -> met.map(Logins.Known::fingerprint)),
            met.map(Logins.Known::hasToken).orElse(false));
      }
      for (Logins.Known one : known) {
        boolean hasName =
            named.stream()
                .anyMatch(server -> server.address().toString().equalsIgnoreCase(one.address()));
        if (!hasName) {
          table.add(
              Optional.empty(), one.address(), Optional.of(one.fingerprint()), one.hasToken());
        }
      }
      if (known.isEmpty() && named.isEmpty() && !json) {
        context.screen().note("no server is known yet; fdt login HOST remembers one");
      }
      table.show(json, context.screen());
      if (json) {
        JsonEvent.end(context.screen(), 0);
      }
      return 0;
    }
  }
}
