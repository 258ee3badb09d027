package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The servers known to a user, with their fingerprints, in a file: one line "HOST:PORT FINGERPRINT"
 * each; lines that start with # are comments. Any thread, any process.
 */
public final class KnownHosts {
  private static final String FILE = "known_hosts";

  private final HomeDirectory home;

  public KnownHosts(HomeDirectory home) {
    this.home = home;
  }

  /** The fingerprint of a server from the last line about it. */
  public Optional<Fingerprint> find(String host, int port) throws FdtException {
    byte[] text = home.readIfThere(FILE);
    if (text == null) {
      return Optional.empty();
    }
    Fingerprint found = null;
    for (String line : new String(text, StandardCharsets.UTF_8).split("\n", -1)) {
      String[] words = line.strip().split("\\s+");
      if (words.length == 2 && words[0].equals(name(host, port))) {
        found = parse(words[1]);
      }
    }
    return Optional.ofNullable(found);
  }

  /** A damaged line must not let another server pass as new. */
  private Fingerprint parse(String text) throws FdtException {
    try {
      return Fingerprint.parse(text);
    } catch (IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.UNTRUSTED,
          "'" + file() + "' is damaged: " + e.getMessage() + "; remove that line",
          e);
    }
  }

  public void add(String host, int port, Fingerprint fingerprint) throws FdtException {
    home.append(
        FILE, (name(host, port) + " " + fingerprint + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Removes a server.
   *
   * @return whether it was known
   */
  public boolean remove(String host, int port) throws FdtException {
    byte[] text = home.readIfThere(FILE);
    if (text == null) {
      return false;
    }
    String prefix = name(host, port) + " ";
    String before = new String(text, StandardCharsets.UTF_8);
    String after =
        before
            .lines()
            .filter(line -> !line.strip().startsWith(prefix))
            .map(line -> line + "\n")
            .collect(Collectors.joining());
    boolean isThere = after.length() < before.length() && find(host, port).isPresent();
    if (isThere) {
      home.replace(FILE, after.getBytes(StandardCharsets.UTF_8));
    }
    return isThere;
  }

  /** All servers, HOST:PORT, with the fingerprint of the last line about each. */
  public Map<String, String> all() throws FdtException {
    Map<String, String> all = new TreeMap<>();
    byte[] text = home.readIfThere(FILE);
    if (text != null) {
      for (String line : new String(text, StandardCharsets.UTF_8).split("\n", -1)) {
        String[] words = line.strip().split("\\s+");
        if (words.length == 2 && !words[0].startsWith("#")) {
          all.put(words[0], words[1]);
        }
      }
    }
    return all;
  }

  /** Names the lines that are of another version, or damaged. */
  public List<String> flaws() throws FdtException {
    List<String> flaws = new ArrayList<>();
    byte[] text = home.readIfThere(FILE);
    String[] lines =
        text == null ? new String[0] : new String(text, StandardCharsets.UTF_8).split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (!line.isEmpty() && !line.startsWith("#") && !line.matches("\\S+\\s+SHA256:\\S{43}")) {
        flaws.add(
            "%s:%d: no known server of this version; remove the line".formatted(file(), i + 1));
      }
    }
    return flaws;
  }

  private static String name(String host, int port) {
    String name = host.toLowerCase(Locale.ROOT);
    return (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
  }

  /** The path of the file, for messages. */
  public String file() {
    return home.file(FILE).toString();
  }
}
