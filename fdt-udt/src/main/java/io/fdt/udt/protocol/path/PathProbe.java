package io.fdt.udt.protocol.path;

import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Checks whether packets of full length pass in both directions, with a probe and an answer of full
 * length. A path that silently drops long packets lets the handshake pass, but no data. Pure; not
 * thread-safe.
 */
public final class PathProbe {
  private static final int TRIES = 3;
  private static final long LEAST_PATIENCE_MICROS = 100_000;

  private final Terms terms;
  private final int number;
  private final long patienceMicros;
  private int tries;
  private long sentMicros;
  private boolean passed;

  /**
   * @param number random, repeated by the answer
   */
  public PathProbe(Terms terms, int number) {
    this.terms = terms;
    this.number = number;
    this.patienceMicros = Math.max(LEAST_PATIENCE_MICROS, terms.roundTripMicros() * 3 / 2);
  }

  /** The packet to send now, if any; the caller takes it over. */
  public Optional<ByteBuf> transmit(long now, ByteBufAllocator allocator) {
    boolean due = tries == 0 || now - sentMicros >= patienceMicros;
    if (passed || tries == TRIES || !due) {
      return Optional.empty();
    }
    tries++;
    sentMicros = now;
    return Optional.of(
        packet(allocator, Packets.PROBE, number, terms.packetLength(), terms.peerSocket()));
  }

  /** Handles a packet of the new connection. */
  public void receive(ByteBuf packet, int at, int length) {
    passed |=
        length == terms.packetLength()
            && Packets.isControl(packet, at)
            && Packets.type(packet, at) == Packets.PROBE_ANSWER
            && Packets.additional(packet, at) == number;
  }

  /** Whether long packets pass. */
  public boolean hasPassed() {
    return passed;
  }

  /** Whether long packets do not pass. */
  public boolean hasFailed(long now) {
    return !passed && tries == TRIES && now - sentMicros >= patienceMicros;
  }

  /** Ends a connection that is not used. */
  public ByteBuf shutdown(ByteBufAllocator allocator) {
    int length = Packets.HEADER + Integer.BYTES + Packets.TRAILER;
    return packet(allocator, Packets.SHUTDOWN, 0, length, terms.peerSocket());
  }

  /** A control packet of this length, filled with zeros, with its check. */
  public static ByteBuf packet(
      ByteBufAllocator allocator, int type, int additional, int length, int socket) {
    ByteBuf packet = allocator.directBuffer(length);
    Packets.control(packet, type, additional, 0, socket);
    packet.writeZero(length - Packets.TRAILER - Packets.HEADER);
    int checked = length - Packets.TRAILER;
    return packet.writeInt(Packets.crc(new CRC32C(), packet, 0, checked));
  }
}
