package io.fdt.cli.run.host;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.CommandContext;
import io.fdt.client.FdtClient;
import io.fdt.client.Logins;
import io.fdt.client.ServerNames;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The names of servers in {@code client.conf}: {@code login} adds sections, {@code logout} removes
 * those that the user has not extended. Stateless, except for the file.
 */
final class SavedNames {
  private final Path home;
  private final ServerNames file;
  private final Surroundings surroundings;

  SavedNames(CommandContext context) {
    this.home = context.home();
    this.file = new ServerNames(home);
    this.surroundings = context.surroundings();
  }

  /** The names of a server. */
  List<ServersFile.Named> of(ServerAddress server) throws FdtException {
    return read().values().stream().filter(named -> named.address().isSameAs(server)).toList();
  }

  /**
   * The name of a server that was logged in to: its host, if commands would not find it without a
   * name, and nothing else has this name.
   *
   * @param options how to reach it, besides its address
   */
  Optional<String> usualName(ServerAddress server, List<ServersFile.Entry> options)
      throws FdtException {
    boolean isFound = server.port() == FdtClient.DEFAULT_PORT && options.isEmpty();
    return isFound
            || !of(server).isEmpty()
            || otherOfHost(server).isPresent()
            || !ServersFile.isName(server.host())
        ? Optional.empty()
        : Optional.of(server.host());
  }

  /** The other server that commands reach by the host of this one alone. */
  Optional<ServerAddress> otherOfHost(ServerAddress server) throws FdtException {
    ServersFile.Named named = read().get(server.host());
    ServerAddress usual = new ServerAddress(server.host(), FdtClient.DEFAULT_PORT);
    boolean isUsed =
        named != null
            || new Logins(home)
                .all().stream().anyMatch(known -> known.address().equals(usual.toString()));
    return Optional.of(named == null ? usual : named.address())
        .filter(other -> isUsed && !other.isSameAs(server));
  }

  void add(ServersFile.Named server) throws FdtException {
    file.add(server.section());
  }

  /**
   * Removes the names of a server, except those to which the user has added something.
   *
   * @return the removed names
   */
  List<String> remove(ServerAddress server) throws FdtException {
    List<String> removed = new ArrayList<>();
    for (ServersFile.Named named : of(server)) {
      boolean isOurs =
          named.options().stream()
              .allMatch(option -> AccessOptions.OF_REACH.contains("--" + option.name()));
      if (isOurs && file.remove(named.section())) {
        removed.add(named.name());
      }
    }
    return removed;
  }

  private Map<String, ServersFile.Named> read() throws FdtException {
    try {
      return ServersFile.read(surroundings);
    } catch (UsageException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
  }
}
