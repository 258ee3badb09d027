package io.fdt.core.digest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * BLAKE3, a tree with leaves of 1024 bytes. FDT's chunks are a power of two of leaves, so they are
 * whole subtrees, and the hash of a file equals that of other programs for any chunk size.
 */
final class Blake3 implements TreeHash {
  static final Blake3 HASH = new Blake3();

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** The most subtrees that wait for their right neighbour: one for each height. */
  private static final int MAX_HEIGHT = 64;

  private Blake3() {}

  @Override
  public int length() {
    return Blake3Compression.WORDS * Integer.BYTES;
  }

  @Override
  public boolean dependsOnPlace() {
    return true;
  }

  @Override
  public Leaf leaf() {
    return new Subtree();
  }

  @Override
  public Root root() {
    return new Top();
  }

  /** Subtrees from the left that wait for a right neighbour of their height. */
  private static final class Stack {
    private final int[] values = new int[MAX_HEIGHT * Blake3Compression.WORDS];
    private final int[] message = new int[2 * Blake3Compression.WORDS];
    private final int[] key = new int[Blake3Compression.WORDS];
    private int height;
    private long added;

    Stack() {
      Blake3Compression.begin(key);
    }

    void clear() {
      height = 0;
      added = 0;
    }

    /** Adds the next subtree, which is not the last one. */
    void push(int[] value) {
      added++;
      for (long rest = added; (rest & 1) == 0; rest >>>= 1) {
        join(value, 0);
      }
      System.arraycopy(
          value, 0, values, height++ * Blake3Compression.WORDS, Blake3Compression.WORDS);
    }

    /** Joins all subtrees and {@code value}, the last one. */
    void fold(int[] value, int rootFlag) {
      while (height > 0) {
        join(value, height == 1 ? rootFlag : 0);
      }
    }

    /** Replaces {@code value} by the parent of the top subtree and of {@code value}. */
    private void join(int[] value, int flag) {
      height--;
      System.arraycopy(
          values, height * Blake3Compression.WORDS, message, 0, Blake3Compression.WORDS);
      System.arraycopy(value, 0, message, Blake3Compression.WORDS, Blake3Compression.WORDS);
      Blake3Compression.compress(
          key, message, 0, Blake3Compression.BLOCK, Blake3Compression.PARENT | flag, value, 0);
    }
  }

  /** One chunk of a file. */
  private static final class Subtree implements Leaf {
    private final Stack stack = new Stack();
    private final int[] value = new int[Blake3Compression.WORDS];
    private final int[] message = new int[2 * Blake3Compression.WORDS];
    private final byte[] tail = new byte[Blake3Compression.BLOCK];
    private long counter;
    private long last;
    private int rootFlag;

    @Override
    public void begin(long offset, int length, boolean only) {
      stack.clear();
      counter = offset / UNIT;
      last = counter + Math.max(0, length - 1) / UNIT;
      rootFlag = only ? Blake3Compression.ROOT : 0;
      if (length == 0) {
        unit(tail, 0, 0);
      }
    }

    @Override
    public void update(byte[] bytes, int length) {
      for (int at = 0; at < length; at += UNIT) {
        unit(bytes, at, Math.min(UNIT, length - at));
      }
    }

    /** A leaf of BLAKE3's own tree. */
    private void unit(byte[] bytes, int start, int length) {
      boolean alone = counter == last && stack.height == 0;
      Blake3Compression.begin(value);
      int flags = Blake3Compression.CHUNK_START;
      int at = 0;
      while (length - at > Blake3Compression.BLOCK) {
        load(bytes, start + at);
        Blake3Compression.compress(
            value, message, counter, Blake3Compression.BLOCK, flags, value, 0);
        flags = 0;
        at += Blake3Compression.BLOCK;
      }
      loadTail(bytes, start + at, length - at);
      flags |= Blake3Compression.CHUNK_END | (alone ? rootFlag : 0);
      Blake3Compression.compress(value, message, counter, length - at, flags, value, 0);
      if (counter < last) {
        stack.push(value);
      }
      counter++;
    }

    private void load(byte[] bytes, int at) {
      for (int i = 0; i < message.length; i++) {
        message[i] = (int) INTS.get(bytes, at + i * Integer.BYTES);
      }
    }

    private void loadTail(byte[] bytes, int at, int length) {
      if (length == Blake3Compression.BLOCK) {
        load(bytes, at);
        return;
      }
      Arrays.fill(tail, (byte) 0);
      System.arraycopy(bytes, at, tail, 0, length);
      load(tail, 0);
    }

    @Override
    public void finish(byte[] out, int at) {
      stack.fold(value, rootFlag);
      store(value, out, at);
    }
  }

  /** The tree above the chunks. */
  private static final class Top implements Root {
    private final Stack stack = new Stack();
    private final int[] value = new int[Blake3Compression.WORDS];
    private boolean empty = true;

    @Override
    public void add(byte[] hashes, int at, boolean last) {
      empty = false;
      for (int i = 0; i < value.length; i++) {
        value[i] = (int) INTS.get(hashes, at + i * Integer.BYTES);
      }
      if (last) {
        stack.fold(value, Blake3Compression.ROOT);
      } else {
        stack.push(value);
      }
    }

    @Override
    public byte[] value() {
      byte[] out = new byte[HASH.length()];
      if (empty) {
        Leaf nothing = HASH.leaf();
        nothing.begin(0, 0, true);
        nothing.finish(out, 0);
      } else {
        store(value, out, 0);
      }
      return out;
    }
  }

  private static void store(int[] value, byte[] out, int at) {
    for (int i = 0; i < value.length; i++) {
      INTS.set(out, at + i * Integer.BYTES, value[i]);
    }
  }
}
