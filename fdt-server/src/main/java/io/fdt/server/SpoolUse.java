package io.fdt.server;

import io.fdt.core.security.Grant;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;

/**
 * Whose bytes one direction of a connection keeps in a spool, and where that runs.
 *
 * @param loop of the connection
 */
record SpoolUse(
    SpoolQuota.Owner owner, SpoolEnds ends, EventLoop loop, ByteBufAllocator allocator) {
  static SpoolUse of(
      Grant grant, InetSocketAddress target, EventLoop loop, ByteBufAllocator allocator) {
    SpoolQuota.Owner owner = SpoolQuota.Owner.of(grant);
    return new SpoolUse(owner, SpoolEnds.of(owner, target), loop, allocator);
  }
}
