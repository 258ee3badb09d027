package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.http.DigestFields;
import io.fdt.http.WebHash;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.security.MessageDigest;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The digests that a message announces of its bytes, and their check. Not thread-safe. */
final class BodyDigests {
  private final Map<String, byte[]> expected;
  private final Map<String, WebHash> hashes = new TreeMap<>();

  private BodyDigests(Map<String, byte[]> expected) {
    this.expected = expected;
    expected.keySet().forEach(algorithm -> hashes.put(algorithm, WebHash.of(algorithm)));
  }

  /** The digests in these headers; none where they have none that is known. */
  static BodyDigests of(HttpHeaders headers, String... names) {
    return new BodyDigests(
        DigestFields.parse(Stream.of(names).flatMap(name -> headers.getAll(name).stream())));
  }

  boolean isEmpty() {
    return expected.isEmpty();
  }

  /** Adds the readable bytes, in order. */
  void update(ByteBuf bytes) {
    hashes.values().forEach(hash -> hash.update(bytes.nioBuffer()));
  }

  /**
   * Compares, once, at the end.
   *
   * @throws FdtException VERIFICATION
   */
  void check(RequestPath path) throws FdtException {
    for (Map.Entry<String, WebHash> hash : hashes.entrySet()) {
      if (!MessageDigest.isEqual(hash.getValue().value(), expected.get(hash.getKey()))) {
        throw new FdtException(
            ErrorCode.VERIFICATION,
            "the bytes of '%s' are not those whose %s came with them; send them again"
                .formatted(path.path(), hash.getKey()));
      }
    }
  }
}
