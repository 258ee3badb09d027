package io.fdt.core.digest;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Supplier;

/**
 * A tree of two levels: the hash of a file is the hash of the concatenated hashes of its chunks.
 */
record FlatHash(int length, Supplier<Plain> plain) implements TreeHash {
  static final FlatHash SHA256 = new FlatHash(32, () -> new OfPlatform("SHA-256"));
  static final FlatHash SHA1 = new FlatHash(20, () -> new OfPlatform("SHA-1"));
  static final FlatHash MD5 = new FlatHash(16, () -> new OfPlatform("MD5"));
  static final FlatHash XXH3 = new FlatHash(16, Xxh3::new);

  /** A hash of bytes in order. */
  interface Plain {
    void update(byte[] bytes, int at, int length);

    /** Writes the hash to {@code out}, and starts over. */
    void finish(byte[] out, int at);
  }

  @Override
  public boolean dependsOnPlace() {
    return false;
  }

  @Override
  public Leaf leaf() {
    Plain hash = plain.get();
    return new Leaf() {
      @Override
      public void begin(long offset, int length, boolean only) {
        // The hash of a chunk does not depend on its place.
      }

      @Override
      public void update(byte[] bytes, int length) {
        hash.update(bytes, 0, length);
      }

      @Override
      public void finish(byte[] out, int at) {
        hash.finish(out, at);
      }
    };
  }

  @Override
  public Root root() {
    Plain hash = plain.get();
    return new Root() {
      @Override
      public void add(byte[] hashes, int at, boolean last) {
        hash.update(hashes, at, length);
      }

      @Override
      public byte[] value() {
        byte[] value = new byte[length];
        hash.finish(value, 0);
        return value;
      }
    };
  }

  /** A hash that every Java platform has. */
  private static final class OfPlatform implements Plain {
    private final MessageDigest digest;

    OfPlatform(String name) {
      try {
        digest = MessageDigest.getInstance(name);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has " + name, e);
      }
    }

    @Override
    public void update(byte[] bytes, int at, int length) {
      digest.update(bytes, at, length);
    }

    @Override
    public void finish(byte[] out, int at) {
      try {
        digest.digest(out, at, digest.getDigestLength());
      } catch (DigestException e) {
        throw new IllegalStateException("no room for a hash at " + at + " of " + out.length, e);
      }
    }
  }

  /** XXH3 with 128 bits, in its canonical form: the most significant byte first. */
  private static final class Xxh3 implements Plain {
    private final HashStream128 stream = Hashing.xxh3_128().hashStream();

    @Override
    public void update(byte[] bytes, int at, int length) {
      stream.putBytes(bytes, at, length);
    }

    @Override
    public void finish(byte[] out, int at) {
      HashValue128 value = stream.get();
      ByteBuffer.wrap(out)
          .putLong(at, value.getMostSignificantBits())
          .putLong(at + Long.BYTES, value.getLeastSignificantBits());
      stream.reset();
    }
  }
}
