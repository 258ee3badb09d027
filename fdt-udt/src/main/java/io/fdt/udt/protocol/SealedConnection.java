package io.fdt.udt.protocol;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.PacketKeys;
import io.fdt.udt.protocol.packet.Sealing;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBufAllocator;

/**
 * Makes the connection of encrypted packets between two ends that have one of clear packets. The
 * dialled end sends nothing before a packet of the other one, which sends at once. Stateless.
 */
public final class SealedConnection {
  private SealedConnection() {}

  /**
   * Makes it.
   *
   * @param clear terms of the other connection
   * @param dialed whether this end has dialled the other one
   */
  public static UdtConnection make(
      ByteBufAllocator allocator,
      WindowMemory memory,
      Terms clear,
      PathKey key,
      boolean dialed,
      UdtSettings settings,
      Datagrams out,
      Application application,
      long now) {
    Sealing sealing = new Sealing(PacketKeys.of(key, clear, dialed));
    UdtConnection connection =
        new UdtConnection(
            allocator, memory, clear.sealed(), sealing, settings, out, application, now);
    if (dialed) {
      connection.announce(now);
    } else {
      connection.holdUntilHeard();
    }
    return connection;
  }
}
