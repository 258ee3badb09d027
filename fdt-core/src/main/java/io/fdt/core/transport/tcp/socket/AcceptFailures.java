package io.fdt.core.transport.tcp.socket;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failures to accept connections, for want of descriptors for example, at most once in ten
 * seconds. Confined to the event loop of the listener.
 */
public final class AcceptFailures extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(AcceptFailures.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private boolean logged;
  private long loggedNanos;

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    long now = System.nanoTime();
    if (!logged || now - loggedNanos >= PAUSE_NANOS) {
      logged = true;
      loggedNanos = now;
      LOG.warn("cannot accept connections reason={}", cause.getMessage());
    }
  }
}
