package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.LineLimit;
import io.fdt.core.security.AddressRange;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a server whose clients have proven nothing yet, the oldest first; at most so
 * many. A new one is always let in: an older one has to go for it. So nobody is kept out by those
 * who only hold connections open, from one address or from many.
 *
 * <p>Half of the places is what one address can have; its own oldest goes for its next. Any thread.
 */
final class Strangers {
  private static final Logger LOG = LoggerFactory.getLogger(Strangers.class);

  /** Each refusal of a flood would be a line of its own. */
  private static final int LINES_PER_SECOND = 10;

  private final int most;
  private final int mostOfOneSite;
  private final LineLimit lines = new LineLimit(LINES_PER_SECOND);
  private final Map<Channel, String> sites = new LinkedHashMap<>();
  private final Map<String, Set<Channel>> bySite = new HashMap<>();

  /**
   * @param most connections, 2 or more
   */
  Strangers(int most) {
    this.most = most;
    this.mostOfOneSite = Math.max(1, most / 2);
  }

  /** Takes in a new connection until it closes or {@link #known}. On its event loop. */
  void add(Channel channel, InetAddress address) {
    Channel oldest = enter(channel, AddressRange.siteOf(address));
    channel.closeFuture().addListener(closed -> known(channel));
    if (oldest != null) {
      oldest.eventLoop().execute(() -> giveUp(oldest));
    }
  }

  /** Its client has proven who it is. */
  synchronized void known(Channel channel) {
    String site = sites.remove(channel);
    Set<Channel> neighbours = bySite.get(site);
    if (neighbours != null && neighbours.remove(channel) && neighbours.isEmpty()) {
      bySite.remove(site);
    }
  }

  private synchronized Channel enter(Channel channel, String site) {
    Set<Channel> neighbours = bySite.getOrDefault(site, Set.of());
    Channel oldest = null;
    if (neighbours.size() >= mostOfOneSite) {
      oldest = neighbours.iterator().next();
    } else if (sites.size() >= most) {
      oldest = sites.keySet().iterator().next();
    }
    if (oldest != null) {
      known(oldest); // its event loop closes it; it does not count any more
    }
    sites.put(channel, site);
    bySite.computeIfAbsent(site, s -> new LinkedHashSet<>()).add(channel);
    return oldest;
  }

  /** A client to whom nothing was said yet is told why. */
  private static void giveUp(Channel channel) {
    Reception reception = channel.pipeline().get(Reception.class);
    if (reception == null) {
      channel.close();
    } else {
      ChannelHandlerContext context = channel.pipeline().context(reception);
      reception.fail(context, new FdtException(ErrorCode.BUSY, "others came after it"));
    }
  }

  /** Writes of a connection that was refused, unless there are too many of them. */
  void refused(String peer, String reason) {
    long hidden = lines.take(System.nanoTime());
    if (hidden >= 0) {
      LOG.info("connection refused peer={} reason={} more={}", peer, reason, hidden);
    }
  }
}
