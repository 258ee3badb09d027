package io.fdt.webdav;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The path of a URL as names of the server's files. Immutable.
 *
 * <p>Each part between slashes is decoded once, on its own: an encoded slash, NUL, "." and ".." are
 * refused, not resolved.
 *
 * @param names from the root of the exports down
 * @param isDirectory whether it ends with a slash
 */
record RequestPath(List<FileName> names, boolean isDirectory) {
  private static final String UNRESERVED =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

  RequestPath {
    names = List.copyOf(names);
  }

  /**
   * Reads the target of a request or the URL of a header.
   *
   * @throws HttpRefusal 400 when it is no path
   */
  static RequestPath of(String url) throws HttpRefusal {
    if (url.chars().anyMatch(c -> c <= ' ' || c >= 0x7F)) {
      throw new HttpRefusal(400, "a path with characters that are not ASCII; encode them with %");
    }
    if (url.indexOf('#') >= 0) {
      throw new HttpRefusal(400, "a request has no fragment; leave '#' out");
    }
    String path = url.replaceFirst("(?i)^https?://[^/?#]*", "").replaceFirst("[?].*", "");
    if (!path.startsWith("/")) {
      if (!path.isEmpty() || url.isEmpty()) {
        throw new HttpRefusal(400, "a path begins with a slash");
      }
      path = "/";
    }
    List<FileName> names = new ArrayList<>();
    for (String part : path.split("/", -1)) {
      if (!part.isEmpty()) {
        try {
          names.add(FileName.of(decode(part)));
        } catch (IllegalArgumentException e) {
          throw new HttpRefusal(400, e.getMessage() + "; name the file itself");
        }
      }
    }
    return new RequestPath(names, path.endsWith("/"));
  }

  private static byte[] decode(String part) throws HttpRefusal {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] text = part.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < text.length; i++) {
      if (text[i] != '%') {
        bytes.write(text[i]);
        continue;
      }
      int high = i + 2 < text.length ? Character.digit(text[i + 1], 16) : -1;
      int low = i + 2 < text.length ? Character.digit(text[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw new HttpRefusal(400, "'%' without two hexadecimal digits; write %25");
      }
      bytes.write(high * 16 + low);
      i += 2;
    }
    return bytes.toByteArray();
  }

  /** The path in the exports. */
  BytePath path() {
    BytePath path = BytePath.of("/");
    for (FileName name : names) {
      path = path.resolve(BytePath.of(name.bytes()));
    }
    return path;
  }

  boolean isRoot() {
    return names.isEmpty();
  }

  /** The last name; not of the root. */
  FileName last() {
    return names.get(names.size() - 1);
  }

  /** The directory that holds it; not of the root. */
  RequestPath parent() {
    return new RequestPath(names.subList(0, names.size() - 1), true);
  }

  /** Whether the other path is this one or beneath it. */
  boolean holds(RequestPath other) {
    return other.names.size() >= names.size() && other.names.subList(0, names.size()).equals(names);
  }

  /** As a path of a URL; a directory ends with a slash. */
  String encoded(boolean asDirectory) {
    String path = names.stream().map(RequestPath::encode).collect(Collectors.joining("/", "/", ""));
    return asDirectory && !names.isEmpty() ? path + "/" : path;
  }

  /** One name in a URL. */
  static String encode(FileName name) {
    StringBuilder text = new StringBuilder();
    for (byte b : name.bytes()) {
      if (UNRESERVED.indexOf((char) (b & 0xFF)) >= 0) {
        text.append((char) b);
      } else {
        text.append("%%%02X".formatted(b & 0xFF));
      }
    }
    return text.toString();
  }
}
