package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ListedFile;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.RemovalVisitor;
import io.fdt.core.storage.Storage;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** MKCOL, DELETE, MOVE, and COPY within the server. Stateless; any thread. */
final class Editing {
  /** The ends of a COPY or MOVE. */
  private record Ends(
      RequestPath from, FileState source, RequestPath to, boolean replaces, boolean overwrites) {}

  private Editing() {}

  static void makeDirectory(Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    if (exchange.bodyLength() != 0) {
      throw new HttpRefusal(415, "a directory is made without a body; send none");
    }
    FileWriting.checkPlace(exchange, path);
    Optional<FileState> before = FileState.find(exchange.client().files(), path);
    if (before.isPresent()) {
      throw new HttpRefusal(405, "the name exists; choose another one");
    }
    Conditions.check(exchange.headers(), before, false);
    exchange.client().files().makeDirectory(path.path(), false);
    done(exchange, 201);
  }

  static void delete(Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    exchange.client().files().check(path.path(), true);
    Conditions.check(exchange.headers(), FileState.find(exchange.client().files(), path), false);
    remove(exchange, path);
    done(exchange, 204);
  }

  private static void remove(Exchange exchange, RequestPath path)
      throws FdtException, InterruptedException {
    FdtException[] failure = new FdtException[1];
    try {
      exchange
          .client()
          .files()
          .remove(
              path.path(),
              true,
              new RemovalVisitor() {
                @Override
                public void removed(Attributes what) throws FdtException {
                  exchange.checkStays();
                }

                @Override
                public void failed(String name, FdtException cause) {
                  failure[0] = failure[0] == null ? cause : failure[0];
                }
              });
      if (failure[0] != null) {
        throw failure[0];
      }
    } catch (FdtException e) {
      exchange.client().log().failed(false, path.path(), "", e);
      throw e;
    }
    exchange.client().log().removed(path.path());
  }

  static void move(Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    exchange.client().files().check(path.path(), true);
    Ends ends = ends(exchange, path);
    BytePath from = ends.from().path();
    BytePath to = ends.to().path();
    boolean isDirectory = ends.source().isDirectory();
    if (ends.replaces() && (isDirectory || isDirectory(exchange, ends.to()))) {
      remove(exchange, ends.to());
    }
    try {
      exchange.client().files().rename(from, to, ends.replaces());
    } catch (FdtException e) {
      exchange.client().log().failed(false, from, to.toString(), e);
      throw Conditions.taken(!ends.overwrites(), e);
    }
    exchange.client().log().renamed(from, to);
    done(exchange, ends.replaces() ? 204 : 201);
  }

  static void copy(Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    Ends ends = ends(exchange, path);
    String depth = exchange.header("Depth").toLowerCase(Locale.ROOT);
    if (!depth.isEmpty() && !depth.equals("0") && !depth.equals("infinity")) {
      throw new HttpRefusal(400, "the depth of a copy is 0 or infinity");
    }
    if (ends.replaces() && (ends.source().isDirectory() || isDirectory(exchange, ends.to()))) {
      remove(exchange, ends.to());
    }
    if (ends.source().isDirectory()) {
      exchange.client().files().makeDirectory(ends.to().path(), false);
    }
    if (!ends.source().isDirectory() || !depth.equals("0")) {
      try {
        copyAll(exchange, ends);
      } catch (FdtException e) {
        throw Conditions.taken(!ends.overwrites() && !ends.source().isDirectory(), e);
      }
    }
    done(exchange, ends.replaces() ? 204 : 201);
  }

  private static void copyAll(Exchange exchange, Ends ends)
      throws FdtException, InterruptedException {
    boolean isTree = ends.source().isDirectory();
    exchange
        .client()
        .files()
        .list(
            ends.from().path(),
            Storage.Depth.TREE,
            item ->
                copyOne(
                    exchange,
                    item,
                    isTree ? beneath(ends.to(), item.name()) : ends.to(),
                    !ends.overwrites()));
  }

  private static void copyOne(
      Exchange exchange, ListingVisitor.Item item, RequestPath to, boolean isNew)
      throws FdtException, InterruptedException {
    exchange.checkStays();
    if (item.attributes().is(EntryKind.DIRECTORY)) {
      exchange.client().files().makeDirectory(to.path(), true);
    } else if (item.attributes().is(EntryKind.FILE)) {
      try (ListedFile file = item.opener().open()) {
        FileWriting.copy(exchange, to, file, item.attributes().modified(), isNew);
      }
    } else {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'%s' is a link or a special file, which HTTP cannot copy; remove it first"
              .formatted(item.name()));
    }
  }

  private static RequestPath beneath(RequestPath directory, BytePath relative) {
    List<FileName> names = new ArrayList<>(directory.names());
    names.addAll(relative.names());
    return new RequestPath(names, false);
  }

  private static boolean isDirectory(Exchange exchange, RequestPath path)
      throws FdtException, InterruptedException {
    return FileState.find(exchange.client().files(), path)
        .map(FileState::isDirectory)
        .orElse(false);
  }

  /** Reads and checks both ends of a COPY or MOVE. */
  private static Ends ends(Exchange exchange, RequestPath from)
      throws HttpRefusal, FdtException, InterruptedException {
    RequestPath to = destination(exchange);
    String overwrite = exchange.header("Overwrite").strip();
    if (!overwrite.isEmpty() && !overwrite.equals("T") && !overwrite.equals("F")) {
      throw new HttpRefusal(400, "Overwrite is T or F");
    }
    Optional<FileState> source = FileState.find(exchange.client().files(), from);
    if (source.isEmpty()) {
      throw new HttpRefusal(404, "the source does not exist; check its path");
    }
    Conditions.check(exchange.headers(), source, false);
    FileWriting.checkPlace(exchange, to);
    if (from.holds(to) || to.holds(from)) {
      throw new HttpRefusal(403, "one of source and destination holds the other; choose a place");
    }
    boolean exists = FileState.find(exchange.client().files(), to).isPresent();
    if (exists && overwrite.equals("F")) {
      throw new HttpRefusal(412, "the destination exists; use Overwrite: T to replace it");
    }
    return new Ends(from, source.get(), to, exists, !overwrite.equals("F"));
  }

  /** Whether the Destination header names this server. */
  static boolean isHere(Exchange exchange) {
    String url = exchange.header("Destination").strip();
    return url.startsWith("/")
        || url.replaceFirst("(?i)^https?://([^/?#]*).*", "$1")
            .equalsIgnoreCase(exchange.header("Host").strip());
  }

  private static RequestPath destination(Exchange exchange) throws HttpRefusal {
    String url = exchange.header("Destination").strip();
    if (url.isEmpty()) {
      throw new HttpRefusal(400, "a copy or move needs the header Destination");
    }
    if (!isHere(exchange)) {
      throw new HttpRefusal(502, "the destination is not on this server; copy it there");
    }
    return RequestPath.of(url);
  }

  private static void done(Exchange exchange, int status) {
    exchange.answer(status, AnswerHeaders.empty(), Unpooled.EMPTY_BUFFER);
  }
}
