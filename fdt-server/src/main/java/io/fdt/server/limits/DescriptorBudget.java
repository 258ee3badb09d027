package io.fdt.server.limits;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.LineLimit;
import io.fdt.core.model.Grant;
import io.fdt.core.security.AddressRange;
import io.fdt.core.storage.OpenFileLimit;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The descriptors that clients of a server hold: connections and unfinished files. One token, or
 * one address without a token, has at most half, so that a process never runs out of them for one
 * client. Thread-safe.
 */
public final class DescriptorBudget {
  /** Descriptors of one file: itself and its journal. */
  private static final int PER_FILE = 2;

  private static final int LINES_PER_SECOND = 1;

  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final Pattern OPEN_FILES = Pattern.compile("Max open files +([0-9]{1,18}) ");

  private static final Logger LOG = LoggerFactory.getLogger(DescriptorBudget.class);

  private final SharedBudget held;
  private final LineLimit lines = new LineLimit(LINES_PER_SECOND);

  public DescriptorBudget(long most) {
    this.held = new SharedBudget(most, most / 2);
  }

  /** The descriptor limit of this process; 0 when unknown or unlimited. */
  public static long ofProcess() {
    try {
      Matcher limit = OPEN_FILES.matcher(Files.readString(LIMITS, StandardCharsets.ISO_8859_1));
      return limit.find() ? Long.parseLong(limit.group(1)) : 0;
    } catch (IOException e) {
      return 0; // not Linux
    }
  }

  /**
   * The share of a client, which all clients of its token, or of its address without a token, have
   * in common.
   */
  public Share of(Grant grant, InetAddress address) {
    return new Share(
        Owner.isAnonymous(grant)
            ? grant.name() + "@" + AddressRange.siteOf(address)
            : grant.label());
  }

  /** The descriptors of one client. */
  public final class Share implements OpenFileLimit {
    private final String holder;

    private Share(String holder) {
      this.holder = holder;
    }

    /**
     * Reserves descriptors, before a connection or file is opened.
     *
     * @throws FdtException BUSY
     */
    public void take(int count) throws FdtException {
      take(count, ErrorCode.BUSY);
    }

    private void take(int count, ErrorCode code) throws FdtException {
      OptionalLong exceeded = held.take(holder, count);
      if (exceeded.isEmpty()) {
        return;
      }
      long hidden = lines.take(System.nanoTime());
      if (hidden >= 0) {
        LOG.warn(
            "descriptors refused token={} limit={} holders={}" + LineLimit.more(hidden),
            holder,
            held.most(),
            holders());
      }
      boolean isOwn = exceeded.getAsLong() < held.most();
      throw new FdtException(
          code,
          "the server %s no more than %d connections and unfinished files: try again in a minute"
              .formatted(isOwn ? "lets '" + holder + "' have" : "has", exceeded.getAsLong()));
    }

    /** Releases descriptors, once for each {@link #take(int)}. */
    public void giveBack(int count) {
      held.add(holder, -count);
    }

    @Override
    public void take() throws FdtException {
      take(PER_FILE, ErrorCode.RESOURCES);
    }

    @Override
    public void giveBack() {
      held.add(holder, -PER_FILE);
    }
  }

  /** Descriptors that are taken now. */
  public long taken() {
    return held.sum();
  }

  /** The clients with the most descriptors, for the log: "alice:300,bob:12". */
  public String holders() {
    return held.largest();
  }
}
