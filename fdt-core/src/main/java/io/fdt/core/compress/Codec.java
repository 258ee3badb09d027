package io.fdt.core.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.fdt.core.model.Compression;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/** A format of compressed payloads, with its code on the wire. Thread-safe; buffers are direct. */
enum Codec {
  /** A frame of RFC 8878. */
  ZSTD(1, Compression.Method.ZSTD) {
    @Override
    int encode(ByteBuffer plain, ByteBuffer encoded, int level) {
      try {
        return Math.toIntExact(
            Zstd.compressDirectByteBuffer(
                encoded,
                encoded.position(),
                encoded.remaining(),
                plain,
                plain.position(),
                plain.remaining(),
                level));
      } catch (ZstdException e) {
        return TOO_LONG;
      }
    }

    @Override
    int decode(ByteBuffer encoded, ByteBuffer plain) {
      try {
        return Math.toIntExact(
            Zstd.decompressDirectByteBuffer(
                plain,
                plain.position(),
                plain.remaining(),
                encoded,
                encoded.position(),
                encoded.remaining()));
      } catch (ZstdException e) {
        return DAMAGED;
      }
    }
  },

  /** One block of the LZ4 block format, without a frame. */
  LZ4(2, Compression.Method.LZ4) {
    @Override
    int encode(ByteBuffer plain, ByteBuffer encoded, int level) {
      try {
        return LZ4Factory.fastestInstance()
            .fastCompressor()
            .compress(
                plain,
                plain.position(),
                plain.remaining(),
                encoded,
                encoded.position(),
                encoded.remaining());
      } catch (LZ4Exception e) {
        return TOO_LONG;
      }
    }

    @Override
    int decode(ByteBuffer encoded, ByteBuffer plain) {
      try {
        return LZ4Factory.fastestInstance()
            .safeDecompressor()
            .decompress(
                encoded,
                encoded.position(),
                encoded.remaining(),
                plain,
                plain.position(),
                plain.remaining());
      } catch (LZ4Exception e) {
        return DAMAGED;
      }
    }
  },

  /** RFC 1951, without a wrapper. */
  DEFLATE(3, Compression.Method.DEFLATE) {
    @Override
    int encode(ByteBuffer plain, ByteBuffer encoded, int level) {
      Deflater deflater = new Deflater(level, true);
      try {
        deflater.setInput(plain);
        deflater.finish();
        int length = deflater.deflate(encoded);
        return deflater.finished() ? length : TOO_LONG;
      } finally {
        deflater.end();
      }
    }

    @Override
    int decode(ByteBuffer encoded, ByteBuffer plain) {
      Inflater inflater = new Inflater(true);
      try {
        inflater.setInput(encoded);
        int length = inflater.inflate(plain);
        // When the output buffer is full, only the end of the stream may follow.
        boolean ended = inflater.finished() || inflater.inflate(new byte[1]) == 0;
        return ended && inflater.finished() && inflater.getRemaining() == 0 ? length : DAMAGED;
      } catch (DataFormatException e) {
        return DAMAGED;
      } finally {
        inflater.end();
      }
    }
  };

  static final int TOO_LONG = -1;
  static final int DAMAGED = -1;

  private final int wireCode;
  private final Compression.Method method;

  Codec(int wireCode, Compression.Method method) {
    this.wireCode = wireCode;
    this.method = method;
  }

  /** The encoding in a frame's header. */
  int wireCode() {
    return wireCode;
  }

  /**
   * @param method neither off nor auto
   */
  static Codec of(Compression.Method method) {
    for (Codec codec : values()) {
      if (codec.method == method) {
        return codec;
      }
    }
    throw new IllegalArgumentException(method + " is not a format");
  }

  /** The codec of a code; null for an unknown code. */
  static Codec ofWireCode(int code) {
    for (Codec codec : values()) {
      if (codec.wireCode == code) {
        return codec;
      }
    }
    return null;
  }

  /**
   * Compresses all of {@code plain} into {@code encoded}, from their positions, which may move.
   *
   * @return bytes written, or {@link #TOO_LONG} when the result does not fit
   * @throws LinkageError when the library of this format does not run on this machine
   */
  abstract int encode(ByteBuffer plain, ByteBuffer encoded, int level);

  /**
   * Decompresses all of {@code encoded} into {@code plain}, never beyond its limit, whatever the
   * bytes say.
   *
   * @return bytes written, or {@link #DAMAGED}
   * @throws LinkageError when the library of this format does not run on this machine
   */
  abstract int decode(ByteBuffer encoded, ByteBuffer plain);
}
