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
 * <p>Half of the places is what one address can have; one of its own goes for its next. Otherwise
 * one of the address goes that has the oldest of all. Of an address those go first that have said
 * nothing, so that a client's control connection outlives the lines that it prepares; but these
 * keep a quarter of its places, and with them the time for a first word. Any thread.
 */
final class UnauthenticatedConnections {
  private static final Logger LOG = LoggerFactory.getLogger(UnauthenticatedConnections.class);

  /** Each refusal of a flood would be a line of its own. */
  private static final int LINES_PER_SECOND = 10;

  private final int most;
  private final int mostOfOneSite;
  private final LineLimit lines = new LineLimit(LINES_PER_SECOND);
  private final Map<Channel, Site> sites = new LinkedHashMap<>();
  private final Map<String, Site> byName = new HashMap<>();

  /** The connections of one address. */
  private static final class Site {
    final String name;
    final Set<Channel> silent = new LinkedHashSet<>();
    final Set<Channel> spoken = new LinkedHashSet<>();

    Site(String name) {
      this.name = name;
    }

    int size() {
      return silent.size() + spoken.size();
    }

    /** Who goes first. */
    Channel first() {
      return (4 * silent.size() >= size() ? silent : spoken).iterator().next();
    }
  }

  /**
   * @param most connections, 2 or more
   */
  UnauthenticatedConnections(int most) {
    this.most = most;
    this.mostOfOneSite = Math.max(1, most / 2);
  }

  /** Takes in a new connection until it closes or {@link #known}. On its event loop. */
  void add(Channel channel, InetAddress address) {
    Channel leaving = enter(channel, AddressRange.siteOf(address));
    channel.closeFuture().addListener(closed -> known(channel));
    if (leaving != null) {
      leaving.eventLoop().execute(() -> giveUp(leaving));
    }
  }

  /** It speaks the protocol. */
  synchronized void hasSpoken(Channel channel) {
    Site site = sites.get(channel);
    if (site != null && site.silent.remove(channel)) {
      site.spoken.add(channel);
    }
  }

  /** Its client has proven who it is. */
  synchronized void known(Channel channel) {
    Site site = sites.remove(channel);
    if (site == null) {
      return;
    }
    site.silent.remove(channel);
    site.spoken.remove(channel);
    if (site.size() == 0) {
      byName.remove(site.name);
    }
  }

  private synchronized Channel enter(Channel channel, String name) {
    Site neighbours = byName.get(name);
    Channel leaving = null;
    if (neighbours != null && neighbours.size() >= mostOfOneSite) {
      leaving = neighbours.first();
    } else if (sites.size() >= most) {
      leaving = sites.values().iterator().next().first();
    }
    if (leaving != null) {
      known(leaving); // its event loop closes it; it does not count any more
    }
    Site site = byName.computeIfAbsent(name, Site::new);
    site.silent.add(channel);
    sites.put(channel, site);
    return leaving;
  }

  /** A client to whom nothing was said yet is told why. */
  private static void giveUp(Channel channel) {
    ServerHandshake reception = channel.pipeline().get(ServerHandshake.class);
    if (reception == null) {
      LingeringClose.cutShort(channel); // others wait for its place
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
