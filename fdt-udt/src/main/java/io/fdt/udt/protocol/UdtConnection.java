package io.fdt.udt.protocol;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.packet.ControlPackets;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Protection;
import io.fdt.udt.protocol.packet.Terms;
import io.fdt.udt.protocol.path.PathMove;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * One end of a connection after its handshake: a stream of bytes in each direction. Packets, bytes
 * and the time are arguments of its methods; packets and bytes go out through {@link Datagrams} and
 * {@link Application}. Its driver calls {@link #transmit} after each event and again at {@link
 * #wakeUpMicros}.
 *
 * <pre>
 *   OPEN --finish--> FINISHING --all arrived--> ENDED
 *     \--------- shutdown, silence, close ---------^
 * </pre>
 *
 * <p>Memory: at most two windows of packets, and bookkeeping of losses. Not thread-safe.
 */
public final class UdtConnection {
  /** The interval of acknowledgements, 10 ms. */
  public static final long SYN_MICROS = 10_000;

  /** The silence after which the peer counts as lost; it sends something every second. */
  public static final long SILENCE_MICROS = 15_000_000;

  /** The window for an unauthenticated peer, in packets: 96 KB. */
  public static final int FIRST_WINDOW = 64;

  static final long KEEP_ALIVE_MICROS = 1_000_000;

  /** Words of an acknowledgement with all its fields. */
  private static final int FULL_ACK = 7;

  /** The interval at which the end that sends first repeats its packet until an answer arrives. */
  private static final long ANNOUNCE_MICROS = 200_000;

  /** The number of shutdown packets, because a lost one is not repeated. */
  private static final int SHUTDOWNS = 3;

  /** The state of a connection. */
  public enum State {
    OPEN,
    FINISHING,
    ENDED
  }

  private final ControlPackets packets;
  private final Terms terms;
  private final Datagrams out;
  private final Application application;
  private final SendSide sender;
  private final ReceiveSide receiver;
  private final Reports reports;
  private final Acknowledging acks;
  private final Protection protection;
  private State state = State.OPEN;
  private String reason = "";
  private long heardMicros;
  private long spokeMicros;
  private long keepAliveMicros = KEEP_ALIVE_MICROS;
  private final PeerClock peer = new PeerClock();
  private final WindowMemory memory;
  private boolean sharesMemory;
  private boolean held;
  private final NarrowPath narrow;

  /**
   * @param allocator of the windows and of control packets
   * @param memory the shared budget of all windows
   * @param now the start, in microseconds
   */
  public UdtConnection(
      ByteBufAllocator allocator,
      WindowMemory memory,
      Terms terms,
      UdtSettings settings,
      Datagrams out,
      Application application,
      long now) {
    this(allocator, memory, terms, Protection.ofClear(), settings, out, application, now);
  }

  UdtConnection(
      ByteBufAllocator allocator,
      WindowMemory memory,
      Terms terms,
      Protection protection,
      UdtSettings settings,
      Datagrams out,
      Application application,
      long now) {
    this.protection = protection;
    this.packets = new ControlPackets(allocator, terms, protection, out, now);
    this.terms = terms;
    this.narrow = new NarrowPath(terms);
    this.memory = memory;
    this.out = out;
    this.application = application;
    this.sender = new SendSide(allocator, memory, terms, protection, settings, now);
    this.receiver = new ReceiveSide(allocator, memory, terms, settings, application);
    this.reports = new Reports(receiver.missing());
    this.acks = new Acknowledging(packets, receiver, terms, now);
    this.heardMicros = now;
    this.spokeMicros = now;
  }

  /** Makes this end send first, repeatedly until an answer arrives. */
  void announce(long now) {
    keepAliveMicros = ANNOUNCE_MICROS;
    spokeMicros = now - ANNOUNCE_MICROS;
  }

  /** Detects a change of the peer's address. */
  public PathMove pathMove(PathKey key) {
    return new PathMove(terms, key, protection);
  }

  /** The terms of the handshake. */
  public Terms terms() {
    return terms;
  }

  /** The state of the connection. */
  public State state() {
    return state;
  }

  /** The reason for the end; empty before. */
  public String reason() {
    return reason;
  }

  /** Takes as many bytes of the stream as there is room for, from the reader index on. */
  public void write(ByteBuf data) {
    if (state == State.OPEN) {
      sender.write(data);
    }
  }

  /** Delivers waiting bytes to the application again. */
  public void deliver() {
    receiver.deliver();
    if (receiver.hasMoreRoom()) {
      acks.want();
    }
  }

  /**
   * Opens the full receive window; before, it is {@link #FIRST_WINDOW}, or that of the settings if
   * smaller.
   */
  public void openWindow() {
    if (!sharesMemory) {
      sharesMemory = true;
      memory.join();
    }
    receiver.openWindow();
    acks.want();
  }

  /** Sends nothing before a packet of the peer. */
  void holdUntilHeard() {
    held = true;
  }

  /** Whether there are bytes that the application has not taken. */
  public boolean hasUnread() {
    return receiver.hasUnread();
  }

  /** Ends the output: the connection ends once all bytes have arrived. */
  public void finish() {
    if (state == State.OPEN) {
      state = State.FINISHING;
    }
  }

  /** Ends the connection, and sends the peer a message. Idempotent. */
  public void close(long now, String why) {
    if (state != State.ENDED) {
      for (int i = 0; i < SHUTDOWNS; i++) {
        packets.sendEmpty(now, Packets.SHUTDOWN, 0);
      }
      end(why);
    }
  }

  private void end(String why) {
    state = State.ENDED;
    reason = why;
  }

  /** Releases all memory; afterwards only {@link #state} may be called. */
  public void release() {
    if (state != State.ENDED) {
      end("released");
    }
    if (sharesMemory) {
      sharesMemory = false;
      memory.leave();
    }
    sender.close();
    receiver.close();
  }

  /**
   * Handles a packet with this end's socket id.
   *
   * @return false for an ignored packet: one of another connection, or a damaged one
   */
  public boolean receive(long now, ByteBuf packet, int at, int datagramLength) {
    if (state == State.ENDED || datagramLength < Packets.HEADER) {
      return false;
    }
    boolean isControl = Packets.isControl(packet, at);
    if (isControl && Packets.type(packet, at) == Packets.HANDSHAKE) {
      return false; // for a listener; it has no check, so that it proves nothing
    }
    int length = protection.open(packet, at, datagramLength);
    if (length < 0) {
      return false;
    }
    heardMicros = now;
    keepAliveMicros = KEEP_ALIVE_MICROS;
    held = false;
    if (isControl) {
      control(now, packet, at, length);
    } else {
      data(now, packet, at, length);
    }
    return true;
  }

  private void data(long now, ByteBuf packet, int at, int length) {
    long index = Packets.index(terms.initial(), packet.getInt(at), receiver.highest());
    if (index < 0) {
      return;
    }
    long highest = receiver.highest();
    switch (receiver.packet(index, packet, at + Packets.HEADER, length - Packets.HEADER)) {
      case GAP -> {
        packets.sendMissing(now, highest, index);
        reports.add(now, highest, index);
      }
      case NO_PLACE -> reports.add(now, highest, receiver.highest()); // later, when there may be
      case AGAIN -> acks.want();
      case FILLS, BEYOND -> {}
    }
    acks.packet(now);
  }

  private void control(long now, ByteBuf packet, int at, int length) {
    int fields = (length - Packets.HEADER) / Integer.BYTES;
    switch (Packets.type(packet, at)) {
      case Packets.ACK -> acknowledgement(now, packet, at, fields);
      case Packets.NAK -> MissingList.read(packet, at, fields, terms.initial(), sender, now);
      case Packets.ACK2 -> acks.confirmed(now, Packets.additional(packet, at));
      case Packets.SHUTDOWN -> end("the peer closed it");
      case Packets.PROBE_ANSWER -> narrow.answered();
      case Packets.PROBE -> packets.answerProbe(now, Packets.additional(packet, at), length);
      default -> {} // keep-alive, and what later versions may have
    }
  }

  private void acknowledgement(long now, ByteBuf packet, int at, int fields) {
    if (fields == 0) {
      return;
    }
    int body = at + Packets.HEADER;
    long index = Packets.index(terms.initial(), packet.getInt(body), sender.firstUnacknowledged());
    if (!sender.acknowledge(now, index)) {
      return; // of packets that were never sent
    }
    if (fields < FULL_ACK) {
      return; // a light one has no number
    }
    packets.sendEmpty(now, Packets.ACK2, Packets.additional(packet, at));
    sender.window(index, packet.getInt(body + 12));
    int lastRoundTrip = packet.getInt(body + 8);
    if (lastRoundTrip > 0) {
      sender.roundTrip(packet.getInt(body + 4), lastRoundTrip);
    }
    peer.heard(
        now,
        Packets.timestamp(packet, at),
        packet.getInt(body + 16),
        packet.getInt(body + 20),
        packet.getInt(body + 24));
    sender.learned(now, peer);
  }

  /** Records that the socket is empty, after calls of {@link #receive}. */
  public void allRead(long now) {
    acks.allRead(now);
  }

  /** Sends due packets, and checks all deadlines. */
  public void transmit(long now) {
    if (state == State.ENDED) {
      return;
    }
    if (now - heardMicros >= SILENCE_MICROS) {
      close(now, "no packet for %d s".formatted(SILENCE_MICROS / 1_000_000));
      return;
    }
    if (protection.isUsedUp()) {
      close(now, "its keys are used up");
      return;
    }
    if (held) {
      return;
    }
    acks.transmit(now);
    long overdue = now - acks.patienceMicros();
    if (reports.oldestMicros() <= overdue) {
      packets.sendMissing(now, reports.takeUntil(overdue, now));
    }
    if (now >= sender.timeoutMicros()) {
      sender.timedOut(now);
      if (narrow.timedOut(now, sender.timeouts(), now - heardMicros, packets)) {
        close(now, "packets of %d bytes no longer arrive".formatted(terms.packetLength()));
        return;
      }
    }
    boolean more = true;
    while (more) {
      long before = sender.packets();
      sender.transmit(now, out);
      if (sender.packets() > before) {
        spokeMicros = now;
      }
      more = state == State.OPEN && sender.hasRoomAgain();
      if (more) {
        application.writable();
        more = sender.nextSendMicros() <= now;
      }
    }
    if (state == State.FINISHING && sender.isEmpty()) {
      close(now, "finished");
    } else if (now - spokeMicros >= keepAliveMicros) {
      packets.sendEmpty(now, Packets.KEEP_ALIVE, 0);
      spokeMicros = now;
    }
  }

  /** The time of the next call of {@link #transmit}, unless an event comes first. */
  public long wakeUpMicros(long now) {
    if (state == State.ENDED) {
      return Long.MAX_VALUE;
    }
    if (held) {
      return Math.max(now, heardMicros + SILENCE_MICROS);
    }
    long at = Math.min(spokeMicros + keepAliveMicros, heardMicros + SILENCE_MICROS);
    at = Math.min(at, Math.min(sender.timeoutMicros(), sender.nextSendMicros()));
    at = Math.min(at, acks.wakeUpMicros(now));
    long oldest = reports.oldestMicros();
    if (oldest != Long.MAX_VALUE) {
      at = Math.min(at, oldest + acks.patienceMicros());
    }
    return Math.max(now, at);
  }

  /** The sent and waiting packets of this end. */
  public UdtOutput output() {
    return sender.output();
  }

  /** Payload bytes of this end that have arrived, plus received ones, in any order. */
  public long arrivedBytes() {
    return sender.deliveredBytes() + receiver.received() * terms.payload();
  }

  /**
   * The smoothed round-trip time in microseconds, measured by this end's data, or otherwise by its
   * acknowledgements.
   */
  public long roundTripMicros() {
    return sender.packets() > 0 ? sender.roundTripMicros() : acks.roundTripMicros();
  }

  /** Its state, for display. */
  @Override
  public String toString() {
    return state + " " + sender + " " + receiver;
  }

  /** The state of its rate control, in one word. */
  public String rateState() {
    return sender.state();
  }
}
