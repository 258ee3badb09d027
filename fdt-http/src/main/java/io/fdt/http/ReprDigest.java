package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.RangeSet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The digest of a whole file that a server gives (Repr-Digest or Digest), and its check while
 * blocks come in any order.
 *
 * <pre>
 *   0 ---- hashed ----> next   [come]   gap   [come]        size
 * </pre>
 *
 * <p>A block that comes early is held, up to a bound of memory; beyond it, it is read again. The
 * read that completes the file throws if the digest differs, so that the file never gets a name.
 * Thread-safe.
 */
final class ReprDigest {
  /** Asks for a digest, by RFC 9530 and the older RFC 3230. */
  static final Map<String, String> WANTED =
      Map.of(
          "Want-Repr-Digest",
          "sha-512=5, sha-256=10, md5=3, crc32c=2, adler32=2",
          "Want-Digest",
          "sha-256, sha-512;q=0.9, md5;q=0.3, crc32c;q=0.2, adler32;q=0.2");

  /** Early blocks of one file; as many as 64 readers have of 1 MiB. */
  private static final long MOST_HELD = 64 << 20;

  private static final int STEP = 1 << 20;

  /** The best first. */
  private static final List<String> ALGORITHMS =
      List.of("sha-512", "sha-256", "md5", "crc32c", "adler32");

  /** Reads a part of the file again. */
  interface Again {
    void read(ByteBuf target, int length, long offset) throws FdtException;
  }

  private final String from;
  private final String algorithm;
  private final byte[] expected;
  private final WebHash hash;
  private final long size;

  // Guarded by this.
  private final RangeSet come = new RangeSet();
  private final TreeMap<Long, byte[]> held = new TreeMap<>();
  private long heldBytes;
  private long next;
  private FdtException refusal;

  private ReprDigest(String from, String algorithm, byte[] expected, long size) {
    this.from = from;
    this.algorithm = algorithm;
    this.expected = expected;
    this.hash = WebHash.of(algorithm);
    this.size = size;
  }

  /** Whether a response has a digest that can be compared. */
  static boolean isIn(HttpHeaders headers) {
    return !parse(headers).isEmpty();
  }

  /**
   * The check of the best digest in a response; null without one.
   *
   * @param from the URL, for messages
   */
  static ReprDigest of(HttpHeaders headers, String from, long size) {
    Map<String, byte[]> given = parse(headers);
    return ALGORITHMS.stream()
        .filter(given::containsKey)
        .findFirst()
        .map(algorithm -> new ReprDigest(from, algorithm, given.get(algorithm), size))
        .orElse(null);
  }

  private static Map<String, byte[]> parse(HttpHeaders headers) {
    return DigestFields.parse(
        Stream.of("Digest", "Repr-Digest").flatMap(name -> headers.allValues(name).stream()));
  }

  /**
   * Adds the last {@code length} bytes of a block.
   *
   * @throws FdtException VERIFICATION when the whole file has another digest
   */
  synchronized void add(ByteBuf block, int length, long offset, Again again) throws FdtException {
    if (refusal != null) {
      throw refusal;
    }
    long end = offset + length;
    int start = block.writerIndex() - length;
    if (end <= next) {
      return;
    }
    come.add(offset, end);
    if (offset > next) {
      if (heldBytes + length <= MOST_HELD && !held.containsKey(offset)) {
        byte[] bytes = new byte[length];
        block.getBytes(start, bytes);
        held.put(offset, bytes);
        heldBytes += length;
      }
      return;
    }
    int known = (int) (next - offset);
    update(block.nioBuffer(start + known, length - known));
    hashWhatHasCome(again);
    if (next == size && !Arrays.equals(hash.value(), expected)) {
      refusal =
          new FdtException(
              ErrorCode.VERIFICATION,
              "'%s' is not the file whose %s the server gives; ask who runs it"
                  .formatted(from, algorithm));
      throw refusal;
    }
  }

  private void update(ByteBuffer bytes) {
    next += bytes.remaining();
    hash.update(bytes);
  }

  private void hashWhatHasCome(Again again) throws FdtException {
    while (next < come.prefix()) {
      Map.Entry<Long, byte[]> first = held.firstEntry();
      if (first != null && first.getKey() <= next) {
        held.remove(first.getKey());
        heldBytes -= first.getValue().length;
        int known = (int) Math.min(first.getValue().length, next - first.getKey());
        update(ByteBuffer.wrap(first.getValue(), known, first.getValue().length - known));
        continue;
      }
      long end = Math.min(come.prefix(), first == null ? Long.MAX_VALUE : first.getKey());
      int length = (int) Math.min(STEP, end - next);
      ByteBuf step = Unpooled.buffer(length, length);
      again.read(step, length, next);
      update(step.nioBuffer());
    }
  }

  /** Drops what is held; it is read again if it is needed. */
  synchronized void release() {
    held.clear();
    heldBytes = 0;
  }
}
