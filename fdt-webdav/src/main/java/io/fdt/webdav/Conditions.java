package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The conditions of a request (RFC 9110, section 13). Stateless. */
final class Conditions {
  private static final Pattern TAG = Pattern.compile("(W/)?(\"[^\"]*\")");

  private Conditions() {}

  /** Whether a condition depends on the file at the path. */
  static boolean areIn(HttpHeaders headers) {
    return headers.contains("If-Match")
        || headers.contains("If-None-Match")
        || headers.contains("If-Modified-Since")
        || headers.contains("If-Unmodified-Since");
  }

  /**
   * Checks the conditions of a request.
   *
   * @param state of the file; empty when there is none
   * @param isRead whether the request is GET or HEAD
   * @return false when the client has this version already
   * @throws HttpRefusal 412
   */
  static boolean check(HttpHeaders headers, Optional<FileState> state, boolean isRead)
      throws HttpRefusal {
    if (headers.contains("If")) {
      throw new HttpRefusal(412, "this server has no locks; leave the header If out");
    }
    if (headers.contains("If-Match")) {
      if (!matches(headers, "If-Match", state, true)) {
        throw failed("If-Match");
      }
    } else if (isLater(headers, "If-Unmodified-Since", state)) {
      throw failed("If-Unmodified-Since");
    }
    if (headers.contains("If-None-Match")) {
      if (matches(headers, "If-None-Match", state, false)) {
        if (isRead) {
          return false;
        }
        throw failed("If-None-Match");
      }
      return true;
    }
    return !isRead
        || state.isEmpty()
        || date(headers, "If-Modified-Since").isEmpty()
        || isLater(headers, "If-Modified-Since", state);
  }

  /** Whether a request makes a file only where there is none. */
  static boolean wantNew(HttpHeaders headers) {
    return headers.get("If-None-Match", "").strip().equals("*");
  }

  /**
   * The failure of a file whose name had to be free.
   *
   * @throws FdtException for another reason
   */
  static HttpRefusal taken(boolean isNew, FdtException failure) throws FdtException {
    if (isNew && failure.code() == ErrorCode.WRONG_KIND) {
      return new HttpRefusal(412, "the name was taken meanwhile; choose another one");
    }
    throw failure;
  }

  private static HttpRefusal failed(String header) {
    return new HttpRefusal(412, "the condition of " + header + " does not hold");
  }

  private static boolean matches(
      HttpHeaders headers, String name, Optional<FileState> state, boolean isStrong) {
    String wanted = String.join(",", headers.getAll(name)).strip();
    if (state.isEmpty() || wanted.equals("*")) {
      return state.isPresent();
    }
    Matcher tag = TAG.matcher(wanted);
    Matcher own = TAG.matcher(state.get().tag());
    if (!own.matches() || (isStrong && own.group(1) != null)) {
      return false;
    }
    while (tag.find()) {
      boolean isWeak = tag.group(1) != null;
      if (tag.group(2).equals(own.group(2)) && !(isStrong && isWeak)) {
        return true;
      }
    }
    return false;
  }

  /** A date in seconds since 1970; empty for none. */
  private static Optional<Long> date(HttpHeaders headers, String name) {
    return Optional.ofNullable(headers.get(name))
        .map(DateFormatter::parseHttpDate)
        .map(date -> date.toInstant().getEpochSecond());
  }

  private static boolean isLater(HttpHeaders headers, String name, Optional<FileState> state) {
    Optional<Long> date = date(headers, name);
    return state.isPresent() && date.isPresent() && state.get().modifiedSeconds() > date.get();
  }

  /** Whether the ranges of a request are of this version, or of any. */
  static boolean allowRanges(HttpHeaders headers, FileState state) {
    String wanted = headers.get("If-Range", "").strip();
    if (wanted.isEmpty()) {
      return true;
    }
    if (wanted.endsWith("\"")) {
      return wanted.equals(state.tag()) && !wanted.startsWith("W/");
    }
    return state.isSettled()
        && date(headers, "If-Range").equals(Optional.of(state.modifiedSeconds()));
  }
}
