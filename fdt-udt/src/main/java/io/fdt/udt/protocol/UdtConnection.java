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
 * and the time come in by the methods; packets and bytes go out through {@link Datagrams} and
 * {@link Application}. Its driver calls {@link #transmit} after each event and again at {@link
 * #wakeUpMicros}.
 *
 * <pre>
 *   OPEN --finish--> FINISHING --all arrived--> ENDED
 *     \--------- shutdown, silence, close ---------^
 * </pre>
 *
 * <p>Memory: two windows of packets at most, and what losses need. Not thread-safe.
 */
public final class UdtConnection {
  /** The interval of acknowledgements, 10 ms. */
  public static final long SYN_MICROS = 10_000;

  /** How long a peer may say nothing: it says something every second. */
  public static final long SILENCE_MICROS = 15_000_000;

  /** The buffer for a peer that is not proven yet, in packets: 96 KB. */
  public static final int FIRST_WINDOW = 64;

  static final long KEEP_ALIVE_MICROS = 1_000_000;

  /** Words of an acknowledgement with all its fields. */
  private static final int FULL_ACK = 7;

  /** The interval at which an end that speaks first repeats that until an answer comes. */
  private static final long ANNOUNCE_MICROS = 200_000;

  /** One of them may be lost, and is not repeated. */
  private static final int SHUTDOWNS = 3;

  /** How a connection stands. */
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
   * @param memory what all windows may use together
   * @param now when it begins, in microseconds
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

  /** This end speaks first, again and again until an answer comes. */
  void announce(long now) {
    keepAliveMicros = ANNOUNCE_MICROS;
    spokeMicros = now - ANNOUNCE_MICROS;
  }

  /** Finds out when the peer has moved. */
  public PathMove pathMove(PathKey key) {
    return new PathMove(terms, key, protection);
  }

  /** The terms of the handshake. */
  public Terms terms() {
    return terms;
  }

  /** Where it stands. */
  public State state() {
    return state;
  }

  /** Why it ended; empty while it has not. */
  public String reason() {
    return reason;
  }

  /** Takes bytes of the stream, as many as there is room for, from the reader index on. */
  public void write(ByteBuf data) {
    if (state == State.OPEN) {
      sender.write(data);
    }
  }

  /** The application takes bytes again. */
  public void deliver() {
    receiver.deliver();
    if (receiver.hasMoreRoom()) {
      acks.want();
    }
  }

  /**
   * Takes this many packets ahead from now on; before, as many as {@link #FIRST_WINDOW}, or as its
   * settings say.
   */
  public void openWindow() {
    if (!sharesMemory) {
      sharesMemory = true;
      memory.join();
    }
    receiver.openWindow();
    acks.want();
  }

  /** Sends nothing before the peer has sent something. */
  void holdUntilHeard() {
    held = true;
  }

  /** Whether bytes are here that the application has not taken. */
  public boolean hasUnread() {
    return receiver.hasUnread();
  }

  /** Sends nothing new any more; once all has arrived, it ends. */
  public void finish() {
    if (state == State.OPEN) {
      state = State.FINISHING;
    }
  }

  /** Ends it, and sends the peer a message. Idempotent. */
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

  /** Gives all memory back; nothing may be called after that but {@link #state}. */
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
   * A packet with this end's socket id has come.
   *
   * @return false when it is none of this connection, or damaged: it was ignored
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

  /** All packets that have come to this host were given to {@link #receive}. */
  public void allRead(long now) {
    acks.allRead(now);
  }

  /** Sends what is due now, and looks at all deadlines. */
  public void transmit(long now) {
    if (state == State.ENDED) {
      return;
    }
    if (now - heardMicros >= SILENCE_MICROS) {
      close(now, "nothing came for %d s".formatted(SILENCE_MICROS / 1_000_000));
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
        close(now, "packets of %d bytes pass no more".formatted(terms.packetLength()));
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

  /** When {@link #transmit} is to be called next, if nothing happens before. */
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

  /** The packets that this end has sent, and has to send. */
  public UdtOutput output() {
    return sender.output();
  }

  /** Payload of this end that has arrived, and payload that has come, in whatever order. */
  public long arrivedBytes() {
    return sender.deliveredBytes() + receiver.received() * terms.payload();
  }

  /**
   * Smoothed, in microseconds: of the data that this end sends, or else of its acknowledgements.
   */
  public long roundTripMicros() {
    return sender.packets() > 0 ? sender.roundTripMicros() : acks.roundTripMicros();
  }

  /** Its state, for people. */
  @Override
  public String toString() {
    return state + " " + sender + " " + receiver;
  }

  /** The state of its rate control, in one word. */
  public String rateState() {
    return sender.state();
  }
}
