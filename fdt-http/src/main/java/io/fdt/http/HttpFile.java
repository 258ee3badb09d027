package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.storage.catalogue.Catalogue;
import io.netty.buffer.ByteBuf;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * One file that is read in blocks, each by a request for its range. All blocks are of one version:
 * that of the first response, which each later one must have too.
 *
 * <pre>
 *   first block --- 206 ---> each block by its own request (Range, If-Range), many at once
 *        |
 *        '--- 200, or a version that shows no change ---> OneStream
 * </pre>
 *
 * <p>Thread-safe.
 */
final class HttpFile {
  /** With the waits between them (1, 2, 4, 8 s), a server may restart. */
  private static final int ATTEMPTS = 5;

  private final WebClient web;
  private final URI named;
  private final String from;
  private final Catalogue.Item item;

  /** The version of the first response; null before it. */
  private volatile Version version;

  /** Where the last response came from. */
  private volatile URI at;

  /** Null without a digest. */
  private volatile ReprDigest digest;

  /** Null while the server gives ranges. */
  private volatile OneStream stream;

  // Guarded by this.
  private long delivered;

  HttpFile(WebClient web, URI named, Catalogue.Item item) {
    this.web = web;
    this.named = named;
    this.from = Urls.shown(named);
    this.item = item;
    this.at = named;
  }

  /** As {@link io.fdt.core.storage.BlockReader#read}. */
  int read(ByteBuf target, int most, long offset) throws FdtException {
    int length = (int) Math.max(0, Math.min(most, item.size() - offset));
    if (length == 0) {
      return 0;
    }
    boolean isWhole = length == item.size();
    if (isWhole) {
      readWhole(target, length);
      return length;
    }
    fetch(target, length, offset);
    ReprDigest check = digest;
    if (check != null) {
      check.add(target, length, offset, this::fetch);
    }
    synchronized (this) {
      delivered += length;
    }
    return length;
  }

  /** Whether nothing of its state is needed to read it again: a whole version was read, or none. */
  synchronized boolean isForgettable() {
    return version == null || (version.isKnown() && delivered >= item.size());
  }

  /** Closes what it holds open; a later read opens it again. */
  void pause() {
    ReprDigest check = digest;
    if (check != null) {
      check.release(); // not under our lock, which it takes to read again
    }
    synchronized (this) {
      if (stream != null) {
        stream.close();
      }
    }
  }

  /** A small file, in one response. */
  private void readWhole(ByteBuf target, int length) throws FdtException {
    int start = target.writerIndex();
    for (int attempt = 1; ; attempt++) {
      try (Answer answer = send(ReprDigest.WANTED)) {
        if (answer.status() != Answer.OK) {
          throw answer.failure(from);
        }
        checkVersion(answer, Version.of(answer.headers()));
        int read = answer.body().read(target, length);
        if (read < length || !answer.body().isAtEnd()) {
          throw changed();
        }
        ReprDigest whole = ReprDigest.of(answer.headers(), from, length);
        if (whole != null) {
          whole.add(target, length, 0, this::fetch);
        }
        return;
      } catch (FdtException e) {
        target.writerIndex(start);
        waitAfter(e, attempt);
      }
    }
  }

  private void fetch(ByteBuf target, int length, long offset) throws FdtException {
    int start = target.writerIndex();
    for (int attempt = 1; ; attempt++) {
      try {
        tryFetch(target, length, offset);
        return;
      } catch (FdtException e) {
        target.writerIndex(start);
        waitAfter(e, attempt);
      }
    }
  }

  /** Waits if another attempt may help, or throws. */
  private void waitAfter(FdtException failure, int attempt) throws FdtException {
    boolean isBroken =
        failure.code() == ErrorCode.UNREACHABLE || failure.code() == ErrorCode.TIMEOUT;
    if (!isBroken || attempt == ATTEMPTS) {
      throw failure;
    }
    web.await(Duration.ofSeconds(1L << (attempt - 1)), named);
  }

  private void tryFetch(ByteBuf target, int length, long offset) throws FdtException {
    if (version == null) {
      synchronized (this) {
        if (version == null) {
          begin(target, length, offset);
          return;
        }
      }
    }
    if (stream == null && fetchRange(target, length, offset)) {
      return;
    }
    synchronized (this) {
      stream.read(target, length, offset);
    }
  }

  /** The first request, which finds out what the server can do. */
  private void begin(ByteBuf target, int length, long offset) throws FdtException {
    Map<String, String> headers = new HashMap<>(ReprDigest.WANTED);
    headers.put("Range", rangeOf(offset, length));
    Answer answer = send(headers);
    try (answer) {
      Version seen = Version.of(answer.headers());
      boolean isRange = answer.status() == Answer.PARTIAL;
      if (isRange) {
        checkVersion(answer, seen);
        if (seen.isKnown()) {
          readRange(answer, target, length, offset);
          begun(seen, answer.headers());
          return;
        }
      } else if (answer.status() != Answer.OK) {
        throw refused(answer);
      }
    }
    // Only one response is surely of one version, if the server says nothing about versions.
    stream = new OneStream(from, item.size(), this::openWhole);
    stream.read(target, length, offset);
  }

  private void begun(Version seen, HttpHeaders headers) {
    digest = ReprDigest.of(headers, from, item.size());
    version = seen;
  }

  /** The body of the whole file, for {@link OneStream}. */
  private Body openWhole() throws FdtException {
    if (version != null && !version.isKnown()) {
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "'%s' cannot be read twice: the server gives neither an ETag nor Last-Modified; run the command again"
              .formatted(from));
    }
    Answer answer = send(ReprDigest.WANTED);
    try {
      if (answer.status() != Answer.OK) {
        throw answer.failure(from);
      }
      Version seen = Version.of(answer.headers());
      checkVersion(answer, seen);
      if (version == null) {
        begun(seen, answer.headers());
      }
      return answer.body();
    } catch (FdtException e) {
      answer.close();
      throw e;
    }
  }

  /**
   * Reads a range by a request of its own.
   *
   * @return false if the server has no ranges any more, so that there is a stream now
   */
  private boolean fetchRange(ByteBuf target, int length, long offset) throws FdtException {
    Map<String, String> headers =
        Map.of("Range", rangeOf(offset, length), "If-Range", version.condition());
    try (Answer answer = send(headers)) {
      if (answer.status() == Answer.PARTIAL) {
        checkVersion(answer, null);
        readRange(answer, target, length, offset);
        return true;
      }
      if (answer.status() != Answer.OK) {
        throw refused(answer);
      }
      checkVersion(answer, null);
    }
    synchronized (this) {
      if (stream == null) {
        stream = new OneStream(from, item.size(), this::openWhole);
      }
    }
    return false;
  }

  private static String rangeOf(long offset, int length) {
    return "bytes=" + offset + "-" + (offset + length - 1);
  }

  private void readRange(Answer answer, ByteBuf target, int length, long offset)
      throws FdtException {
    int read = answer.isRange(offset, length) ? answer.body().read(target, length) : -1;
    if (read < length || !answer.body().isAtEnd()) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "'%s': the server sends other bytes than those asked for, from %d on; ask who runs it"
              .formatted(from, offset));
    }
  }

  /** A redirection may have expired: the second attempt begins at the URL of the user. */
  private Answer send(Map<String, String> headers) throws FdtException {
    URI last = at;
    Answer answer = web.send("GET", named, last, headers);
    boolean isExpired =
        answer.isMissing()
            || answer.status() == Answer.FORBIDDEN
            || answer.status() == Answer.UNAUTHORIZED;
    if (isExpired && !last.equals(named)) {
      answer.close();
      answer = web.send("GET", named, named, headers);
    }
    at = answer.url();
    return answer;
  }

  private FdtException refused(Answer answer) {
    return answer.status() == Answer.NO_SUCH_RANGE || answer.status() == Answer.CHANGED
        ? changed()
        : answer.failure(from);
  }

  /**
   * Checks that a response is of the listed file, and of the version that was read before.
   *
   * @param seen of the first response; null for a later one
   */
  private void checkVersion(Answer answer, Version seen) throws FdtException {
    long size = answer.size().orElse(item.size());
    boolean isSame = size == item.size();
    if (seen == null || version != null) {
      isSame &= version.isThatOf(answer.headers());
    } else {
      long listed = item.stamp().identity();
      isSame &= seen.modified() == null || seen.modified(null).equals(item.modified());
      isSame &= listed == 0 || seen.tag() == null || seen.stamp().identity() == listed;
    }
    if (!isSame) {
      throw changed();
    }
  }

  private FdtException changed() {
    return new FdtException(
        ErrorCode.SOURCE_CHANGED,
        "'" + from + "' changed on the server while it was read; run the command again");
  }
}
