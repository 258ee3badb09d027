package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tokens of a server's home: that of its own user, as plain text, and named ones, as hashes
 * with their rights. Any thread, any process.
 *
 * <pre>
 *   token    fdt_...
 *   exports  A,B of the server that started last
 *   tokens   sha256=HEX name=NAME created=TIME [expires=TIME] [access=ro] [exports=A,B] [addresses=R,S]
 *            [third-party=no] [data-node=yes] [relay=yes|no] [relay-to=R,S] [relay-rate=BYTES]
 *            [spool=BYTES]
 * </pre>
 *
 * <p>A line of {@code tokens} with anything else is ignored: the unknown part could be a limit.
 */
public final class TokenFile {
  /** The token of the server's own user. */
  private static final String OWN = "token";

  private static final String NAMED = "tokens";
  private static final String EXPORTS = "exports";
  private static final String LOCK = "tokens.lock";
  private static final String NAME = "[A-Za-z0-9._@-]{1,64}";
  private static final Set<String> KEYS =
      Set.of(
          "sha256",
          "name",
          "created",
          "expires",
          "access",
          "exports",
          "addresses",
          "third-party",
          "data-node",
          "relay",
          "relay-to",
          "relay-rate",
          "spool");

  private final HomeDirectory home;

  public TokenFile(HomeDirectory home) {
    this.home = home;
  }

  Path directory() {
    return home.file(NAMED).getParent();
  }

  /** The token of the server's own user, created when missing. */
  public String ownToken() throws FdtException {
    byte[] text =
        home.readOrMake(OWN, () -> (Tokens.make() + "\n").getBytes(StandardCharsets.US_ASCII));
    return text(text).strip();
  }

  /** The token of the server's own user, if it exists. */
  public Optional<String> ownTokenIfThere() throws FdtException {
    return Optional.ofNullable(home.readIfThere(OWN)).map(bytes -> text(bytes).strip());
  }

  /** The currently valid grants by hash; invalid lines go to {@code flaws}. */
  Map<String, Grant> grants(List<String> flaws) throws FdtException {
    Map<String, Grant> grants = new LinkedHashMap<>();
    byte[] named = home.readIfThere(NAMED);
    int number = 0;
    for (String line : text(named == null ? new byte[0] : named).split("\n", -1)) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      try {
        Map<String, String> values = values(line);
        grants.put(values.get("sha256"), grant(values));
      } catch (IllegalArgumentException | DateTimeParseException e) {
        flaws.add("%s line %d is ignored: %s".formatted(home.file(NAMED), number, e.getMessage()));
      }
    }
    Optional<String> own = ownTokenIfThere();
    if (own.isPresent() && !own.get().isEmpty()) {
      String hash = Tokens.hash(own.get());
      // No named token can have this name; another token is another grant.
      grants.put(hash, Grant.unlimited("own:" + hash.substring(0, 8), Instant.EPOCH));
    }
    return grants;
  }

  /** The named tokens, in their order; invalid lines go to {@code flaws}. */
  public List<Grant> list(List<String> flaws) throws FdtException {
    List<Grant> grants = new ArrayList<>(grants(flaws).values());
    grants.removeIf(grant -> !grant.name().matches(NAME));
    return grants;
  }

  /**
   * Creates a token and stores its hash.
   *
   * @return the token, which is not stored
   */
  public String create(Grant grant) throws FdtException {
    if (!grant.name().matches(NAME)) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'"
              + grant.name()
              + "' is not a valid name of a token: use letters, digits and ._@- only");
    }
    return home.locked(
        LOCK,
        () -> {
          List<String> lines = lines();
          if (lines.stream().anyMatch(line -> isNamed(line, grant.name()))) {
            throw new FdtException(
                ErrorCode.USAGE,
                "there is a token '"
                    + grant.name()
                    + "' already; revoke it, or choose another name");
          }
          String token = Tokens.make();
          lines.add(line(Tokens.hash(token), grant));
          write(lines);
          return token;
        });
  }

  public void revoke(String name) throws FdtException {
    home.locked(
        LOCK,
        () -> {
          List<String> lines = lines();
          if (!lines.removeIf(line -> isNamed(line, name))) {
            throw new FdtException(
                ErrorCode.NOT_FOUND,
                "there is no token '" + name + "'; fdt token list shows those that are");
          }
          write(lines);
          return null;
        });
  }

  /** Remembers the exports of the server that starts with this home. */
  public void rememberExports(Collection<FileName> exports) throws FdtException {
    home.replace(
        EXPORTS,
        joined(exports.stream().map(TokenFile::encode).toList())
            .getBytes(StandardCharsets.US_ASCII));
  }

  /** The exports of the server that started last with this home; empty before the first one. */
  public Optional<Set<FileName>> lastExports() throws FdtException {
    byte[] names = home.readIfThere(EXPORTS);
    return Optional.ofNullable(names)
        .map(
            bytes ->
                Stream.of(text(bytes).split(","))
                    .filter(name -> !name.isEmpty())
                    .map(TokenFile::decode)
                    .collect(Collectors.toSet()));
  }

  private List<String> lines() throws FdtException {
    byte[] text = home.readIfThere(NAMED);
    return text == null
        ? new ArrayList<>()
        : text(text).lines().collect(Collectors.toCollection(ArrayList::new));
  }

  private void write(List<String> lines) throws FdtException {
    home.replace(NAMED, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private static boolean isNamed(String line, String name) {
    return List.of(line.split(" ")).contains("name=" + name);
  }

  private static String line(String hash, Grant grant) {
    StringBuilder line = new StringBuilder("sha256=").append(hash);
    line.append(" name=").append(grant.name()).append(" created=").append(grant.created());
    grant.expires().ifPresent(time -> line.append(" expires=").append(time));
    if (grant.readOnly()) {
      line.append(" access=ro");
    }
    if (!grant.exports().isEmpty()) {
      line.append(" exports=")
          .append(joined(grant.exports().stream().map(TokenFile::encode).toList()));
    }
    if (!grant.addresses().isEmpty()) {
      line.append(" addresses=").append(joined(canonical(grant.addresses())));
    }
    if (!grant.thirdParty()) {
      line.append(" third-party=no");
    }
    if (grant.dataNode()) {
      line.append(" data-node=yes");
    }
    RelayGrant relay = grant.relay();
    if (relay.allowed() != grant.thirdParty()) {
      line.append(" relay=").append(relay.allowed() ? "yes" : "no");
    }
    if (!relay.to().isEmpty()) {
      line.append(" relay-to=").append(joined(canonical(relay.to())));
    }
    if (relay.bytesPerSecond() > 0) {
      line.append(" relay-rate=").append(relay.bytesPerSecond());
    }
    if (relay.spoolBytes() > 0) {
      line.append(" spool=").append(relay.spoolBytes());
    }
    return line.toString();
  }

  private static List<String> canonical(List<String> ranges) {
    return AddressRange.parse(ranges).stream().map(AddressRange::toString).toList();
  }

  private static String joined(List<String> parts) {
    return parts.stream().sorted().collect(Collectors.joining(","));
  }

  private static Map<String, String> values(String line) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String word : line.strip().split(" +")) {
      int equals = word.indexOf('=');
      String key = equals < 0 ? word : word.substring(0, equals);
      if (!KEYS.contains(key) || values.put(key, word.substring(equals + 1)) != null) {
        throw new IllegalArgumentException("'" + key + "' is unknown or repeated");
      }
    }
    if (!values.getOrDefault("sha256", "").matches("[0-9a-f]{64}")) {
      throw new IllegalArgumentException("no sha256");
    }
    return values;
  }

  private static Grant grant(Map<String, String> values) {
    String access = values.getOrDefault("access", "rw");
    String name = values.getOrDefault("name", "");
    if (!access.matches("r[ow]") || !name.matches(NAME)) {
      throw new IllegalArgumentException("access '" + access + "', name '" + name + "'");
    }
    boolean thirdParty = isYes(values, "third-party", "yes");
    boolean dataNode = isYes(values, "data-node", "no");
    Set<FileName> exports = new HashSet<>();
    if (values.containsKey("exports")) {
      for (String export : values.get("exports").split(",", -1)) {
        exports.add(decode(export));
      }
    }
    return new Grant(
        name,
        Instant.parse(values.getOrDefault("created", "1970-01-01T00:00:00Z")),
        Optional.ofNullable(values.get("expires")).map(Instant::parse),
        access.equals("ro"),
        exports,
        ranges(values, "addresses"),
        thirdParty,
        dataNode,
        new RelayGrant(
            isYes(values, "relay", thirdParty ? "yes" : "no"), // the default if absent
            ranges(values, "relay-to"),
            Long.parseLong(values.getOrDefault("relay-rate", "0")),
            spool(values)));
  }

  private static long spool(Map<String, String> values) {
    String value = values.get("spool");
    if (value == null) {
      return 0;
    }
    long bytes = Long.parseLong(value);
    if (bytes == 0) { // a reader would take 0 for "nothing", and a grant takes it for "no limit"
      throw new IllegalArgumentException("spool '0': leave it out for no limit, or write relay=no");
    }
    return bytes;
  }

  private static List<String> ranges(Map<String, String> values, String key) {
    return values.containsKey(key) ? canonical(List.of(values.get(key).split(",", -1))) : List.of();
  }

  private static boolean isYes(Map<String, String> values, String key, String unless) {
    String value = values.getOrDefault(key, unless);
    if (!value.matches("yes|no")) {
      throw new IllegalArgumentException(key + " '" + value + "'");
    }
    return value.equals("yes");
  }

  /** Names are bytes: each is encoded as a Latin-1 character. */
  private static String encode(FileName name) {
    return URLEncoder.encode(
        new String(name.bytes(), StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
  }

  private static FileName decode(String text) {
    return FileName.of(
        URLDecoder.decode(text, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
