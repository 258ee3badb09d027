package io.fdt.cli.run.copy;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.access.SessionName;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.output.json.JsonView;
import io.fdt.cli.output.text.SessionTable;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.TokenSource;
import io.fdt.client.AccessToken;
import io.fdt.client.AttachedTransfer;
import io.fdt.client.DetachedSession;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteSession;
import io.fdt.client.SessionBook;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Lists and cancels transfers between servers that run without this command. */
public final class SessionRun {
  private SessionRun() {}

  /**
   * A server of such transfers.
   *
   * @param atSource whether it gets the token for sources
   */
  record Place(ServerAddress server, ClientAccess access, boolean atSource) {
    /** The server of a detached transfer of this user, with the access of that time. */
    static Place of(DetachedSession left, ClientAccess given) {
      ClientAccess access = given.orFingerprint(left.fingerprint());
      boolean usesFile = access.tokenFile().isEmpty();
      return new Place(
          new ServerAddress(left.host(), left.port()),
          usesFile ? access.withTokenFile(left.tokenFile()) : access,
          left.atSource());
    }

    /** Uses a client of the server; the result is an exit status. */
    int with(CommandContext context, Use use) throws FdtException, InterruptedException {
      Optional<AccessToken> token =
          atSource
              ? TokenSource.givenForSource(access, context.environment())
              : TokenSource.given(access, context.environment());
      try (FdtClient client = Clients.open(server, access, token, context)) {
        return use.with(client);
      } catch (FdtException e) {
        boolean wantsToken = e.code() == ErrorCode.UNAUTHENTICATED && token.isEmpty();
        Optional<AccessToken> asked =
            wantsToken ? TokenSource.asked(context.screen()) : Optional.empty();
        if (asked.isEmpty()) {
          throw e;
        }
        try (FdtClient client = Clients.open(server, access, asked, context)) {
          return use.with(client);
        }
      }
    }
  }

  /** Uses a client. */
  interface Use {
    int with(FdtClient client) throws FdtException, InterruptedException;
  }

  /** The server of a session. */
  static Place place(SessionName name, ClientAccess access, CommandContext context)
      throws FdtException {
    if (name.server().isPresent()) {
      return new Place(name.server().get(), access, false);
    }
    Optional<DetachedSession> left =
        new SessionBook(context.home())
            .find(name.digits(), context.surroundings().clock().instant());
    return Place.of(
        left.orElseThrow(
            () ->
                new FdtException(
                    ErrorCode.USAGE,
                    "no session %s was detached from here: name its server, as fdt://HOST[:PORT]/%s"
                        .formatted(name.digits(), name.digits()))),
        access);
  }

  /** The session of a transfer. */
  static RemoteSession described(AttachedTransfer transfer)
      throws FdtException, InterruptedException {
    return result(transfer.session());
  }

  /** The result of a future. */
  static <T> T result(CompletableFuture<T> future) throws FdtException, InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FdtException known
          ? known
          : FdtException.unforeseen("the transfer failed", e.getCause());
    }
  }

  /** Cancels a transfer. */
  public record Cancel(SessionName session, boolean json, ClientAccess access) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException, InterruptedException {
      return place(session, access, context)
          .with(context, client -> cancel(client, this, context.screen()));
    }
  }

  private static int cancel(FdtClient client, Cancel cancel, Screen screen)
      throws FdtException, InterruptedException {
    try (AttachedTransfer transfer =
        client.attach(cancel.session().digits(), TransferListener.NONE)) {
      RemoteSession session = described(transfer);
      transfer.cancel();
      TransferReport report = result(transfer.completion());
      boolean isCancelled =
          !session.hasEnded() && report.failure().equals(Optional.of(ErrorCode.CANCELLED));
      if (isCancelled || !report.failure().map(SessionRun::isOutOfSight).orElse(false)) {
        if (cancel.json()) {
          new JsonEvent("cancelled")
              .with("session", session.shortId())
              .with("now", isCancelled)
              .show(screen);
          JsonEvent.end(screen, 0);
        } else {
          screen.line(
              isCancelled
                  ? "cancelled " + session.shortId()
                  : session.shortId() + " had ended already");
        }
        return 0;
      }
      throw new FdtException(report.failure().get(), report.failureMessage());
    }
  }

  /** Whether only the connection has failed, not the transfer. */
  private static boolean isOutOfSight(ErrorCode code) {
    return code == ErrorCode.UNREACHABLE || code == ErrorCode.TIMEOUT;
  }

  /**
   * Lists transfers.
   *
   * @param servers to ask; empty for those of detached transfers of this user
   */
  public record Sessions(List<ServerAddress> servers, boolean json, ClientAccess access)
      implements Command {
    @Override
    public int run(CommandContext context) throws FdtException, InterruptedException {
      return list(this, context);
    }
  }

  private static int list(Sessions sessions, CommandContext context)
      throws FdtException, InterruptedException {
    List<Place> places = new ArrayList<>();
    for (ServerAddress server : sessions.servers()) {
      places.add(new Place(server, sessions.access(), false));
    }
    if (places.isEmpty()) {
      remembered(sessions.access(), context).forEach(places::add);
    }
    Screen screen = context.screen();
    SessionTable table = new SessionTable();
    int status = 0;
    for (Place place : places) {
      try {
        int unused =
            place.with(
                context,
                client -> {
                  String server = place.server().toString();
                  for (RemoteSession session : client.sessions()) {
                    if (sessions.json()) {
                      screen.text(JsonView.session(session, server));
                    } else {
                      table.add(session, server);
                    }
                  }
                  return 0;
                });
      } catch (FdtException e) {
        // The client's message names the server.
        if (sessions.json()) {
          JsonView.error(screen, e.code(), e.getMessage());
        } else {
          screen.problem(e.getMessage());
        }
        status = status == 0 ? e.code().exitStatus() : status;
      }
    }
    if (sessions.json()) {
      JsonEvent.end(screen, status);
    } else {
      table.show(screen, none(places, status));
    }
    return status;
  }

  private static String none(List<Place> places, int status) {
    if (places.isEmpty()) {
      return "no copy was detached from here; for those of a server: fdt sessions HOST[:PORT]";
    }
    return status == 0 ? "no transfers between servers" : "";
  }

  /** The servers of detached transfers of this user, each once. */
  private static List<Place> remembered(ClientAccess access, CommandContext context)
      throws FdtException {
    List<Place> places = new ArrayList<>();
    for (DetachedSession left :
        new SessionBook(context.home()).all(context.surroundings().clock().instant())) {
      Place place = Place.of(left, access);
      places.removeIf(other -> other.server().isSameAs(place.server()));
      places.add(place); // the last access
    }
    return places;
  }
}
