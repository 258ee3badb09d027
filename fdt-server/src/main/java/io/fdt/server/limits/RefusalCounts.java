package io.fdt.server.limits;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.LineLimit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and logs refused clients and requests. Thread-safe. */
public final class RefusalCounts {
  /** Limits the log under a flood. */
  private static final int LINES_PER_SECOND = 10;

  private static final Logger LOG = LoggerFactory.getLogger(RefusalCounts.class);

  private final LineLimit lines = new LineLimit(LINES_PER_SECOND);
  private final Map<ErrorCode, Long> counts = new EnumMap<>(ErrorCode.class);

  public synchronized void count(ErrorCode why) {
    counts.merge(why, 1L, Long::sum);
  }

  /**
   * Counts a refusal, and logs it within a rate limit.
   *
   * @param token its label; empty for a client that is not known yet
   * @param op the kind of the request; empty for a connection
   * @param path of the request; empty for none
   */
  public void log(String peer, String token, String op, String path, FdtException why) {
    count(why.code());
    long hidden = lines.take(System.nanoTime());
    if (hidden < 0) {
      return;
    }
    StringBuilder line = new StringBuilder("refused peer={}");
    List<Object> values = new ArrayList<>(List.of(peer));
    add(line, values, "token", token);
    add(line, values, "op", op);
    add(line, values, "path", path);
    add(line, values, "reason", why.getMessage());
    LOG.info(line + LineLimit.more(hidden), values.toArray());
  }

  private static void add(StringBuilder line, List<Object> values, String name, String value) {
    if (!value.isEmpty()) {
      line.append(' ').append(name).append("={}");
      values.add(value);
    }
  }

  public synchronized Map<ErrorCode, Long> counts() {
    return new EnumMap<>(counts);
  }
}
