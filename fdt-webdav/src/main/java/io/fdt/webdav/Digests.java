package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.storage.FileVersion;
import io.fdt.core.storage.ListedFile;
import io.fdt.http.DigestFields;
import io.fdt.http.WebHash;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http.HttpHeaders;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Digests of whole files that clients ask for, by RFC 9530 (Want-Repr-Digest) and RFC 3230
 * (Want-Digest). The last ones are remembered by the version of their file. Any thread.
 */
final class Digests {
  /** The best first, for a client that likes several equally. */
  private static final List<String> ALGORITHMS = List.of("crc32c", "adler32", "sha-256", "md5");

  private static final Pattern WANTED =
      Pattern.compile("([A-Za-z0-9-]+)\\s*(?:(?:=|;\\s*q=)\\s*([0-9.]{1,5}))?");

  /** Digests that are remembered, of about 200 bytes each. */
  private static final int MOST_KEPT = 4096;

  private static final int STEP = 1 << 20;

  private record Key(FileVersion version, String algorithm) {}

  private final Map<Key, byte[]> known =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, byte[]> eldest) {
          return size() > MOST_KEPT;
        }
      };

  /** The wanted algorithm: the one with the highest preference; empty for none that is known. */
  static Optional<String> wanted(HttpHeaders headers, String name) {
    Matcher each = WANTED.matcher(String.join(",", headers.getAll(name)));
    String best = null;
    double most = 0;
    while (each.find()) {
      String algorithm = each.group(1).toLowerCase(Locale.ROOT);
      double likes = each.group(2) == null ? 1 : likes(each.group(2));
      boolean isBetter =
          likes > most
              || (likes == most
                  && best != null
                  && ALGORITHMS.indexOf(algorithm) < ALGORITHMS.indexOf(best));
      if (ALGORITHMS.contains(algorithm) && isBetter) {
        best = algorithm;
        most = likes;
      }
    }
    return Optional.ofNullable(best);
  }

  private static double likes(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Whether a client asks for a digest. */
  static boolean areWanted(HttpHeaders headers) {
    return wanted(headers, "Want-Repr-Digest").isPresent()
        || wanted(headers, "Want-Digest").isPresent();
  }

  /** Adds the digests that a client asks for to an answer; reads the file unless they are known. */
  void add(Exchange exchange, ListedFile file, FileState state, HttpHeaders answer)
      throws FdtException, InterruptedException {
    Optional<String> wanted = wanted(exchange.headers(), "Want-Repr-Digest");
    if (wanted.isPresent()) {
      byte[] value = value(exchange, file, state, wanted.get());
      answer.set(
          "Repr-Digest", wanted.get() + "=:" + Base64.getEncoder().encodeToString(value) + ":");
    }
    wanted = wanted(exchange.headers(), "Want-Digest");
    if (wanted.isPresent()) {
      answer.set("Digest", text(wanted.get(), value(exchange, file, state, wanted.get())));
    }
  }

  /** A value of Digest: checksums in hexadecimal digits, hashes in base64. */
  static String text(String algorithm, byte[] value) {
    return algorithm
        + "="
        + (value.length == 4
            ? HexFormat.of().formatHex(value)
            : Base64.getEncoder().encodeToString(value));
  }

  /**
   * Compares a file with a digest that another server gives of it.
   *
   * @param headers of the other server's answer
   * @throws FdtException VERIFICATION when they differ, or there is none
   */
  void compare(
      Exchange exchange, ListedFile file, FileState state, HttpHeaders headers, RequestPath path)
      throws FdtException, InterruptedException {
    Map<String, byte[]> given =
        DigestFields.parse(
            Stream.of("Repr-Digest", "Digest").flatMap(name -> headers.getAll(name).stream()));
    for (String algorithm : ALGORITHMS) {
      byte[] other = given.get(algorithm);
      if (other != null) {
        if (!MessageDigest.isEqual(other, value(exchange, file, state, algorithm))) {
          throw new FdtException(
              ErrorCode.VERIFICATION,
              "the other server has another %s of '%s'; copy it again"
                  .formatted(algorithm, path.path()));
        }
        return;
      }
    }
    throw new FdtException(
        ErrorCode.VERIFICATION,
        "the other server gives no digest of '%s'; use RequireChecksumVerification: false"
            .formatted(path.path()));
  }

  private void keep(FileVersion version, String algorithm, byte[] value) {
    synchronized (known) {
      known.put(new Key(version, algorithm), value);
    }
  }

  private byte[] value(Exchange exchange, ListedFile file, FileState state, String algorithm)
      throws FdtException, InterruptedException {
    Key key = new Key(state.version(), algorithm);
    synchronized (known) {
      byte[] value = known.get(key);
      if (value != null) {
        return value;
      }
    }
    WebHash hash = WebHash.of(algorithm);
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(STEP);
    try {
      int read = STEP;
      for (long offset = 0; read == STEP; offset += read) {
        read = Math.max(0, file.read(block.clear(), STEP, offset));
        hash.update(block.nioBuffer());
        exchange.checkStays();
      }
    } finally {
      block.release();
    }
    byte[] value = hash.value();
    if (state.isSettled()) {
      keep(state.version(), algorithm, value);
    }
    return value;
  }
}
