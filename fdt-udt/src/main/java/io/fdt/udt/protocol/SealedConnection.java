package io.fdt.udt.protocol;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.PacketKeys;
import io.fdt.udt.protocol.packet.Sealing;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBufAllocator;

/**
 * Creates the connection with encrypted packets between two ends of one with clear packets. The
 * accepting end sends nothing before a packet of the dialing end, which sends at once. Stateless.
 */
public final class SealedConnection {
  private SealedConnection() {}

  /**
   * Creates the connection.
   *
   * @param clear terms of the clear connection
   * @param dialed whether this end has dialled
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
