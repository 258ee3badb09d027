package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Paths of sources and the URLs that they stand for. A path is a URL as the user wrote it; bytes
 * that a URL cannot have are percent-encoded, and what is percent-encoded stays so. Pure.
 */
final class Urls {
  private static final String HEX = "0123456789ABCDEF";

  /** All that RFC 3986 allows in a path or query, without the percent sign. */
  private static final String ALLOWED = "-._~!$&'()*+,;=:@/?";

  private Urls() {}

  /**
   * The URL of a path.
   *
   * @throws FdtException USAGE when it is none, or has a password
   */
  static URI of(BytePath path) throws FdtException {
    String text = encoded(path.bytes());
    try {
      URI url = new URI(text);
      if (url.getHost() == null || url.getRawUserInfo() != null) {
        throw new FdtException(
            ErrorCode.USAGE,
            url.getRawUserInfo() == null
                ? "'" + shown(url) + "' names no host; write https://HOST/PATH"
                : "'" + shown(url) + "': leave USER:PASSWORD@ out, and put them into ~/.netrc");
      }
      for (String segment : pathOf(url).split("/", -1)) {
        if (isUp(bytesOf(segment))) {
          throw new FdtException(
              ErrorCode.USAGE, "'" + shown(url) + "' has '..' in it; write the path without it");
        }
      }
      return url;
    } catch (URISyntaxException e) {
      throw new FdtException(
          ErrorCode.USAGE, "'" + path + "' is no URL; write https://HOST/PATH", e);
    }
  }

  /** A reference with all that a URL cannot have percent-encoded. */
  static String escaped(String reference) {
    int fragment = reference.indexOf('#');
    String whole = fragment < 0 ? reference : reference.substring(0, fragment);
    return encoded(whole.getBytes(StandardCharsets.UTF_8));
  }

  private static String encoded(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    int slashes = 0;
    for (int i = 0; i < bytes.length; i++) {
      int b = bytes[i] & 0xFF;
      slashes += b == '/' ? 1 : 0;
      boolean isOfAddress = slashes == 2 && (b == '[' || b == ']');
      boolean isEncoded =
          b == '%'
              && i + 2 < bytes.length
              && Character.digit(bytes[i + 1], 16) >= 0
              && Character.digit(bytes[i + 2], 16) >= 0;
      boolean isAllowed =
          (b < 0x80 && Character.isLetterOrDigit(b))
              || ALLOWED.indexOf(b) >= 0
              || isEncoded
              || isOfAddress;
      if (isAllowed) {
        text.append((char) b);
      } else {
        text.append('%').append(HEX.charAt(b >> 4)).append(HEX.charAt(b & 15));
      }
    }
    return text.toString();
  }

  /** The URL without its query, which may be a password, for messages. */
  static String shown(URI url) {
    String authority = url.getRawAuthority() == null ? "" : url.getRawAuthority();
    return url.getScheme()
        + "://"
        + authority.substring(authority.lastIndexOf('@') + 1)
        + url.getRawPath();
  }

  /** The path of a URL, from its root. */
  static String pathOf(URI url) {
    return url.getRawPath().isEmpty() ? "/" : url.getRawPath();
  }

  static boolean isDirectory(URI url) {
    return url.getRawQuery() == null && pathOf(url).endsWith("/");
  }

  /** Whether both are on the same port of the same host, with the same scheme. */
  static boolean haveSameOrigin(URI one, URI other) {
    return one.getScheme().equalsIgnoreCase(other.getScheme())
        && one.getHost().equalsIgnoreCase(other.getHost())
        && portOf(one) == portOf(other);
  }

  static boolean isEncrypted(URI url) {
    return url.getScheme().toLowerCase(Locale.ROOT).equals("https");
  }

  private static int portOf(URI url) {
    return url.getPort() >= 0 ? url.getPort() : isEncrypted(url) ? 443 : 80;
  }

  /** The name that a copy of this path gets: the last one of the path, decoded. */
  static FileName nameOf(BytePath path) throws FdtException {
    URI url = of(path);
    if (pathOf(url).endsWith("/")) {
      return url.getRawPath().isEmpty() ? FileName.of(url.getHost()) : null;
    }
    String last = url.getRawPath().substring(url.getRawPath().lastIndexOf('/') + 1);
    byte[] name = bytesOf(last);
    if (FileName.flawOf(name) != null) {
      throw new FdtException(
          ErrorCode.BAD_NAME,
          "'%s' has no name for a file (%s); give it one"
              .formatted(shown(url), FileName.flawOf(name)));
    }
    return FileName.of(name);
  }

  /**
   * The name of a linked segment. It is decoded if the same URL can be made of it again; else it
   * stays as it is. Null when it leads elsewhere, or is too long.
   */
  static FileName nameOfLinked(String segment) {
    byte[] decoded = bytesOf(segment);
    String again = encoded(decoded);
    boolean isClear =
        FileName.flawOf(decoded) == null
            && again.indexOf('?') < 0
            && Arrays.equals(bytesOf(again), decoded);
    byte[] name = isClear ? decoded : segment.getBytes(StandardCharsets.UTF_8);
    return isUp(decoded) || FileName.flawOf(name) != null ? null : FileName.of(name);
  }

  private static boolean isUp(byte[] name) {
    return name.length == 2 && name[0] == '.' && name[1] == '.';
  }

  private static byte[] bytesOf(String text) {
    byte[] raw = text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream(raw.length);
    for (int i = 0; i < raw.length; i++) {
      int high = raw[i] == '%' && i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
      int low = high >= 0 ? Character.digit(raw[i + 2], 16) : -1;
      if (low < 0) {
        out.write(raw[i]);
      } else {
        out.write(high * 16 + low);
        i += 2;
      }
    }
    return out.toByteArray();
  }
}
