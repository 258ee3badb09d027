package io.fdt.cli.ssh;

import io.fdt.core.model.BytePath;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The greeting of a server over SSH: one line of {@code key=value}, whose values are
 * percent-encoded bytes. Immutable.
 *
 * @param port of the server
 * @param addresses of its host for other machines, numeric
 * @param fingerprint its key
 * @param token of its client; a secret
 * @param paths the resolved paths, absolute and without links to directories
 */
record SshGreeting(
    int port, List<String> addresses, String fingerprint, String token, List<BytePath> paths) {
  private static final String PORT = "port";
  private static final String ADDRESSES = "addresses";
  private static final String FINGERPRINT = "fingerprint";
  private static final String TOKEN = "token";
  private static final String PATHS = "paths";

  /** The greeting as a line. */
  String encode() {
    return PORT
        + "="
        + port
        + " "
        + ADDRESSES
        + "="
        + addresses.stream().map(text -> encode(BytePath.of(text))).collect(Collectors.joining(","))
        + " "
        + FINGERPRINT
        + "="
        + encode(BytePath.of(fingerprint))
        + " "
        + TOKEN
        + "="
        + encode(BytePath.of(token))
        + " "
        + PATHS
        + "="
        + encodeAll(paths);
  }

  /**
   * Reads a greeting.
   *
   * @throws IllegalArgumentException the line is not a greeting; the message does not repeat it
   */
  static SshGreeting decode(String line) {
    Map<String, String> values = new HashMap<>();
    for (String word : line.strip().split(" ")) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        values.put(word.substring(0, equals), word.substring(equals + 1));
      }
    }
    for (String key : List.of(PORT, ADDRESSES, FINGERPRINT, TOKEN, PATHS)) {
      if (!values.containsKey(key)) {
        throw new IllegalArgumentException("the greeting has no " + key);
      }
    }
    String port = values.get(PORT);
    if (!port.matches("[1-9][0-9]{0,4}")) {
      throw new IllegalArgumentException("the greeting has a bad port");
    }
    return new SshGreeting(
        Integer.parseInt(port),
        decodeAll(values.get(ADDRESSES)).stream().map(BytePath::toString).toList(),
        decode(values.get(FINGERPRINT), FINGERPRINT).toString(),
        decode(values.get(TOKEN), TOKEN).toString(),
        decodeAll(values.get(PATHS)));
  }

  /** Paths as one word. */
  static String encodeAll(List<BytePath> paths) {
    return paths.stream().map(SshGreeting::encode).collect(Collectors.joining(","));
  }

  static List<BytePath> decodeAll(String word) {
    List<BytePath> paths = new ArrayList<>();
    if (!word.isEmpty()) {
      for (String one : word.split(",", -1)) {
        paths.add(decode(one, PATHS));
      }
    }
    return List.copyOf(paths);
  }

  private static String encode(BytePath path) {
    StringBuilder text = new StringBuilder();
    for (byte b : path.bytes()) {
      boolean plain = b > ' ' && b < 0x7F && "%,= ".indexOf(b) < 0;
      text.append(plain ? Character.toString((char) b) : String.format("%%%02x", b & 0xFF));
    }
    return text.toString();
  }

  private static BytePath decode(String text, String key) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '%') {
        bytes.write(c);
        continue;
      }
      int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
      if (high < 0 || low < 0) {
        throw new IllegalArgumentException("the greeting has a bad " + key);
      }
      bytes.write(high * 16 + low);
      i += 2;
    }
    return BytePath.of(bytes.toByteArray());
  }

  /** The greeting without its token. */
  @Override
  public String toString() {
    return "SshGreeting[port=" + port + ", fingerprint=" + fingerprint + "]";
  }
}
