package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.body;
import static io.fdt.service.web.http.Route.required;

import io.fdt.service.run.Endpoints;
import io.fdt.service.run.Submission;
import io.fdt.service.store.BookmarkStore;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Names for directories of endpoints. Any thread. */
public record BookmarkRoutes(BookmarkStore store, Endpoints endpoints, Clock clock) {
  private static final String BOOKMARKS = "/api/v1/bookmarks";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
  private static final int MOST_PATH = 4096;

  public List<Route> routes() {
    return List.of(
        Route.post(
            BOOKMARKS,
            Scope.ENDPOINTS,
            "Create or replace a bookmark: a name for a directory of an endpoint.",
            this::add,
            required("name", "string", "letters, digits, dot, dash and underscore"),
            required("endpoint", "string", "its name or id"),
            body("path", "string", "default: the default path")),
        Route.get(
            BOOKMARKS,
            Scope.READ,
            "List your bookmarks.",
            request ->
                Reply.json(
                    Map.of(
                        "bookmarks",
                        store.list(request.owner()).stream().map(this::view).toList()))),
        Route.get(
            BOOKMARKS + "/{bookmark}",
            Scope.READ,
            "Show a bookmark.",
            request ->
                Reply.json(
                    store.list(request.owner()).stream()
                        .filter(one -> one.name().equals(request.path("bookmark")))
                        .findFirst()
                        .map(this::view)
                        .orElseThrow(() -> missing(request)))),
        Route.delete(
            BOOKMARKS + "/{bookmark}",
            Scope.ENDPOINTS,
            "Remove a bookmark.",
            request -> {
              if (!store.remove(request.owner(), request.path("bookmark"))) {
                throw missing(request);
              }
              return Reply.empty();
            }));
  }

  private static ServiceException missing(RequestContext request) {
    return Fault.NOT_FOUND.of(
        "there is no bookmark '%s'; see: fdt endpoint bookmarks"
            .formatted(request.path("bookmark")));
  }

  private Map<String, Object> view(BookmarkStore.Bookmark bookmark) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("name", bookmark.name());
    view.put(
        "endpoint",
        bookmark.endpointName().isEmpty() && endpoints.isThisMachine(bookmark.endpoint())
            ? Endpoint.LOCAL
            : bookmark.endpointName());
    view.put("endpoint_id", bookmark.endpoint());
    view.put("path", bookmark.path());
    return view;
  }

  private Reply add(RequestContext request) throws ServiceException {
    Fields fields = request.fields();
    String name = fields.text("name", 63);
    if (!NAME.matcher(name).matches()) {
      throw Fault.INVALID.of(
          "'%s' is no name for a bookmark: letters, digits, dot, dash and underscore"
              .formatted(name));
    }
    Endpoint endpoint = endpoints.find(request.owner(), fields.text("endpoint", 100));
    String path = Submission.absolute(endpoint, fields.optionalText("path", MOST_PATH).orElse(""));
    fields.finish();
    BookmarkStore.Bookmark bookmark =
        new BookmarkStore.Bookmark(
            request.owner(), name, endpoint.id(), endpoint.name(), path, clock.millis());
    store.add(bookmark);
    return Reply.created(BOOKMARKS + "/" + name, view(bookmark));
  }
}
