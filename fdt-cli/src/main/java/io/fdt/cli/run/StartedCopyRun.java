package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.option.Location;
import io.fdt.cli.option.ServerAddress;
import io.fdt.cli.option.UsageException;
import io.fdt.cli.output.Screen;
import io.fdt.cli.ssh.NearAddress;
import io.fdt.cli.ssh.NearServer;
import io.fdt.cli.ssh.SshServers;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Copies for which servers are started first. */
public final class StartedCopyRun {
  private StartedCopyRun() {}

  /** Starts the servers and moves a dataset; the result is an exit status. */
  public static int copy(Operation.StartedCopy copy, boolean listsFiles, CommandContext context)
      throws InterruptedException, FdtException {
    boolean usesOutput = copy.sample().request().output().isPresent();
    Screen screen = usesOutput ? context.screen().withoutOutput() : context.screen();
    try (SshServers servers = new SshServers(copy.ssh(), screen)) {
      List<Location> locations;
      try (Interruption interruption = context.onInterruption(servers::kill)) {
        locations = start(copy, servers, interruption);
        if (locations == null) {
          return TransferRun.INTERRUPTED;
        }
      }
      try (NearServer near = near(copy, locations, servers)) {
        if (near != null) {
          tell(servers, "it connects to this machine", copy, screen);
          Path directory = context.surroundings().workingDirectory();
          Operation.Copy reversed = copy.onServers().copy(near.onServers(locations, directory));
          return CopyRun.copy(reversed, listsFiles, context, near);
        }
      }
      tell(
          servers,
          "data goes through the SSH connection, which is slower than direct streams",
          copy,
          screen);
      return CopyRun.copy(copy.onServers().copy(locations), listsFiles, context, servers);
    } catch (UsageException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
  }

  private static void tell(
      SshServers servers, String what, Operation.StartedCopy copy, Screen screen) {
    if (!copy.sample().output().quiet()) {
      servers.unreached().forEach(host -> screen.note(host + ": " + what));
    }
  }

  /**
   * The server of this machine; null where the other side does not connect to it: it need not, or
   * cannot.
   */
  private static NearServer near(
      Operation.StartedCopy copy, List<Location> locations, SshServers servers)
      throws FdtException, InterruptedException {
    Optional<ServerAddress> other = serverOfOneSide(locations);
    if (copy.near().isPresent()) {
      return NearServer.start(copy.near().get(), other.orElseThrow(), servers);
    }
    if (other.isEmpty() || servers.unreached().isEmpty() || isConfinedHere(copy)) {
      return null;
    }
    NearServer near;
    try {
      near = NearServer.start(NearAddress.ANY, other.get(), servers);
    } catch (FdtException e) {
      return null; // no address, no port: what --reverse would need is a help here, and no more
    }
    if (near.isReachedFrom(other.get())) {
      return near;
    }
    near.close();
    return null;
  }

  /** Whether it uses what only this process has. */
  private static boolean isConfinedHere(Operation.StartedCopy copy) {
    TransferRequest request = copy.sample().request();
    return request.input().isPresent()
        || request.output().isPresent()
        || !copy.sample().filters().isEmpty();
  }

  /** Where the side is that is not here; empty when neither is here. */
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

  /** Null when it was interrupted: then all has ended. */
  private static List<Location> start(
      Operation.StartedCopy copy, SshServers servers, Interruption interruption)
      throws InterruptedException, FdtException {
    try {
      List<Location> started = servers.start(copy.locations());
      return interruption.hasHappened() ? null : started;
    } catch (FdtException e) {
      if (interruption.hasHappened()) {
        return null;
      }
      throw e;
    }
  }
}
