package io.fdt.core.storage.synthetic;

import io.fdt.core.model.FileName;
import io.netty.buffer.ByteBuf;

/**
 * The bytes of a file that exists nowhere: each 8-byte word tells its own offset and the name of
 * the file.
 *
 * <p>The word at offset o, a multiple of 8, is (o + hash of the name) times an odd number, most
 * significant byte first. Data that lands at a wrong offset or in a wrong file is seen. Immutable.
 */
public final class SyntheticContent {
  private static final int WORD = Long.BYTES;
  private static final long ODD = 0x9E3779B97F4A7C15L;

  private final long seed;

  private SyntheticContent(long seed) {
    this.seed = seed;
  }

  /** The content of the file of this name. */
  public static SyntheticContent of(FileName name) {
    long seed = 1;
    for (byte b : name.bytes()) {
      seed = (seed + (b & 0xFF)) * ODD;
    }
    return new SyntheticContent(seed);
  }

  /** The byte at an offset. */
  public byte at(long offset) {
    int index = (int) (offset & (WORD - 1));
    return (byte) (word(offset - index) >>> (56 - 8 * index));
  }

  private long word(long offset) {
    return (offset + seed) * ODD;
  }

  /**
   * Appends {@code length} bytes of the content from {@code offset} on to a buffer that has room
   * for them.
   */
  public void appendTo(ByteBuf target, int length, long offset) {
    long at = offset;
    long end = offset + length;
    while (at < end && (at & (WORD - 1)) != 0) {
      target.writeByte(at(at++));
    }
    for (; end - at >= WORD; at += WORD) {
      target.writeLong(word(at));
    }
    while (at < end) {
      target.writeByte(at(at++));
    }
  }

  /**
   * The offset of the first readable byte of a buffer that is not the content from {@code offset}
   * on; -1 if all are.
   */
  public long firstDifference(ByteBuf source, long offset) {
    int index = source.readerIndex();
    int end = source.writerIndex();
    long at = offset;
    while (index < end) {
      boolean whole = (at & (WORD - 1)) == 0 && end - index >= WORD;
      if (whole && source.getLong(index) == word(at)) {
        index += WORD;
        at += WORD;
      } else if (source.getByte(index) == at(at)) {
        index++;
        at++;
      } else {
        return at;
      }
    }
    return -1;
  }
}
