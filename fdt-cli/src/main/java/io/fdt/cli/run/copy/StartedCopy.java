package io.fdt.cli.run.copy;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.LocalAddress;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.SshSettings;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.output.Screen;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TransferRun;
import io.fdt.cli.ssh.LocalServer;
import io.fdt.cli.ssh.SshServers;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Starts servers by SSH or on this machine, then copies.
 *
 * @param copy the same as if the servers ran already, for its output
 * @param locations of the sources, and of the destination at the end
 * @param near where the other side connects to a server on this machine; empty if there is none
 * @param onServers makes the copy of locations on running servers
 */
public record StartedCopy(
    Copy copy,
    List<Location> locations,
    SshSettings ssh,
    Optional<LocalAddress> near,
    OnServers onServers)
    implements Copier {
  /** Makes a copy of locations none of which is one of SSH. */
  @FunctionalInterface
  public interface OnServers {
    Copy copy(List<Location> locations) throws UsageException;
  }

  @Override
  public Copier with(UnaryOperator<Copy> change) {
    return new StartedCopy(
        copy, locations, ssh, near, servers -> change.apply(onServers.copy(servers)));
  }

  @Override
  public int run(CommandContext context) throws InterruptedException, FdtException {
    Screen screen = copy.usesStandardOutput() ? context.screen().withoutOutput() : context.screen();
    try (SshServers servers = new SshServers(ssh, screen)) {
      List<Location> running;
      try (Interruption interruption = context.onInterruption(servers::kill)) {
        running = start(servers, interruption);
        if (running == null) {
          return TransferRun.INTERRUPTED;
        }
      }
      try (LocalServer local = localServer(running, servers)) {
        if (local != null) {
          note(servers, "it connects to this machine", screen);
          Path directory = context.surroundings().workingDirectory();
          Copy reversed = onServers.copy(local.onServers(running, directory));
          return CopyRun.copy(reversed, context, Optional.of(local));
        }
      }
      note(
          servers,
          "data goes through the SSH connection, which is slower than direct streams",
          screen);
      return CopyRun.copy(onServers.copy(running), context, Optional.of(servers));
    } catch (UsageException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
  }

  private void note(SshServers servers, String what, Screen screen) {
    if (!copy.output().quiet()) {
      servers.unreached().forEach(host -> screen.note(host + ": " + what));
    }
  }

  /** The server of this machine; null if the other side need not or cannot connect to it. */
  private LocalServer localServer(List<Location> running, SshServers servers)
      throws FdtException, InterruptedException {
    Optional<ServerAddress> other = serverOfOneSide(running);
    if (near.isPresent()) {
      return LocalServer.start(near.get(), other, servers);
    }
    if (other.isEmpty() || servers.unreached().isEmpty() || needsThisProcess()) {
      return null;
    }
    LocalServer local;
    try {
      local = LocalServer.start(LocalAddress.ANY, other, servers);
    } catch (FdtException e) {
      return null; // without an address or a port, data goes through SSH
    }
    if (local.isReachedFrom(other.get())) {
      return local;
    }
    local.close();
    return null;
  }

  private boolean needsThisProcess() {
    return copy.request().input().isPresent()
        || copy.request().output().isPresent()
        || locations.stream().anyMatch(Location::isInOtherStorage)
        || !copy.filters().isEmpty();
  }

  /** The server of the remote side; empty if both sides are remote. */
  private static Optional<ServerAddress> serverOfOneSide(List<Location> locations) {
    List<ServerAddress> servers =
        locations.stream()
            .filter(Location.Remote.class::isInstance)
            .map(location -> ((Location.Remote) location).server())
            .distinct()
            .toList();
    boolean isOne =
        servers.size() == 1 && locations.stream().anyMatch(Location.Local.class::isInstance);
    return isOne ? Optional.of(servers.get(0)) : Optional.empty();
  }

  /** The locations on running servers; null after an interruption, which has ended all of them. */
  private List<Location> start(SshServers servers, Interruption interruption)
      throws InterruptedException, FdtException {
    try {
      List<Location> started = servers.start(locations);
      return interruption.hasHappened() ? null : started;
    } catch (FdtException e) {
      if (interruption.hasHappened()) {
        return null;
      }
      throw e;
    }
  }
}
