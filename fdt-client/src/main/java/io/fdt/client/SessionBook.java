package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.HomeDirectory;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * This user's detached transfers: the file {@code sessions} of the user's home, one line for each,
 * the newest last. It is replaced as a whole, and holds no secret. Any thread, any process.
 *
 * <pre>
 *   ID TAB TIME TAB HOST TAB PORT TAB source|destination TAB FINGERPRINT|- TAB TOKEN-FILE|-
 * </pre>
 */
public final class SessionBook {
  /** Most lines; about 150 bytes each. */
  static final int MOST = 500;

  /** Servers keep ended transfers for a day; one may run for weeks. */
  static final Duration KEPT_FOR = Duration.ofDays(30);

  private static final String FILE = "sessions";
  private static final String LOCK = "sessions.lock";
  private static final String NONE = "-";
  private static final int FIELDS = 7;

  private final HomeDirectory home;

  /**
   * @param home of the user; created on the first write
   */
  public SessionBook(Path home) {
    this.home = new HomeDirectory(home);
  }

  /**
   * Adds a transfer, and drops old ones.
   *
   * @throws FdtException the file cannot be written
   */
  public void add(DetachedSession session) throws FdtException {
    Void unused =
        home.locked(
            LOCK,
            () -> {
              List<DetachedSession> all = new ArrayList<>(all(session.left()));
              all.removeIf(other -> other.id().equals(session.id()));
              all.add(session);
              write(all.subList(Math.max(0, all.size() - MOST), all.size()));
              return null;
            });
  }

  private void write(List<DetachedSession> sessions) throws FdtException {
    StringBuilder text = new StringBuilder();
    sessions.forEach(session -> text.append(line(session)).append('\n'));
    home.replace(FILE, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The recent transfers, the newest last.
   *
   * @throws FdtException the file cannot be read
   */
  public List<DetachedSession> all(Instant now) throws FdtException {
    byte[] bytes = home.readIfThere(FILE);
    List<DetachedSession> all = new ArrayList<>();
    if (bytes != null) {
      new String(bytes, StandardCharsets.UTF_8)
          .lines()
          .forEach(line -> read(line).filter(one -> isYoung(one, now)).ifPresent(all::add));
    }
    return all;
  }

  private static boolean isYoung(DetachedSession session, Instant now) {
    return session.left().plus(KEPT_FOR).isAfter(now);
  }

  /**
   * The transfer whose id begins with these digits; empty when there is none.
   *
   * @throws FdtException USAGE when several do; the file cannot be read
   */
  public Optional<DetachedSession> find(String digits, Instant now) throws FdtException {
    String start = digits.toLowerCase(Locale.ROOT);
    List<DetachedSession> found =
        all(now).stream().filter(session -> session.id().startsWith(start)).toList();
    if (found.size() > 1) {
      throw new FdtException(
          ErrorCode.USAGE,
          "%d sessions begin with %s: type more digits".formatted(found.size(), digits));
    }
    return found.stream().findFirst();
  }

  private static String line(DetachedSession session) {
    return String.join(
        "\t",
        session.id(),
        session.left().toString(),
        session.host(),
        Integer.toString(session.port()),
        session.atSource() ? "source" : "destination",
        session.fingerprint().orElse(NONE),
        session.tokenFile().map(Path::toString).filter(SessionBook::fits).orElse(NONE));
  }

  private static boolean fits(String path) {
    return path.chars().noneMatch(c -> c < ' ');
  }

  /** Lines of another version, or edited ones, are ignored. */
  private static Optional<DetachedSession> read(String line) {
    String[] fields = line.split("\t", -1);
    if (fields.length != FIELDS
        || !fields[0].matches("[0-9a-f]{32}")
        || fields[2].isEmpty()
        || !fields[3].matches("[0-9]{1,5}")) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new DetachedSession(
              fields[0],
              Instant.parse(fields[1]),
              fields[2],
              Integer.parseInt(fields[3]),
              fields[4].equals("source"),
              optional(fields[5]),
              optional(fields[6]).map(Path::of)));
    } catch (DateTimeParseException | InvalidPathException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> optional(String field) {
    return field.equals(NONE) ? Optional.empty() : Optional.of(field);
  }
}
