package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.LineLimit;
import io.fdt.core.security.AddressRange;
import io.fdt.core.transport.tcp.socket.LingeringClose;
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
 * A bounded set of the connections whose clients are not authenticated yet, oldest first. A new
 * connection always enters and evicts an older one, so that idle connections cannot lock clients
 * out.
 *
 * <p>One address can have half of the slots; beyond that it evicts a connection of its own.
 * Otherwise the address with the oldest connection loses one. Silent connections of an address go
 * first, so that a client's control connection outlives the data connections that it prepares; but
 * they keep a quarter of its slots, so that they have time for a first message. Any thread.
 */
public final class UnauthenticatedConnections {
  private static final Logger LOG = LoggerFactory.getLogger(UnauthenticatedConnections.class);

  /** Limits the log under a flood. */
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

    /** The connection to evict first. */
    Channel first() {
      return (4 * silent.size() >= size() ? silent : spoken).iterator().next();
    }
  }

  /**
   * @param most connections, 2 or more
   */
  public UnauthenticatedConnections(int most) {
    this.most = most;
    this.mostOfOneSite = Math.max(1, most / 2);
  }

  /** Adds a new connection until it closes or {@link #known}. On its event loop. */
  public void add(Channel channel, InetAddress address) {
    channel.closeFuture().addListener(closed -> known(channel));
    addAgain(channel, address);
  }

  /** Adds a connection whose client was {@link #known} and has to authenticate again. */
  public void addAgain(Channel channel, InetAddress address) {
    Channel leaving = enter(channel, AddressRange.siteOf(address));
    if (leaving != null) {
      leaving.eventLoop().execute(() -> giveUp(leaving));
    }
  }

  /** The client has sent a valid preface. */
  synchronized void hasSpoken(Channel channel) {
    Site site = sites.get(channel);
    if (site != null && site.silent.remove(channel)) {
      site.spoken.add(channel);
    }
  }

  /** The client is authenticated. */
  public synchronized void known(Channel channel) {
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
      known(leaving); // its event loop closes it; it no longer counts
    }
    Site site = byName.computeIfAbsent(name, Site::new);
    site.silent.add(channel);
    sites.put(channel, site);
    return leaving;
  }

  /** Reports the eviction to a client that has had no answer. */
  private static void giveUp(Channel channel) {
    ServerHandshake reception = channel.pipeline().get(ServerHandshake.class);
    if (reception == null) {
      LingeringClose.cutShort(channel); // another connection needs its slot
    } else {
      ChannelHandlerContext context = channel.pipeline().context(reception);
      reception.fail(context, new FdtException(ErrorCode.BUSY, "evicted by newer connections"));
    }
  }

  /** Logs a refused connection, within a rate limit. */
  void refused(String peer, String reason) {
    long hidden = lines.take(System.nanoTime());
    if (hidden >= 0) {
      LOG.info("connection refused peer={} reason={}" + LineLimit.more(hidden), peer, reason);
    }
  }
}
