package io.fdt.cli.option.route;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.ReferredFile;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.client.ClientHome;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerNames;
import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The named servers of a user: {@code client.conf} in the client's home.
 *
 * <pre>
 *   [server storage1]
 *   address = dtn01.example.org
 *   port = 5000
 *   fingerprint = SHA256:...
 *   token-file = ~/storage1.token
 *   streams = 8
 * </pre>
 *
 * <p>Other names are long options of {@code copy} without dashes, for this server; the command line
 * and the environment override them. Empty lines and lines that start with # are skipped.
 */
public final class ServersFile {
  private static final String HEAD = "\\[server +([^\\]\\s]+) *\\]";
  private static final String WORD = "[A-Za-z0-9][A-Za-z0-9_.-]*";

  private final String file;
  private final Map<String, Draft> drafts = new LinkedHashMap<>();

  private ServersFile(String file) {
    this.file = file;
  }

  /**
   * One option of a server.
   *
   * @param where it stands, for messages
   * @param name without dashes
   */
  public record Entry(String where, String name, String value) {
    /** The value as a path, with ~ replaced by the user's home. */
    public String path(Surroundings surroundings) {
      return value.startsWith("~/") ? surroundings.userHome() + value.substring(1) : value;
    }
  }

  /**
   * A server with a name.
   *
   * @param where its section or its address stands
   * @param fingerprint the key that it must have
   * @param options others, in their order
   */
  public record Named(
      String name,
      String where,
      ServerAddress address,
      Optional<String> fingerprint,
      List<Entry> options) {
    /** The lines that {@code login} writes for the server. */
    public String section() {
      StringBuilder lines = new StringBuilder("\n# written by fdt login, removed by fdt logout\n");
      lines.append("[server ").append(name).append("]\naddress = ").append(address.host());
      lines.append("\nport = ").append(address.port()).append('\n');
      options.forEach(
          option -> lines.append(option.name()).append(" = ").append(option.value()).append('\n'));
      return lines.toString();
    }

    /** The file with the token for this server. */
    public Optional<String> tokenFile(Surroundings surroundings) {
      return options.stream()
          .filter(option -> option.name().equals("token-file"))
          .map(option -> option.path(surroundings))
          .findFirst();
    }
  }

  /** The entries of a section so far. */
  private record Draft(String where, List<Entry> entries) {}

  /** The servers by name; none when there is no such file. */
  public static Map<String, Named> read(Surroundings surroundings) throws UsageException {
    String file =
        ClientHome.of(surroundings.environment(), surroundings.userHome())
            .resolve(ServerNames.FILE)
            .toString();
    byte[] content;
    try {
      content = surroundings.read(file);
    } catch (AccessDeniedException e) {
      throw new UsageException(file + ": permission denied");
    } catch (IOException e) {
      return Map.of(); // there is none
    }
    return parse(file, content);
  }

  /** The servers of a file that the user names. */
  public static Map<String, Named> read(String file, Surroundings surroundings)
      throws UsageException {
    return parse(file, ReferredFile.read(file, file, surroundings));
  }

  private static Map<String, Named> parse(String file, byte[] content) throws UsageException {
    ServersFile servers = new ServersFile(file);
    servers.readLines(ByteText.decode(content));
    return servers.named();
  }

  private void readLines(String content) throws UsageException {
    Draft current = null;
    String[] lines = content.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String where = file + ":" + (i + 1);
      String line = lines[i].strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[")) {
        current = section(where, line);
      } else if (current == null) {
        throw new UsageException(where + ": before any option stands [server NAME]");
      } else {
        current.entries().add(entry(where, line));
      }
    }
  }

  /** Whether a server can have this name. */
  public static boolean isName(String word) {
    return word.matches(WORD);
  }

  private Draft section(String where, String line) throws UsageException {
    String name = line.replaceFirst("^" + HEAD + "$", "$1");
    if (!line.matches(HEAD) || !isName(name)) {
      throw new UsageException(
          where + ": '" + line + "' is not of the form [server NAME], with letters and digits");
    }
    Draft draft = new Draft(where, new ArrayList<>());
    if (drafts.put(name, draft) != null) {
      throw new UsageException(where + ": a second server '" + name + "'");
    }
    return draft;
  }

  private static Entry entry(String where, String line) throws UsageException {
    int equals = line.indexOf('=');
    if (equals <= 0) {
      throw new UsageException(where + ": '" + line + "' is not of the form: name = value");
    }
    return new Entry(where, line.substring(0, equals).strip(), line.substring(equals + 1).strip());
  }

  private Map<String, Named> named() throws UsageException {
    Map<String, Named> named = new LinkedHashMap<>();
    for (Map.Entry<String, Draft> draft : drafts.entrySet()) {
      named.put(draft.getKey(), named(draft.getKey(), draft.getValue()));
    }
    return named;
  }

  private static Named named(String name, Draft draft) throws UsageException {
    String host = name;
    String where = draft.where();
    Optional<String> fingerprint = Optional.empty();
    int port = FdtClient.DEFAULT_PORT;
    List<Entry> options = new ArrayList<>();
    for (Entry entry : draft.entries()) {
      switch (entry.name()) {
        case "address" -> {
          host = entry.value();
          where = entry.where();
        }
        case "port" -> port = OptionValue.count(entry.where() + ": port", entry.value(), 1, 65535);
        case "fingerprint" -> {
          fingerprint = Optional.of(entry.value());
          checkFingerprint(entry);
        }
        default -> options.add(entry);
      }
    }
    try {
      ServerAddress address = ServerAddress.parse(host, port);
      return new Named(name, where, address, fingerprint, List.copyOf(options));
    } catch (UsageException e) {
      throw new UsageException(where + ": " + e.getMessage());
    }
  }

  private static void checkFingerprint(Entry entry) throws UsageException {
    try {
      OptionValue.checkFingerprint(entry.value());
    } catch (UsageException e) {
      throw new UsageException(entry.where() + ": " + e.getMessage());
    }
  }
}
