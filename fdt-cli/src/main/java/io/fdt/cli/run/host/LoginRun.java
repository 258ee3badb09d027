package io.fdt.cli.run.host;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.output.text.ServerTable;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TokenSource;
import io.fdt.cli.run.TransferRun;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.Logins;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.error.Setting;
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
   * @param name of the server from now on; empty for the usual one
   * @param options how to reach it, besides its address
   * @param inSecretService whether the desktop's secret service keeps the token
   */
  public record Login(
      ServerAddress server,
      Optional<String> name,
      List<ServersFile.Entry> options,
      boolean inSecretService,
      boolean json,
      ClientAccess access)
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
        Logins logins = new Logins(context.home());
        String fingerprint =
            logins.add(client, token, command.inSecretService(), context.screen()::note);
        boolean hasToken = token.isPresent() || hasStoredToken(command.server(), context);
        logins.flaws().forEach(context.screen()::note);
        List<String> names = names(command, context);
        if (command.json()) {
          new JsonEvent("login")
              .with("server", command.server())
              .with("fingerprint", fingerprint)
              .with("token", hasToken)
              .with("names", names)
              .show(context.screen());
          JsonEvent.end(context.screen(), 0);
          return 0;
        }
        context
            .screen()
            .line(
                (hasToken ? "logged in to " : "no token is needed for ")
                    + command.server()
                    + ", whose key is "
                    + fingerprint);
        showNames(command, names, context);
        return 0;
      } catch (FdtException e) {
        if (interruption.hasHappened()) {
          return TransferRun.INTERRUPTED;
        }
        if (e.code() != ErrorCode.UNAUTHENTICATED) {
          throw e;
        }
        if (token.isPresent()) {
          throw e;
        }
        boolean isStored = hasStoredToken(command.server(), context);
        if (isStored && context.screen().canAsk()) {
          context.screen().note("the server no longer accepts the stored token; enter another one");
        }
        throw new FdtException(
            e.code(),
            isStored
                ? "the server no longer accepts the stored token: log in with another one on"
                    + " standard input, or remove it: fdt logout "
                    + command.server()
                : "the server requires a token, and standard input, which may have it, was empty;"
                    + " use "
                    + Setting.TOKEN,
            e);
      }
    }
  }

  private static boolean hasStoredToken(ServerAddress server, CommandContext context)
      throws FdtException {
    return new Logins(context.home())
        .all().stream()
            .anyMatch(
                known -> known.hasToken() && known.address().equalsIgnoreCase(server.toString()));
  }

  /** The names of the server in commands, the one of this login among them. */
  private static List<String> names(Login command, CommandContext context) throws FdtException {
    ServerAddress server = command.server();
    SavedNames saved = new SavedNames(context);
    Optional<String> name = command.name();
    if (name.isEmpty()) {
      name = saved.usualName(server, command.options());
    }
    List<String> names = namesOf(saved, server);
    if (name.isPresent() && !names.contains(name.get())) {
      saved.add(new ServersFile.Named(name.get(), "", server, Optional.empty(), command.options()));
      names = namesOf(saved, server);
    }
    if (!names.isEmpty()) {
      return names;
    }
    boolean isUsual =
        server.port() == FdtClient.DEFAULT_PORT && saved.otherOfHost(server).isEmpty();
    return List.of(isUsual ? server.toString().replaceFirst(":[0-9]+$", "") : server.toString());
  }

  private static List<String> namesOf(SavedNames saved, ServerAddress server) throws FdtException {
    return saved.of(server).stream().map(ServersFile.Named::name).toList();
  }

  private static void showNames(Login command, List<String> names, CommandContext context)
      throws FdtException {
    context
        .screen()
        .line(
            Help.named(
                "from now on it is %s:/ in each command, as in: java -jar fdt.jar ls %s:/"
                    .formatted(
                        String.join(":/ and ", names), command.name().orElse(names.get(0)))));
    new SavedNames(context)
        .otherOfHost(command.server())
        .ifPresent(
            other ->
                context
                    .screen()
                    .note(
                        "%s:/ alone stays %s; login --name NAME gives %s another name"
                            .formatted(other.host(), other, command.server())));
  }

  /** Forgets a server, the token for it and its names. */
  public record Logout(ServerAddress server, boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      SavedNames saved = new SavedNames(context);
      List<String> removed = saved.remove(server);
      boolean wasKnown =
          new Logins(context.home()).remove(server.host(), server.port(), context.screen()::note);
      for (ServersFile.Named kept : saved.of(server)) {
        context
            .screen()
            .note("its name '" + kept.name() + "' stays in client.conf, which fdt config opens");
      }
      if (!wasKnown && removed.isEmpty()) {
        throw new FdtException(
            ErrorCode.NOT_FOUND, server + " is not known; fdt servers lists those that are");
      }
      if (json) {
        new JsonEvent("logout")
            .with("server", server)
            .with("names", removed)
            .show(context.screen());
        JsonEvent.end(context.screen(), 0);
      } else {
        String names =
            removed.isEmpty()
                ? ""
                : (removed.size() == 1 ? " and its name " : " and its names ")
                    + String.join(" and ", removed);
        context.screen().line("forgot " + server + names);
      }
      return 0;
    }
  }

  /** Lists the known servers: names, keys and logins. */
  public record Servers(Collection<ServersFile.Named> named, boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      ServerTable table = new ServerTable();
      Logins logins = new Logins(context.home());
      logins.flaws().forEach(context.screen()::note);
      List<Logins.Known> known = logins.all();
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
      table.show(json, context.screen());
      if (json) {
        JsonEvent.end(context.screen(), 0);
      }
      return 0;
    }
  }
}
