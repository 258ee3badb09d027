package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.ControlPackets;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;

/**
 * Acknowledges received packets: with a light acknowledgement after a number of packets, and a full
 * one at each interval, repeated until the peer has confirmed it. Not thread-safe.
 */
final class Acknowledging {
  /** Packets after which a light acknowledgement, of one word, is sent within an interval. */
  private static final int LIGHT_INTERVAL = 64;

  /**
   * The minimum time between light acknowledgements, because each is a system call at both ends.
   */
  private static final long LIGHT_MICROS = 1000;

  /**
   * The longest time without an empty socket: if a reader never catches up, it is itself the
   * bottleneck.
   */
  private static final long BEHIND_MICROS = 250_000;

  private static final long MOST_AGE_MICROS = Integer.MAX_VALUE;

  private final ControlPackets packets;
  private final ReceiveSide receiver;
  private final AckLog log;
  private long nextMicros;
  private long acknowledged;
  private long reportedReceived;
  private boolean wanted;
  private int sinceLight;
  private long lightMicros;
  private long allReadMicros;
  private long receivedThen;

  Acknowledging(ControlPackets packets, ReceiveSide receiver, Terms terms, long now) {
    this.packets = packets;
    this.receiver = receiver;
    this.log = new AckLog(terms.roundTripMicros());
    this.nextMicros = now;
  }

  /** Requests an acknowledgement without new packets. */
  void want() {
    wanted = true;
  }

  /** Records a received data packet. */
  void packet(long now) {
    if (++sinceLight >= LIGHT_INTERVAL
        && now - lightMicros >= LIGHT_MICROS
        && receiver.next() > acknowledged) {
      sinceLight = 0;
      lightMicros = now;
      acknowledged = receiver.next();
      packets.send(packets.begin(now, Packets.ACK, 0).writeInt(packets.sequence(acknowledged)));
    }
  }

  /**
   * Records that the socket is empty. Only counts at such moments give the arrival rate, because
   * after a stall a host reads waiting packets faster than the path delivers them.
   */
  void allRead(long now) {
    allReadMicros = now;
    receivedThen = receiver.received();
  }

  /** Records that the peer has received an acknowledgement. */
  void confirmed(long now, int number) {
    log.confirmed(now, number);
  }

  /** Sends a full acknowledgement if it is due. */
  void transmit(long now) {
    if (now < nextMicros || !isDue(now)) {
      return;
    }
    nextMicros = now + UdtConnection.SYN_MICROS;
    wanted = false;
    sinceLight = 0;
    acknowledged = receiver.next();
    reportedReceived = receiver.received();
    receiver.adapt(now, log.roundTripMicros());
    ByteBuf ack = packets.begin(now, Packets.ACK, log.sent(now));
    ack.writeInt(packets.sequence(acknowledged));
    ack.writeInt((int) log.roundTripMicros()).writeInt((int) log.lastRoundTripMicros());
    ack.writeInt(Math.max(2, receiver.window()));
    if (now - allReadMicros > BEHIND_MICROS) {
      allRead(now);
    }
    ack.writeInt((int) reportedReceived).writeInt((int) receivedThen);
    ack.writeInt((int) Math.min(MOST_AGE_MICROS, now - allReadMicros));
    packets.send(ack);
  }

  private boolean isDue(long now) {
    boolean news =
        wanted
            || receiver.next() > acknowledged
            || receiver.received() > reportedReceived
            || receiver.hasMoreRoom();
    return news || (!log.isConfirmed() && now - nextMicros >= log.patienceMicros());
  }

  /** The time of the next check; {@link Long#MAX_VALUE} for never. */
  long wakeUpMicros(long now) {
    if (isDue(now)) {
      return nextMicros;
    }
    return log.isConfirmed() ? Long.MAX_VALUE : nextMicros + log.patienceMicros();
  }

  /** The round-trip time measured by acknowledgements. */
  long roundTripMicros() {
    return log.roundTripMicros();
  }

  /** The timeout of an answer. */
  long patienceMicros() {
    return log.patienceMicros();
  }
}
