package io.fdt.server.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.FileAccess;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Grant;
import io.fdt.core.model.Operand;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.spec.TransferSpec;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one session: lines that say who moves what and how it ends, and an entry of the access
 * log for each file. Confined to the session's event loop.
 */
public final class SessionLog {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLog.class);

  /** Paths in a line; "..." stands for more. */
  private static final int MOST_PATHS = 8;

  /** The result of a session that came to its end without some of its files. */
  private static final String PARTIAL = "partial";

  private static final String WHO = " session={} token={} peer={} direction={} export={} paths={}";

  private final FileAccess.Client client;
  private final List<Object> who;
  private final TransferSpec spec;
  private final Optional<Consumer<FileAccess>> files;
  private final long startNanos = System.nanoTime();

  /** Files under way at the end, by path, with the bytes that have arrived of them. */
  private final Map<String, Long> unfinished = new LinkedHashMap<>();

  /** Why the first entry failed; empty while none has. */
  private String firstProblem = "";

  /**
   * @param peer its address and port
   * @param export where the session reads or writes
   * @param accessLog which a session that moves no file leaves alone
   */
  public SessionLog(
      SessionRequest request,
      Grant grant,
      String peer,
      String export,
      Optional<Consumer<FileAccess>> accessLog) {
    this.client =
        new FileAccess.Client(
            request.id().shortName(), grant.label(), peer, request.isPull(), export);
    this.who =
        List.of(client.session(), client.token(), peer, client.direction(), export, paths(request));
    this.spec = request.spec();
    this.files = accessLog.filter(log -> !request.isNettest() && !spec.dryRun());
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
    LOG.info("session opened" + WHO + " streams={}", with(new Object[] {spec.streams()}));
  }

  /** This server dials another one for it. */
  public void dialled(String host, int port) {
    LOG.info(
        "session dialled" + WHO + " to={} streams={}",
        with(new Object[] {host + ":" + port, spec.streams()}));
  }

  /**
   * It has ended.
   *
   * @param failure null when it came to its end
   */
  public void ended(TransferFigures figures, FdtException failure) {
    long failed = figures.files().failed();
    boolean isPartial = failed > 0 || !firstProblem.isEmpty(); // or a deletion was refused
    Object[] result = {
      figures.files().done(),
      figures.files().unchanged(),
      failed,
      figures.bytesDone(),
      String.format(Locale.US, "%.3f", (System.nanoTime() - startNanos) / 1e9),
      failure == null && isPartial ? PARTIAL : SessionLedger.result(failure)
    };
    String ended =
        "session ended" + WHO + " files={} unchanged={} failed={} bytes={} seconds={} result={}";
    String reason = failure == null ? firstProblem : failure.getMessage();
    ended += spec.dryRun() ? " dry-run=true" : "";
    if (reason.isEmpty()) {
      LOG.info(ended, with(result));
    } else {
      LOG.info(ended + " reason={}", with(result, reason));
    }
    if (failure != null) {
      unfinished.forEach(
          (path, bytes) ->
              add(
                  FileAccess.Fate.FAILED,
                  path,
                  bytes,
                  "",
                  "",
                  Optional.of(failure.code()),
                  failure.getMessage()));
      LOG.debug("session failure session={}", who.get(0), failure);
    }
  }

  /** A file is in place. */
  public void done(Supplier<String> path, long size, byte[] digest) {
    found(FileAccess.Fate.DONE, path, size, digest);
  }

  /** A file was there already. */
  public void unchanged(Supplier<String> path, long size, byte[] digest) {
    found(FileAccess.Fate.UNCHANGED, path, size, digest);
  }

  /** A file is under way while the session ends before its end. */
  public void unfinished(Supplier<String> path, long written) {
    files.ifPresent(log -> unfinished.put(path.get(), written));
  }

  private void found(FileAccess.Fate fate, Supplier<String> path, long size, byte[] digest) {
    if (files.isPresent()) {
      String checksum = digest.length == 0 ? "" : spec.digestMethod().construction();
      String digits = HexFormat.of().formatHex(digest);
      add(fate, path.get(), size, checksum, digits, Optional.empty(), "");
    }
  }

  /** A file, or an entry of another kind, did not arrive. */
  public void problem(String path, boolean skipped, ErrorCode code, String message) {
    if (!skipped && firstProblem.isEmpty()) {
      firstProblem = message;
    }
    FileAccess.Fate fate = skipped ? FileAccess.Fate.SKIPPED : FileAccess.Fate.FAILED;
    add(fate, path, 0, "", "", Optional.of(code), message);
  }

  /** A name is gone: here, unless the client fetches. */
  public void deleted(String path) {
    if (!client.isPull()) {
      add(FileAccess.Fate.DELETED, path, 0, "", "", Optional.empty(), "");
    }
  }

  private void add(
      FileAccess.Fate fate,
      String path,
      long size,
      String checksum,
      String digest,
      Optional<ErrorCode> failure,
      String message) {
    files.ifPresent(
        log ->
            log.accept(
                new FileAccess(
                    Instant.now(),
                    client,
                    fate,
                    path,
                    "",
                    size,
                    checksum,
                    digest,
                    failure,
                    message)));
  }

  private Object[] with(Object[] result, Object... more) {
    return Stream.of(who.stream(), Stream.of(result), Stream.of(more))
        .flatMap(some -> some)
        .toArray();
  }
}
