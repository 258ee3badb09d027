package io.fdt.udt.protocol.packet;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * AES-128-GCM for each packet. The number counts packets sent by this end: a retransmission has
 * another number, so that no nonce is used twice.
 *
 * <pre>
 *   header (16) | payload, encrypted | tag (16) | number (8)
 *   nonce = salt of the direction (4) | number      associated data = header
 * </pre>
 */
public final class Sealing extends Protection {
  private static final int TAG = 16;
  private static final int NUMBER = Long.BYTES;

  /** Bytes added to a packet. */
  public static final int OVERHEAD = TAG + NUMBER;

  /** The longest packet of any connection. */
  private static final int MOST_PACKET = 65_535;

  /** The most blocks per key, 550 GB (RFC 9001, B.1: 2^28 packets of 2^11 bytes). */
  public static final long MOST_BLOCKS = 1L << 35;

  private static final int BLOCK = 16;
  private static final VarHandle NUMBERS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final PacketKeys.Direction out;
  private final PacketKeys.Direction in;
  private final Cipher sealer = cipher();
  private final Cipher opener = cipher();
  private final SeenNumbers seen = new SeenNumbers();
  private final byte[] nonce = new byte[PacketKeys.SALT + NUMBER];
  private byte[] from = new byte[2048];
  private byte[] to = new byte[2048];
  private long number;
  private long blocks;

  public Sealing(PacketKeys keys) {
    this(keys, 0);
  }

  /**
   * @param blocks encrypted with these keys before
   */
  public Sealing(PacketKeys keys, long blocks) {
    this.out = keys.out();
    this.in = keys.in();
    this.blocks = blocks;
  }

  private static Cipher cipher() {
    try {
      return Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no AES-GCM", e);
    }
  }

  @Override
  public int overhead() {
    return OVERHEAD;
  }

  @Override
  public boolean isUsedUp() {
    return blocks >= MOST_BLOCKS;
  }

  @Override
  public void append(ByteBuf packet, int at, int length, ByteBuf sealed) {
    makeRoom(length + OVERHEAD);
    packet.getBytes(at, from, 0, length);
    number++;
    blocks += length / BLOCK + 2;
    try {
      start(sealer, Cipher.ENCRYPT_MODE, out, number);
      int count = length - Packets.HEADER;
      int made = sealer.doFinal(from, Packets.HEADER, count, to, Packets.HEADER);
      sealed.writeBytes(from, 0, Packets.HEADER).writeBytes(to, Packets.HEADER, made);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM failed", e); // nothing of the packet has left
    }
    sealed.writeLong(number);
  }

  @Override
  public int open(ByteBuf packet, int at, int length) {
    int end = length - NUMBER;
    if (end < Packets.HEADER + TAG || length > MOST_PACKET) {
      return -1;
    }
    long which = packet.getLong(at + end);
    if (!seen.isNew(which)) {
      return -1;
    }
    makeRoom(length);
    packet.getBytes(at, from, 0, end);
    try {
      start(opener, Cipher.DECRYPT_MODE, in, which);
      int count = opener.doFinal(from, Packets.HEADER, end - Packets.HEADER, to, 0);
      packet.setBytes(at + Packets.HEADER, to, 0, count);
      seen.add(which);
      return Packets.HEADER + count;
    } catch (GeneralSecurityException e) {
      return -1; // another tag
    }
  }

  private void start(Cipher cipher, int mode, PacketKeys.Direction keys, long which)
      throws GeneralSecurityException {
    System.arraycopy(keys.salt(), 0, nonce, 0, PacketKeys.SALT);
    NUMBERS.set(nonce, PacketKeys.SALT, which);
    cipher.init(mode, keys.key(), new GCMParameterSpec(TAG * Byte.SIZE, nonce));
    cipher.updateAAD(from, 0, Packets.HEADER);
  }

  private void makeRoom(int bytes) {
    if (bytes > from.length) {
      from = new byte[bytes];
      to = new byte[bytes];
    }
  }
}
