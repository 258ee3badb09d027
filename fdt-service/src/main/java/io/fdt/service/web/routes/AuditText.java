package io.fdt.service.web.routes;

import io.fdt.service.store.access.AuditStore;
import io.fdt.service.web.http.Route;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Entries of the audit log in words. Pure. */
final class AuditText {
  private static final String TABLE =
      """
      POST /api/v1/session = signed in
      DELETE /api/v1/session = signed out
      GET /api/v1/oidc/callback = signed in
      POST /api/v1/links = made a sign-in link
      POST /api/v1/tokens = made a token
      DELETE /api/v1/tokens/{token} = revoked token
      PUT /api/v1/users/{user} = set the role of
      POST /api/v1/bookmarks = kept a bookmark
      DELETE /api/v1/bookmarks/{bookmark} = removed bookmark
      POST /api/v1/emails = added an e-mail address
      POST /api/v1/emails/{email}/confirm = confirmed e-mail address
      DELETE /api/v1/emails/{email} = removed e-mail address
      POST /api/v1/endpoints = added endpoint
      PATCH /api/v1/endpoints/{endpoint} = changed endpoint
      DELETE /api/v1/endpoints/{endpoint} = removed endpoint
      POST /api/v1/endpoints/{endpoint}/check = checked endpoint
      POST /api/v1/endpoints/{endpoint}/directories = made a directory at
      POST /api/v1/endpoints/{endpoint}/renames = renamed at
      POST /api/v1/tasks = submitted
      PATCH /api/v1/tasks/{task} = modified
      POST /api/v1/tasks/{task}/cancel = cancelled
      POST /api/v1/tasks/{task}/pause = paused
      POST /api/v1/tasks/{task}/resume = resumed
      POST /api/v1/timers = created timer
      DELETE /api/v1/timers/{timer} = removed timer
      POST /api/v1/timers/{timer}/pause = paused timer
      POST /api/v1/timers/{timer}/resume = resumed timer
      POST /api/v1/webhooks = added a webhook
      DELETE /api/v1/webhooks/{webhook} = removed webhook
      """;

  /** By method and template. */
  static final Map<String, String> WORDS = new TreeMap<>();

  static {
    for (String line : TABLE.strip().split("\n")) {
      String[] parts = line.split(" = ", 2);
      WORDS.put(parts[0], parts[1]);
    }
  }

  private AuditText() {}

  /** One change: its kind, and its object by the name that it had. One that was refused says so. */
  static String of(AuditStore.Entry entry) {
    String refused = entry.isRefused() ? "refused: " : "";
    String words = refused + WORDS.getOrDefault(entry.action(), entry.action());
    String object = entry.about().isEmpty() ? variable(entry) : entry.about();
    return object.isEmpty() ? words : words + " " + object;
  }

  /** The variable part of the path. */
  private static String variable(AuditStore.Entry entry) {
    List<String> template = Route.parts(entry.action().replaceFirst(".* ", ""));
    List<String> path = Route.parts(entry.target());
    for (int i = 0; i < Math.min(template.size(), path.size()); i++) {
      if (template.get(i).startsWith("{")) {
        return path.get(i);
      }
    }
    return "";
  }
}
