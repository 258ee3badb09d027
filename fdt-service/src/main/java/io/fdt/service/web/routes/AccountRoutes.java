package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.body;
import static io.fdt.service.web.http.Route.required;

import io.fdt.service.run.Dispatcher;
import io.fdt.service.store.access.AccessStore;
import io.fdt.service.store.access.AccountStore;
import io.fdt.service.store.access.Principal;
import io.fdt.service.store.access.Role;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.auth.SignInLinks;
import io.fdt.service.web.auth.UserLimits;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import io.fdt.service.web.http.SessionCookies;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Signing in and out, and tokens. Any thread. */
public record AccountRoutes(
    AccessStore store,
    AccountStore accounts,
    SignInLinks links,
    Dispatcher dispatcher,
    UserLimits limits,
    SessionCookies cookies,
    Clock clock) {
  static final Duration SESSION_LIFE = Duration.ofHours(12);
  private static final long MOST_TOKEN_DAYS = 366;
  private static final long USUAL_TOKEN_DAYS = 30;
  private static final String SESSION = "/api/v1/session";

  public List<Route> routes() {
    return List.of(
        Route.post(
            SESSION,
            null,
            "Sign in with the secret of a sign-in link; sets a cookie.",
            this::signIn,
            required("link", "string", "the part of the link after #")),
        Route.get(SESSION, Scope.READ, "Who is signed in.", this::show),
        Route.delete(SESSION, Scope.READ, "Sign the browser out.", this::signOut),
        Route.post(
            "/api/v1/links",
            Scope.TOKENS,
            "Create a sign-in link, valid once, for 15 minutes.",
            request -> {
              String path = "/#link=" + links.create(request.user());
              return Reply.created(path, Map.of("path", path));
            }),
        Route.get(
            "/api/v1/tokens",
            Scope.TOKENS,
            "List your tokens; an administrator sees those of all users.",
            request ->
                Reply.json(
                    Map.of(
                        "tokens",
                        store.list(reach(request), clock.millis()).stream()
                            .map(Views::token)
                            .toList()))),
        Route.post(
            "/api/v1/tokens",
            Scope.TOKENS,
            "Create a token. Only this answer has its secret.",
            this::create,
            required("label", "string", "for people"),
            body(
                "user",
                "string",
                "user of the token; default: you; another one needs the scope admin"),
            body("scopes", "strings", "read, tasks, endpoints, tokens, metrics, admin"),
            body("role", "string", "admin, user or reader, in place of scopes"),
            body("days", "integer", "days until it expires, 1 to 366; default 30")),
        Route.delete(
            "/api/v1/tokens/{token}",
            Scope.TOKENS,
            "Revoke a token, and the tokens, links and sessions created with it.",
            this::revoke));
  }

  private Reply signIn(RequestContext request) throws ServiceException {
    Fields fields = request.fields();
    String link = fields.text("link", 200);
    fields.finish();
    limits.checkFailures(request.network());
    Optional<Principal> found = links.use(link);
    if (found.isEmpty()) {
      limits.failed(request.network());
      throw Fault.UNAUTHENTICATED.of(
          "this link was used, or is too old; get a new one with: fdt service link");
    }
    Principal user = found.get();
    long now = clock.millis();
    if (!request.cookie().isEmpty()) {
      store.signOut(request.cookie());
    }
    // Always a new value: a cookie planted in this browser never becomes valid.
    String cookie = store.signIn(user, now, now + SESSION_LIFE.toMillis());
    return Reply.json(view(user))
        .by(user.owner())
        .cookie(cookies.setSession(cookie, SESSION_LIFE, request.isSecure()));
  }

  private Reply show(RequestContext request) {
    Map<String, Object> view = view(request.user());
    view.put("tasks_running", (long) dispatcher.running());
    return Reply.json(view);
  }

  private static Map<String, Object> view(Principal user) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("user", user.owner());
    view.put("scopes", user.scopes().stream().map(Scope::text).sorted().toList());
    return view;
  }

  private Reply signOut(RequestContext request) {
    if (!request.cookie().isEmpty()) {
      store.signOut(request.cookie());
    }
    return Reply.empty().cookie(cookies.setSession("", Duration.ZERO, request.isSecure()));
  }

  private Reply create(RequestContext request) throws ServiceException {
    Fields fields = request.fields();
    String label = fields.text("label", 200);
    String user = AdminRoutes.checkedName(fields.optionalText("user", 100).orElse(request.owner()));
    Set<Scope> scopes = scopes(fields);
    long days = fields.number("days", 1, MOST_TOKEN_DAYS, USUAL_TOKEN_DAYS);
    fields.finish();
    if (!request.user().scopes().containsAll(scopes)) {
      throw Fault.FORBIDDEN.of("a token cannot create one with more scopes");
    }
    if (!user.equals(request.owner()) && !isAdmin(request)) {
      throw Fault.FORBIDDEN.of("tokens of other users are made by an administrator");
    }
    if (accounts.isOperator(user) && !user.equals(request.owner())) {
      // Such a token would reach the files of the machine and the secrets of its user.
      throw Fault.FORBIDDEN.of(
          "'%s' has started the service, and makes these tokens itself".formatted(user));
    }
    long now = clock.millis();
    AccessStore.Token token =
        new AccessStore.Token(
            Secrets.id(),
            user,
            label,
            scopes,
            now,
            now + Duration.ofDays(days).toMillis(),
            request.user().token());
    AccessStore.Made made = store.create(token);
    Map<String, Object> view = Views.token(made.token());
    view.put("token", made.secret());
    return Reply.created("/api/v1/tokens/" + token.id(), view);
  }

  private static boolean isAdmin(RequestContext request) {
    return request.user().scopes().contains(Scope.ADMIN);
  }

  /** The owner whose tokens a user may see and revoke; empty for all. */
  private static String reach(RequestContext request) {
    return isAdmin(request) ? "" : request.owner();
  }

  private static Set<Scope> scopes(Fields fields) throws ServiceException {
    Optional<String> text = fields.optionalText("role", 20);
    if (text.isPresent()) {
      return Role.ofText(text.get())
          .map(Role::scopes)
          .orElseThrow(
              () ->
                  Fault.INVALID.of(
                      "there is no role '%s': admin, user, reader".formatted(text.get())));
    }
    Set<Scope> scopes = EnumSet.noneOf(Scope.class);
    for (String name : fields.texts("scopes", Scope.values().length, 20)) {
      scopes.add(scope(name));
    }
    return scopes;
  }

  private static Scope scope(String name) throws ServiceException {
    List<String> names = new ArrayList<>();
    for (Scope scope : Scope.values()) {
      if (scope.text().equals(name.toLowerCase(Locale.ROOT))) {
        return scope;
      }
      names.add(scope.text());
    }
    throw Fault.INVALID.of("there is no scope '%s': %s".formatted(name, String.join(", ", names)));
  }

  private Reply revoke(RequestContext request) throws ServiceException {
    if (!store.revoke(reach(request), request.path("token"))) {
      throw Fault.NOT_FOUND.of("there is no such token");
    }
    return Reply.empty();
  }
}
