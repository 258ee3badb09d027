package io.fdt.server.web;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.LineLimit;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.TransferFigures;
import io.fdt.server.access.AccessEntries;
import io.fdt.server.limits.ReadPace;
import io.fdt.server.limits.ServerRates;
import io.fdt.server.session.SessionLedger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file, or a part of it, that one HTTP request moves: in the metrics while it lasts, and at its
 * end in the access log and the log. Failed unless its outcome is set before it is closed.
 *
 * <p>Confined to the thread of the request; each stream to its own.
 */
public final class WebTransfer implements AutoCloseable {
  /** The rates, totals and log lines of all transfers of a server. */
  public record Books(ServerRates rates, SessionLedger ledger, LineLimit lines) {
    /** Limits the log when many small files move. */
    private static final int LINES_PER_SECOND = 10;

    public Books(ServerRates rates, SessionLedger ledger) {
      this(rates, ledger, new LineLimit(LINES_PER_SECOND));
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(WebTransfer.class);

  private final Books books;
  private final ReadPace pace;
  private final AccessEntries log;
  private final boolean isPull;
  private final BytePath path;
  private final String other;
  private final long startNanos = System.nanoTime();
  private final AtomicLong moved = new AtomicLong();
  private final AtomicInteger streams = new AtomicInteger();
  private volatile TransferFigures.Files files = TransferFigures.NONE.files();
  private TransferFigures.Files filesAtEnd;
  private Runnable entry;
  private FdtException failure;

  /**
   * @param other host and port of the other server; empty for a file that the client moves
   */
  WebTransfer(
      Books books, ReadPace pace, AccessEntries log, boolean isPull, BytePath path, String other) {
    this.books = books;
    this.pace = pace;
    this.log = log;
    this.isPull = isPull;
    this.path = path;
    this.other = other;
    failed(new FdtException(ErrorCode.CANCELLED, "the request was refused"));
  }

  /** Appears in the metrics. */
  WebTransfer begin() {
    books.ledger.began(
        this, new SessionLedger.Account(isPull, log.export(path), log.token()), this::progress);
    return this;
  }

  /** One connection of a transfer, at the client's rate. Confined to its thread. */
  public final class Stream implements AutoCloseable {
    private final ReadPace.Turn turn = pace.begin();

    private Stream() {
      streams.incrementAndGet();
    }

    /** Counts bytes, and returns the nanoseconds until they may move; 0 for now. */
    public long nanosToWait(int bytes, long nowNanos) {
      moved.addAndGet(bytes);
      return turn.nanosToWait(bytes, nowNanos);
    }

    @Override
    public void close() {
      streams.decrementAndGet();
      turn.close();
    }
  }

  /** The caller closes it. */
  public Stream stream() {
    return new Stream();
  }

  /** The bytes so far. Any thread. */
  public long moved() {
    return moved.get();
  }

  /** The client, or the other server, has the file, or the range for which it asked. */
  public void read(boolean isWhole) {
    outcome(isWhole, () -> log.read(path, moved.get()));
  }

  /** The file has its name. */
  public void written(long size) {
    outcome(true, () -> log.written(path, size));
  }

  /** A part has arrived, and others follow. */
  public void partWritten() {
    outcome(false, () -> {});
  }

  private void outcome(boolean isFile, Runnable logged) {
    failure = null;
    entry = logged;
    filesAtEnd = new TransferFigures.Files(isFile ? 1 : 0, 0, 0, 0, 0, 0, 0);
  }

  public void failed(FdtException cause) {
    failure = cause;
    entry = () -> log.cut(isPull, path, moved.get(), cause);
    filesAtEnd = new TransferFigures.Files(0, 0, 0, 1, 0, 0, 0);
  }

  private Progress progress() {
    TransferFigures none = TransferFigures.NONE;
    TransferFigures figures =
        new TransferFigures(
            files, moved.get(), 0, 0, 0, moved.get(), 0, 0, 0, 0, 0, 0, 0, none.totalsAreFinal());
    return new Progress(figures, streams.get(), 0, 0, moved.get(), 0, "");
  }

  /** Ends it with its outcome. */
  @Override
  public void close() {
    files = filesAtEnd;
    books.ledger.ended(this, failure);
    entry.run();
    long hidden = books.lines.take(System.nanoTime());
    if (hidden < 0) {
      return;
    }
    List<Object> values =
        new ArrayList<>(
            List.of(
                log.token(),
                log.peer(),
                isPull ? "pull" : "push",
                log.export(path),
                path,
                moved,
                String.format(Locale.US, "%.3f", (System.nanoTime() - startNanos) / 1e9),
                SessionLedger.result(failure)));
    String line =
        "request ended token={} peer={} direction={} export={} path={} bytes={} seconds={}"
            + " result={}";
    if (!other.isEmpty()) {
      line += " other={}";
      values.add(other);
    }
    if (failure != null) {
      line += " reason={}";
      values.add(failure.getMessage());
    }
    LOG.info(line + LineLimit.more(hidden), values.toArray());
  }
}
