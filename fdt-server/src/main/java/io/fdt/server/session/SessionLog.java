package io.fdt.server.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Grant;
import io.fdt.core.model.Operand;
import io.fdt.core.model.TransferFigures;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lines of the server's log about one session: who moves what, and how it ends. Any thread. */
public final class SessionLog {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLog.class);

  /** Paths in a line; "..." stands for more. */
  private static final int MOST_PATHS = 8;

  private static final String WHO = " session={} token={} peer={} direction={} export={} paths={}";

  private final List<Object> who;
  private final int streams;
  private final long startNanos = System.nanoTime();

  /**
   * @param peer its address and port
   * @param export where the session reads or writes
   */
  public SessionLog(SessionRequest request, Grant grant, String peer, String export) {
    this.who =
        List.of(
            request.id().shortName(),
            grant.label(),
            peer,
            request.isPull() ? "pull" : "push",
            export,
            paths(request));
    this.streams = request.spec().streams();
  }

  private static String paths(SessionRequest request) {
    List<BytePath> paths =
        request.isNettest()
            ? List.of()
            : request.isPull()
                ? request.spec().sources().stream().map(Operand::path).toList()
                : List.of(request.spec().destination());
    return paths.stream().limit(MOST_PATHS).map(BytePath::toString).collect(Collectors.joining(","))
        + (paths.size() > MOST_PATHS ? ",..." : "");
  }

  /** A client has opened it. */
  public void opened() {
    LOG.info("session opened" + WHO + " streams={}", with(new Object[] {streams}));
  }

  /** This server dials another one for it. */
  public void dialled(String host, int port) {
    LOG.info(
        "session dialled" + WHO + " to={} streams={}",
        with(new Object[] {host + ":" + port, streams}));
  }

  /**
   * It has ended.
   *
   * @param failure null when it came to its end
   */
  public void ended(TransferFigures figures, FdtException failure) {
    Object[] result = {
      figures.files().done(),
      figures.files().unchanged(),
      figures.files().failed(),
      figures.bytesDone(),
      String.format(Locale.US, "%.3f", (System.nanoTime() - startNanos) / 1e9),
      SessionLedger.result(failure)
    };
    String ended =
        "session ended" + WHO + " files={} unchanged={} failed={} bytes={} seconds={} result={}";
    if (failure == null) {
      LOG.info(ended, with(result));
      return;
    }
    LOG.info(ended + " reason={}", with(result, failure.getMessage()));
    LOG.debug("session failure session={}", who.get(0), failure);
  }

  private Object[] with(Object[] result, Object... more) {
    return Stream.of(who.stream(), Stream.of(result), Stream.of(more))
        .flatMap(some -> some)
        .toArray();
  }
}
