package io.fdt.cli.command;

import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.LocalAddress;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.SshHost;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.PartOptions;
import io.fdt.cli.option.transfer.ReverseOptions;
import io.fdt.cli.option.transfer.SshOptions;
import io.fdt.cli.process.RepeatedSurroundings;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.copy.StartedCopy;
import io.fdt.core.model.BytePath;
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
    Optional<LocalAddress> near =
        areFetched(locations) ? Optional.of(LocalAddress.ANY) : ReverseOptions.of(line);
    return new StartedCopy(
        reading.copy(asIfServersRan(locations, near.isPresent()), same),
        List.copyOf(locations),
        SshOptions.of(line, surroundings),
        near,
        servers -> reading.copy(servers, same));
  }

  /**
   * Whether files go between a storage with a scheme, as https://HOST/PATH, and the directories of
   * this machine: a server in this process writes or reads these.
   */
  static boolean areFetched(List<Location> locations) {
    Location destination = locations.get(locations.size() - 1);
    List<Location> sources = locations.subList(0, locations.size() - 1);
    return isDirectoryHere(destination)
        ? sources.stream().allMatch(Location::isInOtherStorage)
        : destination.isInOtherStorage()
            && sources.stream().allMatch(StartedCopies::isDirectoryHere);
  }

  private static boolean isDirectoryHere(Location location) {
    return location instanceof Location.Local local
        && !location.isInOtherStorage()
        && !local.path().equals(BytePath.of(PartOptions.STANDARD));
  }

  /** Replaces each SSH host by a placeholder server; different hosts have different servers. */
  private static List<Location> asIfServersRan(List<Location> locations, boolean isServerHere) {
    Set<SshHost> hosts = new LinkedHashSet<>();
    List<Location> result = new ArrayList<>();
    for (Location location : locations) {
      if (location instanceof Location.Ssh ssh) {
        hosts.add(ssh.host());
        int port = List.copyOf(hosts).indexOf(ssh.host()) + 1;
        result.add(
            new Location.Remote(
                new ServerAddress(ssh.host().name(), port), ssh.path(), Optional.empty()));
      } else if (isServerHere && isDirectoryHere(location)) {
        Location.Local local = (Location.Local) location;
        result.add(new Location.Remote(ReverseOptions.HERE, local.path(), Optional.empty()));
      } else {
        result.add(location);
      }
    }
    return result;
  }
}
