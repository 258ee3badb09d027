package io.fdt.cli.command;

import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.SshHost;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.ReverseOptions;
import io.fdt.cli.option.transfer.SshOptions;
import io.fdt.cli.process.RepeatedSurroundings;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.copy.StartedCopy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Copies for which servers are started first. The command line is read twice: first as if the
 * servers ran, so that usage errors are reported before any connection; then when they run.
 */
final class StartedCopies {
  /** Reads a command line whose locations are all local or on servers. */
  interface Reading {
    Copy copy(List<Location> locations, Surroundings surroundings) throws UsageException;
  }

  private StartedCopies() {}

  static StartedCopy of(
      ParsedLine line, List<Location> locations, Surroundings surroundings, Reading reading)
      throws UsageException {
    // Standard input may be a list, which can be read only once.
    Surroundings same = new RepeatedSurroundings(surroundings);
    boolean isReversed = ReverseOptions.of(line).isPresent();
    return new StartedCopy(
        reading.copy(asIfServersRan(locations, isReversed), same),
        List.copyOf(locations),
        SshOptions.of(line, surroundings),
        ReverseOptions.of(line),
        servers -> reading.copy(servers, same));
  }

  /** Replaces each SSH host by a placeholder server; different hosts have different servers. */
  private static List<Location> asIfServersRan(List<Location> locations, boolean isReversed) {
    Set<SshHost> hosts = new LinkedHashSet<>();
    List<Location> result = new ArrayList<>();
    for (Location location : locations) {
      if (location instanceof Location.Ssh ssh) {
        hosts.add(ssh.host());
        int port = List.copyOf(hosts).indexOf(ssh.host()) + 1;
        result.add(
            new Location.Remote(
                new ServerAddress(ssh.host().name(), port), ssh.path(), Optional.empty()));
      } else if (isReversed && location instanceof Location.Local local) {
        result.add(new Location.Remote(ReverseOptions.HERE, local.path(), Optional.empty()));
      } else {
        result.add(location);
      }
    }
    return result;
  }
}
