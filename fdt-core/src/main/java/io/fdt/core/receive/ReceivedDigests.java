package io.fdt.core.receive;

import io.fdt.core.digest.BlockHasher;
import io.fdt.core.digest.ChunkedDigest;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Crc32c;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Computes digests at the receiver: of bytes to be written, and of bytes read back.
 *
 * <p>Thread-safe; called on disk threads.
 */
final class ReceivedDigests {
  /** Bytes read back at a time: a multiple of every chunk size. */
  static final int STEP = DigestMethod.MAX_CHUNK;

  /**
   * Bytes of a hole hashed at a time, without reading: 2 KiB of hashes. With BLAKE3, whose hashes
   * depend on the place of a chunk, this takes 0.1 s.
   */
  static final int STEP_OF_HOLES = 64 * DigestMethod.MAX_CHUNK;

  private static final byte[] NONE = {};

  private final DigestMethod method;
  private final CheckMeter checks;
  private final ThreadLocal<BlockHasher> hashers;

  ReceivedDigests(DigestMethod method, CheckMeter checks) {
    this.method = method;
    this.checks = checks;
    this.hashers = ThreadLocal.withInitial(() -> new BlockHasher(method));
  }

  /** Bytes of a digest in the record of each file in a pack. */
  int packedLength() {
    return method.packedLength();
  }

  /** The hashes of the chunks of a block in memory; empty without a chunked digest. */
  byte[] ofBlock(ByteBuf block, long offset, long size) {
    return method.isOfChunks()
        ? hashers.get().chunks(block, block.readerIndex(), block.readableBytes(), offset, size)
        : NONE;
  }

  /** The hashes of the chunks of a hole, at most {@link #STEP_OF_HOLES} bytes long. */
  byte[] ofHole(long offset, int length, long size) {
    byte[] hashes = hashers.get().zeros(length, offset, size);
    checks.add(length);
    return hashes;
  }

  /** The digest of a small file in memory; empty without a digest. */
  byte[] ofFile(ByteBuf bytes) {
    return hashers.get().whole(bytes, bytes.readerIndex(), bytes.readableBytes());
  }

  /** The hashes of the chunks of a written range, at most {@link #STEP} bytes long. */
  byte[] ofWritten(ReceivedFileWriter file, long offset, int length) throws FdtException {
    ByteBuf buffer = Unpooled.directBuffer(length, length);
    try {
      readBack(file, buffer, offset, length);
      return ofBlock(buffer, offset, file.size());
    } finally {
      buffer.release();
    }
  }

  /**
   * Reads all of a file back from its device and compares it.
   *
   * @throws FdtException VERIFICATION when it differs
   */
  void verify(ReceivedFileWriter file, byte[] expected) throws FdtException {
    file.forget(checks::add);
    byte[] found = ofWritten(file);
    if (!Arrays.equals(found, expected)) {
      throw new FdtException(
          ErrorCode.VERIFICATION,
          "verification failed: '%s' has %s %s on its device, %s was written: not kept"
              .formatted(file.path(), method.construction(), hex(found), hex(expected)));
    }
  }

  /** Reads a whole piece of a file into an empty buffer. */
  interface Content {
    void read(ByteBuf target, int length, long offset) throws FdtException;
  }

  private byte[] ofWritten(ReceivedFileWriter file) throws FdtException {
    return of(file.size(), (target, length, at) -> readBack(file, target, at, length));
  }

  /** The digest of a whole file, read from its start to its end. */
  byte[] of(long size, Content content) throws FdtException {
    int step = Math.toIntExact(Math.min(STEP, size));
    ByteBuf buffer = Unpooled.directBuffer(step, step);
    try {
      ChunkedDigest chunks = method.isOfChunks() ? new ChunkedDigest(method, size) : null;
      Crc32c crc = new Crc32c();
      for (long at = 0; at < size; at += step) {
        int length = Math.toIntExact(Math.min(step, size - at));
        content.read(buffer.clear(), length, at);
        if (chunks == null) {
          crc.update(buffer, 0, length);
        } else {
          chunks.add(at, ofBlock(buffer, at, size));
        }
      }
      return chunks == null ? BlockHasher.ofCrc(crc.value()) : chunks.value();
    } finally {
      buffer.release();
    }
  }

  private void readBack(ReceivedFileWriter file, ByteBuf buffer, long offset, int length)
      throws FdtException {
    int read;
    try {
      read = file.read(buffer, length, offset);
    } catch (FdtException e) {
      // Unreadable bytes count as not written: the session must not keep them.
      throw e.code() == ErrorCode.IO
          ? new FdtException(
              ErrorCode.VERIFICATION, "verification failed: " + e.getMessage() + ": not kept", e)
          : e;
    }
    if (read < length) {
      throw new FdtException(
          ErrorCode.VERIFICATION,
          "verification failed: '%s' has %d bytes on its device, %d were written: not kept"
              .formatted(file.path(), offset + read, file.size()));
    }
    checks.add(length);
  }

  private static String hex(byte[] digest) {
    return HexFormat.of().formatHex(digest);
  }
}
