package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.ControlPackets;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;

/**
 * Tells the peer what has come: a short acknowledgement after so many packets, and a full one when
 * its interval is over; that again until the peer has confirmed it. Not thread-safe.
 */
final class Acknowledging {
  /** Packets after which an acknowledgement of one word goes out before the interval is over. */
  private static final int LIGHT_INTERVAL = 64;

  /** Each of them is a system call at both ends: of fast connections not more come than this. */
  private static final long LIGHT_MICROS = 1000;

  /** A reader that never comes to the end of what waits is the slowest part of the path itself. */
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

  /** Repeats the report to the peer, though nothing new has come. */
  void want() {
    wanted = true;
  }

  /** A packet of data has come. */
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
   * All that has come to this host was read. Only what was counted at such a moment says how fast
   * packets come: a host that stood still reads what waited faster than the path carries it.
   */
  void allRead(long now) {
    allReadMicros = now;
    receivedThen = receiver.received();
  }

  /** The peer has this one. */
  void confirmed(long now, int number) {
    log.confirmed(now, number);
  }

  /** Sends a full one if it is due. */
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

  /** When to look again; {@link Long#MAX_VALUE} for never. */
  long wakeUpMicros(long now) {
    if (isDue(now)) {
      return nextMicros;
    }
    return log.isConfirmed() ? Long.MAX_VALUE : nextMicros + log.patienceMicros();
  }

  /** As the acknowledgements measure it. */
  long roundTripMicros() {
    return log.roundTripMicros();
  }

  /** How long an answer may take. */
  long patienceMicros() {
    return log.patienceMicros();
  }
}
