package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bearer token and the passwords of a user, by the variables and files that other HTTP clients
 * read too. Any thread.
 *
 * <p>A file is read for each request, so that a renewed token counts at once.
 */
final class Credentials {
  private static final String TOKEN = "BEARER_TOKEN";
  private static final String TOKEN_FILE = "BEARER_TOKEN_FILE";
  private static final String NETRC = "NETRC";
  private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|(\\S+)");

  private final Map<String, String> environment;

  Credentials(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * The value of Authorization for a URL. A token is for encrypted connections only.
   *
   * @throws FdtException PERMISSION, IO when a file cannot be read
   */
  Optional<String> authorization(URI url) throws FdtException {
    Optional<String> token = Urls.isEncrypted(url) ? token() : Optional.empty();
    return token.isPresent() ? token.map(text -> "Bearer " + text) : basic(url.getHost());
  }

  private Optional<String> token() throws FdtException {
    String text = environment.getOrDefault(TOKEN, "");
    String file = environment.getOrDefault(TOKEN_FILE, "");
    if (text.isBlank() && !file.isEmpty()) {
      text = read(Path.of(file));
    }
    if (text.strip().chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new FdtException(
          ErrorCode.USAGE, "the token of " + TOKEN + " is not one word of ASCII; replace it");
    }
    return Optional.of(text.strip()).filter(token -> !token.isEmpty());
  }

  private Optional<String> basic(String host) throws FdtException {
    Path file =
        Path.of(
            environment.getOrDefault(
                NETRC, environment.getOrDefault("HOME", "/nonexistent") + "/.netrc"));
    if (!environment.containsKey(NETRC) && !Files.exists(file)) {
      return Optional.empty();
    }
    List<String> words = words(read(file));
    for (int i = 0; i < words.size(); i += 2) {
      if (words.get(i).equals("default")) {
        return Optional.of(basic(words.subList(i + 1, words.size())));
      }
      boolean isHost = words.get(i).equals("machine") && i + 1 < words.size();
      if (isHost && words.get(i + 1).equalsIgnoreCase(host)) {
        return Optional.of(basic(words.subList(i + 2, words.size())));
      }
    }
    return Optional.empty();
  }

  /** The words of a netrc; a macro ends at an empty line. */
  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    Matcher word =
        WORD.matcher(text.replaceAll("(?ms)^\\s*macdef\\s.*?(^\\s*$|\\z)|^\\s*#.*?$", ""));
    while (word.find()) {
      words.add(word.group(1) == null ? word.group(2) : word.group(1).replaceAll("\\\\(.)", "$1"));
    }
    return words;
  }

  private static String basic(List<String> entry) {
    String login = "";
    String password = "";
    for (int i = 0; i + 1 < entry.size(); i += 2) {
      switch (entry.get(i)) {
        case "login" -> login = entry.get(i + 1);
        case "password" -> password = entry.get(i + 1);
        case "account" -> {}
        default -> i = entry.size(); // the next machine
      }
    }
    byte[] pair = (login + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  private static String read(Path file) throws FdtException {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new FdtException(
          IoReason.codeOf(e), "'" + file + "' cannot be read: " + IoReason.of(e), e);
    }
  }
}
