package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.option.ServerAddress;
import io.fdt.cli.option.ServersFile;
import io.fdt.cli.option.TokenSource;
import io.fdt.cli.output.CommandJson;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.ServerTable;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.Logins;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Remembers servers and tokens, forgets them, and lists them. */
public final class LoginRun {
  private LoginRun() {}

  /** Has the server take the token, and keeps it; the result is an exit status. */
  public static int login(Operation.Login command, CommandContext context)
      throws FdtException, InterruptedException {
    Optional<AccessToken> given = TokenSource.given(command.access(), context.environment());
    if (given.isPresent() || context.screen().canAsk()) {
      return TokenSource.withToken(
          command.access(),
          context.environment(),
          context.screen(),
          token -> login(command, token, context));
    }
    return login(command, ofStandardInput(context), context);
  }

  /** The token that a program has written there; empty when there is nothing. */
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

  private static int login(
      Operation.Login command, Optional<AccessToken> token, CommandContext context)
      throws FdtException, InterruptedException {
    try (FdtClient client = Clients.open(command.server(), command.access(), token, context);
        Interruption interruption = context.onInterruption(client::close)) {
      try {
        String fingerprint =
            new Logins(context.home())
                .add(client, token, command.inSecretService(), context.screen()::note);
        if (command.json()) {
          context
              .screen()
              .text(CommandJson.login(command.server().toString(), fingerprint, token.isPresent()));
          JsonView.tellEnd(context.screen(), 0);
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

  /** Forgets a server; the result is an exit status. */
  public static int logout(Operation.Logout command, CommandContext context) throws FdtException {
    ServerAddress server = command.server();
    if (!new Logins(context.home()).remove(server.host(), server.port(), context.screen()::note)) {
      throw new FdtException(
          ErrorCode.NOT_FOUND, server + " is not known; fdt servers lists those that are");
    }
    if (command.json()) {
      context.screen().text(CommandJson.logout(server.toString()));
      JsonView.tellEnd(context.screen(), 0);
    } else {
      context.screen().line("forgot " + server);
    }
    return 0;
  }

  /** Lists names, keys and logins; the result is an exit status. */
  public static int list(Operation.Servers command, CommandContext context) throws FdtException {
    ServerTable table = new ServerTable();
    List<Logins.Known> known = new Logins(context.home()).all();
    for (ServersFile.Named named : command.named()) {
      String address = named.address().toString();
      Optional<Logins.Known> met =
          known.stream().filter(one -> one.address().equalsIgnoreCase(address)).findFirst();
      table.add(
          Optional.of(named.name()),
          address,
          named.fingerprint().or(() -> met.map(Logins.Known::fingerprint)),
          met.map(Logins.Known::hasToken).orElse(false));
    }
    for (Logins.Known one : known) {
      boolean hasName =
          command.named().stream()
              .anyMatch(named -> named.address().toString().equalsIgnoreCase(one.address()));
      if (!hasName) {
        table.add(Optional.empty(), one.address(), Optional.of(one.fingerprint()), one.hasToken());
      }
    }
    if (known.isEmpty() && command.named().isEmpty() && !command.json()) {
      context.screen().note("no server is known yet; fdt login HOST remembers one");
    }
    table.show(command.json(), context.screen());
    if (command.json()) {
      JsonView.tellEnd(context.screen(), 0);
    }
    return 0;
  }
}
