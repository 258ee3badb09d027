package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.query;
import static io.fdt.service.web.http.Route.required;

import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteTotals;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.service.run.Endpoints;
import io.fdt.service.run.Submission;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Cursor;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The operations on the files of endpoints. Any thread. */
public final class FileRoutes {
  private static final String ENDPOINT = "/api/v1/endpoints/{endpoint}";
  private static final int MOST_PATH = 4096;
  private static final Duration MOST_COUNTING = Duration.ofSeconds(10);

  private final Endpoints endpoints;
  private final Listings listings = new Listings();

  public FileRoutes(Endpoints endpoints) {
    this.endpoints = endpoints;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(
            ENDPOINT + "/files",
            Scope.READ,
            "List a directory. Pages of one listing are consistent for five minutes.",
            this::files,
            query("path", "string", "default: the default path"),
            query("limit", "integer", "1 to 10000, default 1000"),
            query("cursor", "string", "next_cursor of the previous page"),
            query("listing", "string", "listing of an earlier answer, for another part of it"),
            query("from", "integer", "index of the first entry, from 0"),
            query(
                "sort",
                "string",
                "name (default), kind (directories first), size or modified; with a dash"
                    + " downwards"),
            query("match", "string", "only entries whose names contain this"),
            query("hidden", "boolean", "false: omit names that begin with a dot")),
        Route.get(
            ENDPOINT + "/size",
            Scope.READ,
            "Count files and bytes beneath a path. Stops after ten seconds; complete is then"
                + " false.",
            this::size,
            query("path", "string", "its path")),
        Route.get(
            ENDPOINT + "/file",
            Scope.READ,
            "Show one file or directory; name is its path.",
            this::file,
            query("path", "string", "its path")),
        Route.post(
            ENDPOINT + "/directories",
            Scope.TASKS,
            "Make a directory.",
            this::makeDirectory,
            required("path", "string", "its path")),
        Route.post(
            ENDPOINT + "/renames",
            Scope.TASKS,
            "Rename a file or directory.",
            this::rename,
            required("from", "string", "its path"),
            required("to", "string", "the new one")));
  }

  private Endpoint find(RequestContext request) throws ServiceException {
    Endpoint endpoint = endpoints.find(request.owner(), request.path("endpoint"));
    request.about(endpoint.name());
    return endpoint;
  }

  private Reply file(RequestContext request) throws ServiceException, InterruptedException {
    Endpoint endpoint = find(request);
    String path = Submission.absolute(endpoint, request.query().getOrDefault("path", ""));
    RemoteFile file =
        endpoints.at(
            endpoint,
            client -> {
              try (RemoteFiles files = client.files()) {
                return files.stat(BytePath.of(path));
              }
            });
    return Reply.json(Views.file(file));
  }

  private Reply files(RequestContext request) throws ServiceException, InterruptedException {
    Endpoint endpoint = find(request);
    String path = Submission.absolute(endpoint, request.query().getOrDefault("path", ""));
    int most = (int) request.number("limit", 1, 10_000, 1000);
    Cursor cursor = Cursor.of(request, Cursor.FIRST);
    long from = request.number("from", 0, Integer.MAX_VALUE, cursor.number());
    String order = request.query().getOrDefault("sort", "name");
    if (!Listings.ORDERS.containsKey(order.replaceFirst("^-", ""))) {
      throw Fault.INVALID.of(
          "'sort' is '%s', and must be name, kind, size or modified".formatted(order));
    }
    Listings.Key key =
        new Listings.Key(
            request.owner(),
            endpoint.id() + endpoint.version(),
            path,
            order,
            request.query().getOrDefault("match", ""),
            !request.query().getOrDefault("hidden", "").equals("false"));
    String known = request.query().getOrDefault("listing", cursor.id());
    Listings.Listing listing;
    try {
      listing =
          listings.get(
              known,
              key,
              System.nanoTime(),
              () -> endpoints.at(endpoint, client -> client.list(BytePath.of(path))));
    } catch (FdtException e) {
      throw Endpoints.refusal(e);
    }
    List<RemoteFile> all = listing.files();
    int begin = (int) Math.max(0, Math.min(from, all.size()));
    int end = Math.min(all.size(), begin + most);
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("path", path);
    view.put("listing", listing.id());
    view.put("from", (long) begin);
    view.put("total", (long) all.size());
    view.put("left_out", listing.leftOut());
    view.put("bytes", listing.bytes());
    view.put("files", all.subList(begin, end).stream().map(Views::file).toList());
    if (end < all.size()) {
      view.put("next_cursor", new Cursor(end, listing.id()).text());
    }
    return Reply.json(view);
  }

  private Reply size(RequestContext request) throws ServiceException, InterruptedException {
    Endpoint endpoint = find(request);
    String path = Submission.absolute(endpoint, request.query().getOrDefault("path", ""));
    Counting counting = new Counting(System.nanoTime() + MOST_COUNTING.toNanos());
    return Reply.json(
        endpoints.at(
            endpoint,
            client -> {
              try (RemoteFiles files = client.files()) {
                RemoteTotals all = files.measure(BytePath.of(path), counting);
                return Counting.view(all.files(), all.bytes(), true);
              } catch (Counting.TooLong e) {
                return Counting.view(counting.files, counting.bytes, false);
              }
            }));
  }

  /** Ends a count that takes too long. Confined to the thread of the request. */
  private static final class Counting implements RemoteVisitor {
    private final long endNanos;
    private long files;
    private long bytes;

    /** The count has reached its time limit. */
    private static final class TooLong extends RuntimeException {
      private static final long serialVersionUID = 1;
    }

    Counting(long endNanos) {
      this.endNanos = endNanos;
    }

    static Map<String, Object> view(long files, long bytes, boolean isComplete) {
      return Map.of("files", files, "bytes", bytes, "complete", isComplete);
    }

    @Override
    public void problem(String path, ErrorCode code, String message) {
      // The transfer will report the error.
    }

    @Override
    public void working(long counted, long size) {
      files = counted;
      bytes = size;
      if (System.nanoTime() - endNanos > 0) {
        throw new TooLong();
      }
    }
  }

  private Reply makeDirectory(RequestContext request)
      throws ServiceException, InterruptedException {
    Endpoint endpoint = find(request);
    Fields fields = request.fields();
    String path = Submission.absolute(endpoint, fields.text("path", MOST_PATH));
    fields.finish();
    request.about(endpoint.name() + ":" + path);
    endpoints.at(
        endpoint,
        client -> {
          try (RemoteFiles files = client.files()) {
            files.makeDirectory(BytePath.of(path), false);
            return path;
          }
        });
    return Reply.json(Map.of("path", path));
  }

  private Reply rename(RequestContext request) throws ServiceException, InterruptedException {
    Endpoint endpoint = find(request);
    Fields fields = request.fields();
    String from = Submission.absolute(endpoint, fields.text("from", MOST_PATH));
    String to = Submission.absolute(endpoint, fields.text("to", MOST_PATH));
    fields.finish();
    request.about("%s: %s \u2192 %s".formatted(endpoint.name(), from, to));
    endpoints.at(
        endpoint,
        client -> {
          try (RemoteFiles files = client.files()) {
            files.rename(BytePath.of(from), BytePath.of(to));
            return to;
          }
        });
    return Reply.json(Map.of("path", to));
  }
}
