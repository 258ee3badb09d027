package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.server.web.WebHost;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Finds the work for each method, and turns failures into answers. Any thread. */
final class Methods {
  private static final String ALLOWED =
      "OPTIONS, GET, HEAD, PUT, DELETE, MKCOL, COPY, MOVE, PROPFIND";

  /** The failures that the log has; the others are ordinary answers. */
  private static final Set<ErrorCode> REFUSALS =
      EnumSet.of(
          ErrorCode.FORBIDDEN,
          ErrorCode.UNAUTHENTICATED,
          ErrorCode.PERMISSION,
          ErrorCode.READ_ONLY,
          ErrorCode.BUSY);

  private final WebHost host;
  private final Digests digests = new Digests();
  private final FileReading reading = new FileReading(digests);
  private final FileWriting writing = new FileWriting();

  Methods(WebHost host) {
    this.host = host;
  }

  /** Answers one request; does not throw what a client can cause. */
  void serve(Exchange exchange) {
    try {
      answer(exchange);
    } catch (HttpRefusal e) {
      exchange.refuse(e);
    } catch (FdtException e) {
      if (REFUSALS.contains(e.code())) {
        host.refusals()
            .log(
                exchange.peer(),
                exchange.client().token(),
                exchange.method().toLowerCase(Locale.ROOT),
                exchange.shownPath(),
                e);
      }
      boolean isMissingToken = e.code() == ErrorCode.FORBIDDEN && exchange.client().isAnonymous();
      exchange.refuse(
          HttpRefusal.of(
              isMissingToken ? new FdtException(ErrorCode.UNAUTHENTICATED, e.getMessage(), e) : e));
    } catch (InterruptedException e) {
      exchange.refuse(
          HttpRefusal.of(new FdtException(ErrorCode.SHUTTING_DOWN, "the server is stopping", e)));
    }
  }

  private void answer(Exchange exchange) throws HttpRefusal, FdtException, InterruptedException {
    if (exchange.method().equals("OPTIONS")) {
      HttpHeaders headers = AnswerHeaders.of("Allow", ALLOWED).set("DAV", "1");
      exchange.answer(200, headers, Unpooled.EMPTY_BUFFER);
      return;
    }
    RequestPath path = RequestPath.of(exchange.target());
    switch (exchange.method()) {
      case "GET", "HEAD" -> {
        try {
          reading.serve(exchange, path);
        } catch (FdtException e) {
          if (!exchange.hasBegun()) { // otherwise the transfer has its entry
            exchange.client().log().failed(true, path.path(), "", e);
          }
          throw e;
        }
      }
      case "PUT" -> writing.put(exchange, path);
      case "MKCOL" -> Editing.makeDirectory(exchange, path);
      case "DELETE" -> Editing.delete(exchange, path);
      case "MOVE" -> Editing.move(exchange, path);
      case "COPY" -> {
        if (ThirdPartyCopy.isWanted(exchange)) {
          ThirdPartyCopy.run(host, digests, exchange, path);
        } else {
          Editing.copy(exchange, path);
        }
      }
      case "PROPFIND" -> Properties.find(exchange, path);
      case "PROPPATCH" ->
          throw new HttpRefusal(403, "properties of clients are not kept; store them in a file");
      default ->
          throw new HttpRefusal(405, "this server has no " + exchange.method())
              .with("Allow", ALLOWED);
    }
  }
}
