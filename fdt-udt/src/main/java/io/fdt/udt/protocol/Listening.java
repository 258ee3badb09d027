package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.Cookies;
import io.fdt.udt.protocol.packet.Handshake;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;

/**
 * The handshake of the listening end. It answers a request with a cookie, in a packet as long as
 * the request, and keeps no state; a peer that returns the cookie has proven its address. Pure; not
 * thread-safe.
 */
public final class Listening {
  private final UdtSettings settings;
  private final Cookies cookies;

  /**
   * @param settings the segment size and window of this end; the client may have smaller ones
   */
  public Listening(UdtSettings settings, Cookies cookies) {
    this.settings = settings;
    this.cookies = cookies;
  }

  /**
   * The outcome of a packet to the listener.
   *
   * @param reply a packet to send back, which the caller takes over
   * @param proven a handshake with a proven address, which may become a connection
   */
  public record Outcome(Optional<ByteBuf> reply, Optional<Handshake> proven) {
    private static final Outcome NOTHING = new Outcome(Optional.empty(), Optional.empty());
  }

  /**
   * Handles a packet with socket id zero.
   *
   * @param address of its sender, with its port
   */
  public Outcome receive(
      long now,
      byte[] address,
      int port,
      ByteBuf packet,
      int at,
      int length,
      ByteBufAllocator allocator) {
    if (!Handshake.isHandshake(packet, at, length)) {
      return Outcome.NOTHING;
    }
    Handshake request = Handshake.read(packet, at);
    if (!request.isUsable()) {
      return Outcome.NOTHING;
    }
    if (request.request() == Handshake.REQUEST) {
      int cookie = cookies.make(address, port, now);
      return reply(request.withRequest(Handshake.REQUEST, cookie), request.socket(), allocator);
    }
    if (request.request() == Handshake.CONCLUSION
        && cookies.isValid(request.cookie(), address, port, now)) {
      return new Outcome(Optional.empty(), Optional.of(request));
    }
    return Outcome.NOTHING;
  }

  /** Refuses a proven handshake. */
  public static ByteBuf refuse(Handshake request, ByteBufAllocator allocator) {
    return packet(
        request.withRequest(Handshake.REFUSED, request.cookie()), request.socket(), allocator);
  }

  /**
   * The terms of a connection for a proven handshake.
   *
   * @param socket id of this end, random, not zero, unique
   */
  public Terms accept(Handshake request, int socket) {
    return new Terms(
        request.initial(),
        Math.min(settings.segment(), request.segment()),
        socket,
        request.socket(),
        0);
  }

  /** The answer with these terms, sent for each repetition of the handshake. */
  public ByteBuf answer(Terms terms, Handshake request, ByteBufAllocator allocator) {
    Handshake answer =
        new Handshake(
            terms.initial(),
            terms.segment(),
            Handshake.CONCLUSION,
            terms.ownSocket(),
            request.cookie());
    return packet(answer, terms.peerSocket(), allocator);
  }

  private static Outcome reply(Handshake answer, int destination, ByteBufAllocator allocator) {
    return new Outcome(Optional.of(packet(answer, destination, allocator)), Optional.empty());
  }

  private static ByteBuf packet(Handshake answer, int destination, ByteBufAllocator allocator) {
    ByteBuf packet = allocator.directBuffer(Handshake.LENGTH);
    answer.write(packet, 0, destination);
    return packet;
  }
}
