package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.query;
import static io.fdt.service.web.http.Route.required;

import io.fdt.service.store.access.AccountStore;
import io.fdt.service.store.access.AuditStore;
import io.fdt.service.store.access.Role;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Cursor;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Users, roles and the audit log, for administrators. Any thread. */
public record AdminRoutes(AccountStore accounts, AuditStore audit, Clock clock) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,99}");
  private static final String USERS = "/api/v1/users";

  public List<Route> routes() {
    return List.of(
        Route.get(
            USERS,
            Scope.ADMIN,
            "List the user who started the service and users with an assigned role; all others have"
                + " the role user.",
            request ->
                Reply.json(Map.of("users", accounts.list().stream().map(this::view).toList()))),
        Route.put(
            USERS + "/{user}",
            Scope.ADMIN,
            "Assign a role to a user. It limits existing tokens immediately.",
            this::setRole,
            required("role", "string", "admin, user or reader")),
        Route.get(
            "/api/v1/audit",
            Scope.ADMIN,
            "List change requests and their users, newest first.",
            this::list,
            query("user", "string", "of this user only"),
            query("text", "string", "text in the request, its path or its answer"),
            query("since", "string", "not before this time"),
            query("until", "string", "not after this time"),
            query("refused", "boolean", "failed ones only"),
            query("limit", "integer", "1 to 1000, default 100"),
            query("cursor", "string", "next_cursor of the previous page")));
  }

  static String checkedName(String name) throws ServiceException {
    if (!NAME.matcher(name).matches()) {
      throw Fault.INVALID.of(
          "'%s' is no name for a user: letters, digits, dot, dash, underscore and @"
              .formatted(name));
    }
    return name;
  }

  private Map<String, Object> view(AccountStore.Account account) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("user", account.owner());
    view.put("role", account.role().text());
    view.put("operator", accounts.isOperator(account.owner()));
    view.put("issuer", account.issuer());
    view.put("created", Views.time(account.created()));
    return view;
  }

  private Reply setRole(RequestContext request) throws ServiceException {
    String user = checkedName(request.path("user"));
    Fields fields = request.fields();
    String text = fields.text("role", 20);
    fields.finish();
    Role role =
        Role.ofText(text)
            .orElseThrow(
                () ->
                    Fault.INVALID.of("there is no role '%s': admin, user, reader".formatted(text)));
    return Reply.json(view(accounts.setRole(user, role, clock.millis())));
  }

  private Reply list(RequestContext request) throws ServiceException {
    Cursor cursor = Cursor.of(request, Cursor.NEWEST);
    int most = (int) request.number("limit", 1, 1000, 100);
    String user = request.query().getOrDefault("user", "");
    AuditStore.Filter filter =
        new AuditStore.Filter(
            user.isEmpty() ? user : checkedName(user),
            request.query().getOrDefault("text", ""),
            request.time("since").orElse(0L),
            request.time("until").orElse(Long.MAX_VALUE),
            request.flag("refused"));
    List<AuditStore.Entry> found = audit.list(filter, cursor.number(), cursor.id(), most + 1);
    List<AuditStore.Entry> page = found.subList(0, Math.min(most, found.size()));
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put("entries", page.stream().map(AdminRoutes::view).toList());
    if (found.size() > most) {
      AuditStore.Entry last = page.get(most - 1);
      reply.put("next_cursor", new Cursor(last.at(), last.id()).text());
    }
    return Reply.json(reply);
  }

  private static Map<String, Object> view(AuditStore.Entry entry) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("time", Views.time(entry.at()));
    view.put("user", entry.owner());
    view.put("address", entry.address());
    view.put("change", AuditText.of(entry));
    view.put("action", entry.action());
    view.put("target", entry.target());
    view.put("status", (long) entry.status());
    view.put("detail", entry.detail());
    view.put("times", entry.times());
    return view;
  }
}
