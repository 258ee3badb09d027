package io.fdt.cli.ssh;

import io.fdt.cli.option.route.LocalAddress;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.process.Daemon;
import io.fdt.cli.process.HostAddresses;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server in this process, with the rights of its user on all files, for one copy in which the
 * other server, or only this process, connects to this machine. Only this process has its token;
 * the other server gets a ticket for the one session.
 */
public final class LocalServer implements StartedServers, AutoCloseable {
  /** The port for a connected UDP socket, which sends nothing. */
  private static final int DISCARD_PORT = 9;

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final FdtServer server;
  private final ServerAddress address;
  private final ServerAddress forServers;
  private final SshServers far;

  private LocalServer(
      FdtServer server, ServerAddress address, ServerAddress forServers, SshServers far) {
    this.server = server;
    this.address = address;
    this.forServers = forServers;
    this.far = far;
  }

  /**
   * Starts the server.
   *
   * @param other the server of the other side; empty if only this process connects
   * @param far the servers that SSH has started, perhaps none
   */
  public static LocalServer start(LocalAddress near, Optional<ServerAddress> other, SshServers far)
      throws FdtException {
    FdtServerBuilder builder =
        FdtServer.builder()
            .port(near.port().orElse(0))
            .trustOwnProcess(false)
            .allowPrivileged(true)
            .allowSharedExports(true)
            .udp(false)
            .export(new Export(null, BytePath.of("/"), Export.Access.READ_WRITE));
    String loopback = InetAddress.getLoopbackAddress().getHostAddress();
    String own =
        other.isEmpty()
            ? loopback
            : near.host().isPresent() ? null : addressTowards(far.hostForServers(other.get()));
    if (own != null) {
      builder.bind(own);
    }
    FdtServer server = builder.build();
    try {
      server.start();
    } catch (FdtException e) {
      server.close();
      throw e;
    }
    int port = server.address().getPort();
    String here = own == null ? loopback : own;
    return new LocalServer(
        server,
        new ServerAddress(here, port),
        new ServerAddress(near.host().orElse(here), port),
        far);
  }

  /** The address from which this machine sends to a host. */
  private static String addressTowards(String host) throws FdtException {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(InetAddress.getByName(host), DISCARD_PORT));
      return HostAddresses.text(socket.getLocalAddress());
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE,
          "no address of this machine is known that "
              + host
              + " could reach; give it with --reverse-address HOST",
          e);
    }
  }

  /**
   * The locations; local ones become locations on this server.
   *
   * @param locations the last one is the destination
   * @param directory the base of relative paths
   */
  public List<Location> onServers(List<Location> locations, Path directory) {
    SshPaths paths = SshPaths.in(BytePath.of(directory));
    List<Location> result = new ArrayList<>();
    for (Location location : locations) {
      boolean isLast = result.size() == locations.size() - 1;
      SshPaths.Role role = isLast ? SshPaths.Role.DESTINATION : SshPaths.Role.SOURCE;
      result.add(
          location instanceof Location.Local local && !location.isInOtherStorage()
              ? new Location.Remote(
                  address, paths.resolve(local.path(), role), Optional.of(server.fingerprint()))
              : location);
    }
    return result;
  }

  /** Whether a server that SSH has started can connect to this one. Takes at most about 2 s. */
  public boolean isReachedFrom(ServerAddress other) throws InterruptedException {
    FutureTask<Boolean> answer = new FutureTask<>(() -> isReached(other));
    Daemon.start("fdt-ssh-reverse", answer);
    try {
      return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  private boolean isReached(ServerAddress other) throws FdtException, InterruptedException {
    try (FdtClient from = client(other, far.fingerprint(other));
        FdtClient to = client(address, server.fingerprint())) {
      return from.reaches(to);
    }
  }

  private FdtClient client(ServerAddress of, String fingerprint) {
    FdtClient.Builder client =
        FdtClient.builder(of.host())
            .port(of.port())
            .trust(ServerTrust.pinned(fingerprint))
            .token(token(of).orElseThrow());
    configure(of, client);
    return client.build();
  }

  @Override
  public Optional<AccessToken> token(ServerAddress of) {
    return of.equals(address) ? Optional.of(AccessToken.of(server.localToken())) : far.token(of);
  }

  @Override
  public void configure(ServerAddress of, FdtClient.Builder client) {
    if (of.equals(address)) {
      client.addressForServers(forServers.host(), forServers.port()).dialsServers(false);
    } else {
      far.configure(of, client);
    }
  }

  @Override
  public Optional<ServerAddress> near() {
    return Optional.of(address);
  }

  @Override
  public CompletableFuture<FdtException> lost() {
    return far.lost();
  }

  @Override
  public void close() {
    server.close();
  }
}
