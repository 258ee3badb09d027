package io.fdt.udt.protocol.path;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Protection;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;

/**
 * Checks whether packets of a connection from another address are from its peer, whose address may
 * have changed (NAT rebinding): only the peer can answer a challenge.
 *
 * <pre>
 *   packet from elsewhere --> challenge to there --> proof from there: the peer is there now
 * </pre>
 *
 * <p>A challenge is at most as long as the packet before it, and only one is outstanding, so that a
 * third host cannot be flooded. Pure; not thread-safe.
 */
public final class PathMove {
  private static final long PAUSE_MICROS = 100_000;
  private static final long VALID_MICROS = 3_000_000;
  private static final int CHALLENGE_LENGTH = Packets.HEADER + Integer.BYTES;
  private static final int ANSWER_LENGTH = CHALLENGE_LENGTH + PathKey.PROOF_LENGTH;

  private final Terms terms;
  private final PathKey key;
  private final Protection protection;
  private Object asked;
  private long challenge;
  private long askedMicros = Long.MIN_VALUE / 2;

  /**
   * @param terms of the connection
   * @param protection of its packets
   */
  public PathMove(Terms terms, PathKey key, Protection protection) {
    this.terms = terms;
    this.protection = protection;
    this.key = key;
  }

  /**
   * The reaction to a packet from another address.
   *
   * @param challenge a packet to send there, which the caller takes over
   * @param isPeer whether the peer is there now
   */
  public record Outcome(Optional<ByteBuf> challenge, boolean isPeer) {
    private static final Outcome NOTHING = new Outcome(Optional.empty(), false);
    private static final Outcome PROVEN = new Outcome(Optional.empty(), true);
  }

  /**
   * Handles a packet with the socket id of the connection from another address than the peer's.
   *
   * @param from the address, for comparison
   * @param random unpredictable, for a challenge
   */
  public Outcome receive(
      long now,
      Object from,
      ByteBuf packet,
      int at,
      int datagramLength,
      long random,
      ByteBufAllocator allocator) {
    int length = protection.open(packet, at, datagramLength);
    if (length < CHALLENGE_LENGTH) {
      return Outcome.NOTHING;
    }
    boolean isAnswer =
        length == ANSWER_LENGTH
            && Packets.isControl(packet, at)
            && Packets.type(packet, at) == Packets.PATH_ANSWER;
    if (isAnswer) {
      return isProof(now, from, packet, at) ? Outcome.PROVEN : Outcome.NOTHING;
    }
    if (now - askedMicros < PAUSE_MICROS) {
      return Outcome.NOTHING;
    }
    asked = from;
    askedMicros = now;
    challenge = random;
    ByteBuf question = allocator.directBuffer(CHALLENGE_LENGTH);
    Packets.control(question, Packets.PATH_CHALLENGE, (int) (random >>> 32), 0, terms.peerSocket());
    question.writeInt((int) random);
    return new Outcome(Optional.of(protect(question, allocator)), false);
  }

  private boolean isProof(long now, Object from, ByteBuf packet, int at) {
    if (!from.equals(asked) || now - askedMicros > VALID_MICROS) {
      return false;
    }
    byte[] proof = new byte[PathKey.PROOF_LENGTH];
    packet.getBytes(at + Packets.HEADER + Integer.BYTES, proof);
    return challengeOf(packet, at) == challenge
        && key.isProof(proof, challenge, terms.ownSocket(), terms.peerSocket());
  }

  /** The answer of the peer to a challenge, or nothing to any other packet. */
  public Optional<ByteBuf> answer(ByteBuf packet, int at, int length, ByteBufAllocator allocator) {
    boolean isChallenge =
        length == CHALLENGE_LENGTH + protection.overhead()
            && Packets.isControl(packet, at)
            && Packets.type(packet, at) == Packets.PATH_CHALLENGE;
    if (!isChallenge || protection.open(packet, at, length) < 0) {
      return Optional.empty();
    }
    long asks = challengeOf(packet, at);
    ByteBuf answer = allocator.directBuffer(ANSWER_LENGTH);
    Packets.control(answer, Packets.PATH_ANSWER, (int) (asks >>> 32), 0, terms.peerSocket());
    answer.writeInt((int) asks);
    answer.writeBytes(key.proof(asks, terms.peerSocket(), terms.ownSocket()));
    return Optional.of(protect(answer, allocator));
  }

  private static long challengeOf(ByteBuf packet, int at) {
    return (long) Packets.additional(packet, at) << 32 | packet.getUnsignedInt(at + Packets.HEADER);
  }

  private ByteBuf protect(ByteBuf packet, ByteBufAllocator allocator) {
    int length = packet.readableBytes();
    ByteBuf whole = allocator.directBuffer(length + protection.overhead());
    protection.append(packet, packet.readerIndex(), length, whole);
    packet.release();
    return whole;
  }
}
