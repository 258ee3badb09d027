package io.fdt.cli.command;

import io.fdt.cli.option.Location;
import io.fdt.cli.option.RepeatedSurroundings;
import io.fdt.cli.option.ServerAddress;
import io.fdt.cli.option.Surroundings;
import io.fdt.cli.option.UsageException;
import io.fdt.cli.ssh.SshHost;
import io.fdt.cli.ssh.SshSettings;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Copies that begin with SSH. Their command line is read twice: first as if the servers ran, so
 * that what is wrong with it is told before anybody is connected to; then when they do.
 */
final class CopyBySsh {
  /** Reads a command line whose locations are all local or on servers. */
  interface Reading {
    Operation.Copy copy(List<Location> locations, Surroundings surroundings) throws UsageException;
  }

  private CopyBySsh() {}

  static Operation.CopyBySsh of(
      List<Location> locations, SshSettings settings, Surroundings surroundings, Reading reading)
      throws UsageException {
    // Standard input can be a list, which is there only once.
    Surroundings same = new RepeatedSurroundings(surroundings);
    return new Operation.CopyBySsh(
        reading.copy(asIfServersRan(locations), same),
        List.copyOf(locations),
        settings,
        servers -> reading.copy(servers, same));
  }

  /** Hosts that differ become servers that differ. */
  private static List<Location> asIfServersRan(List<Location> locations) {
    Set<SshHost> hosts = new LinkedHashSet<>();
    List<Location> result = new ArrayList<>();
    for (Location location : locations) {
      if (location instanceof Location.Ssh ssh) {
        hosts.add(ssh.host());
        int port = List.copyOf(hosts).indexOf(ssh.host()) + 1;
        result.add(
            new Location.Remote(
                new ServerAddress(ssh.host().name(), port), ssh.path(), Optional.empty()));
      } else {
        result.add(location);
      }
    }
    return result;
  }
}
