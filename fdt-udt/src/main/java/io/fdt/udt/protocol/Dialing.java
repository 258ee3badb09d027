package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.Handshake;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;

/**
 * The handshake of the dialing end.
 *
 * <pre>
 *   request, cookie 0 --> request with cookie
 *   conclusion, cookie --> conclusion with the listener's socket id
 * </pre>
 *
 * <p>Each is repeated until its answer arrives. Pure; not thread-safe.
 */
public final class Dialing {
  private static final long AGAIN_MICROS = 250_000;

  private final UdtSettings settings;
  private Handshake own;
  private final int offered;
  private long sentMicros = Long.MIN_VALUE;
  private long firstSentMicros;
  private boolean again;
  private Optional<Terms> terms = Optional.empty();
  private boolean refused;

  /**
   * @param initial number of the first packet, random, 31 bits
   * @param socket random, not zero
   */
  public Dialing(UdtSettings settings, int initial, int socket) {
    this.settings = settings;
    this.offered = initial & Packets.SEQUENCE_MASK;
    this.own = new Handshake(offered, settings.segment(), Handshake.REQUEST, socket, 0);
  }

  /** The packet to send now, if any; the caller takes it over. */
  public Optional<ByteBuf> transmit(long now, ByteBufAllocator allocator) {
    if (terms.isPresent() || refused || now < wakeUpMicros()) {
      return Optional.empty();
    }
    again = sentMicros != Long.MIN_VALUE;
    if (!again) {
      firstSentMicros = now;
    }
    sentMicros = now;
    ByteBuf packet = allocator.directBuffer(Handshake.LENGTH);
    own.write(packet, now - firstSentMicros, 0);
    return Optional.of(packet);
  }

  /** The time of the next repetition. */
  public long wakeUpMicros() {
    return sentMicros == Long.MIN_VALUE ? Long.MIN_VALUE : sentMicros + AGAIN_MICROS;
  }

  /** Handles a packet; ignores anything but an answer to the last request. */
  public void receive(long now, ByteBuf packet, int at, int length) {
    if (terms.isPresent()
        || !Handshake.isHandshake(packet, at, length)
        || Packets.socket(packet, at) != own.socket()) {
      return;
    }
    Handshake answer = Handshake.read(packet, at);
    if (answer.request() == Handshake.REFUSED) {
      refused = true;
    } else if (answer.request() == Handshake.REQUEST && own.request() == Handshake.REQUEST) {
      own = own.withRequest(Handshake.CONCLUSION, answer.cookie());
      sentMicros = Long.MIN_VALUE;
    } else if (answer.request() == Handshake.CONCLUSION
        && own.request() == Handshake.CONCLUSION
        && answer.initial() == offered
        && answer.isUsable()) {
      terms =
          Optional.of(
              new Terms(
                  offered,
                  Math.min(settings.segment(), answer.segment()),
                  own.socket(),
                  answer.socket(),
                  again ? 0 : Math.max(1, now - sentMicros)));
    }
  }

  /** The agreed terms, once the listener has answered. */
  public Optional<Terms> terms() {
    return terms;
  }

  /** Whether the listener has answered the first request. */
  public boolean isAnswered() {
    return own.request() != Handshake.REQUEST;
  }

  /** Whether the listener refuses the connection. */
  public boolean isRefused() {
    return refused;
  }
}
