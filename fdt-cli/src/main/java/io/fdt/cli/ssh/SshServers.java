package io.fdt.cli.ssh;

import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.SshHost;
import io.fdt.cli.option.route.SshSettings;
import io.fdt.cli.output.Screen;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.model.BytePath;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The servers that SSH has started for one copy: one SSH connection for each host. {@link #lost}
 * and {@link #kill}: any thread; the rest is confined to one.
 */
public final class SshServers implements StartedServers, AutoCloseable {
  private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(2);

  /** One server. */
  private record Started(SshGreeting hello, ServerAddress address, ServerAddress forServers) {}

  private final SshSettings settings;
  private final Screen screen;
  private final Map<SshHost, SshServer> sides = new LinkedHashMap<>();
  private final Map<SshHost, CompletableFuture<String>> names = new HashMap<>();
  private final Map<SshHost, Started> started = new HashMap<>();
  private final List<Tunnel> tunnels = new ArrayList<>();
  private final List<String> unreached = new ArrayList<>();
  private final CompletableFuture<FdtException> lost = new CompletableFuture<>();

  // Guarded by this.
  private boolean killed;

  public SshServers(SshSettings settings, Screen screen) {
    this.settings = settings;
    this.screen = screen;
  }

  /**
   * Starts a server on each host of these locations.
   *
   * @param locations the last one is the destination
   * @return the same locations, on servers
   */
  public List<Location> start(List<Location> locations) throws FdtException, InterruptedException {
    if (locations.stream().noneMatch(Location.Ssh.class::isInstance)) {
      return locations;
    }
    connect(locations);
    CompletableFuture.runAsync(SshServers::load);
    Map<SshHost, List<BytePath>> questions = new LinkedHashMap<>();
    for (int i = 0; i < locations.size(); i++) {
      if (locations.get(i) instanceof Location.Ssh ssh) {
        boolean isLast = i == locations.size() - 1;
        SshPaths.Role role = isLast ? SshPaths.Role.DESTINATION : SshPaths.Role.SOURCE;
        questions
            .computeIfAbsent(ssh.host(), host -> new ArrayList<>())
            .add(SshPaths.question(ssh.path(), role));
      }
    }
    for (Map.Entry<SshHost, List<BytePath>> of : questions.entrySet()) {
      SshServer side = sides.get(of.getKey());
      SshGreeting hello = side.start(of.getValue());
      if (hello.paths().size() != of.getValue().size()) {
        throw new FdtException(
            ErrorCode.PROTOCOL, of.getKey() + ": not as many paths as asked for");
      }
      started.put(of.getKey(), reach(side, hello));
    }
    return onServers(locations);
  }

  /** Connects to one host after the other, because each may ask for a password. */
  private void connect(List<Location> locations) throws FdtException, InterruptedException {
    CompletableFuture<Optional<OwnJar>> jar = CompletableFuture.supplyAsync(SshServers::jar);
    for (Location location : locations) {
      if (location instanceof Location.Ssh ssh && !sides.containsKey(ssh.host())) {
        SshServer side = SshServer.open(ssh.host(), settings, screen);
        add(side);
        names.put(ssh.host(), CompletableFuture.supplyAsync(() -> hostName(ssh.host())));
        side.connect(jar.join());
        side.lost().thenAccept(lost::complete);
      }
    }
  }

  private String hostName(SshHost host) {
    return Reach.hostName(host, settings).orElse(host.name());
  }

  private static Optional<OwnJar> jar() {
    try {
      return OwnJar.own();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Loads the classes of a client while Java starts on the other host. */
  private static void load() {
    FdtClient.builder("localhost").build().close();
  }

  private synchronized void add(SshServer side) throws FdtException {
    sides.put(side.host(), side);
    if (killed) {
      side.kill();
    }
  }

  private Started reach(SshServer side, SshGreeting hello)
      throws FdtException, InterruptedException {
    SshHost host = side.host();
    String name = names.get(host).join();
    if (!settings.alwaysTunnels()) {
      List<String> names = new ArrayList<>(List.of(name));
      names.addAll(hello.addresses());
      Optional<InetAddress> direct =
          Reach.find(names, hello.port(), address -> isRight(address, hello));
      if (direct.isPresent()) {
        ServerAddress address = new ServerAddress(direct.get().getHostAddress(), hello.port());
        boolean isOwnHost = direct.get().isLoopbackAddress();
        return new Started(hello, address, isOwnHost ? forServers(hello, name) : address);
      }
      unreached.add(host + " cannot be reached at port " + hello.port());
    }
    try {
      Tunnel tunnel = Tunnel.open(side.mux());
      tunnels.add(tunnel);
      return new Started(
          hello, new ServerAddress(tunnel.host(), tunnel.port()), forServers(hello, name));
    } catch (IOException e) {
      throw new FdtException(ErrorCode.RESOURCES, "no port for a tunnel: " + IoReason.of(e), e);
    }
  }

  /** The address for other servers: its own address, or else its name in ssh's configuration. */
  private static ServerAddress forServers(SshGreeting hello, String name) {
    String host = hello.addresses().isEmpty() ? name : hello.addresses().get(0);
    return new ServerAddress(host, hello.port());
  }

  /** Whether the server that SSH has started answers at an address. */
  private static boolean isRight(InetAddress address, SshGreeting hello) {
    try (FdtClient client =
        FdtClient.builder(address.getHostAddress())
            .port(hello.port())
            .trust(ServerTrust.pinned(hello.fingerprint()))
            .token(AccessToken.of(hello.token()))
            .connectTimeout(CHECK_TIMEOUT)
            .build()) {
      client.describeServer();
      return true;
    } catch (FdtException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private List<Location> onServers(List<Location> locations) {
    Map<SshHost, Integer> next = new HashMap<>();
    List<Location> result = new ArrayList<>();
    for (Location location : locations) {
      if (location instanceof Location.Ssh ssh) {
        Started server = started.get(ssh.host());
        int index = next.merge(ssh.host(), 1, Integer::sum) - 1;
        result.add(
            new Location.Remote(
                server.address(),
                server.hello().paths().get(index),
                Optional.of(server.hello().fingerprint())));
      } else {
        result.add(location);
      }
    }
    return result;
  }

  /** The hosts that can be reached only through SSH, as text. */
  public List<String> unreached() {
    return List.copyOf(unreached);
  }

  private Optional<Started> at(ServerAddress address) {
    return started.values().stream().filter(one -> one.address().equals(address)).findFirst();
  }

  @Override
  public Optional<AccessToken> token(ServerAddress address) {
    return at(address).map(server -> AccessToken.of(server.hello().token()));
  }

  /** The host name of a server for other machines. */
  String hostForServers(ServerAddress address) {
    return at(address).map(Started::forServers).orElse(address).host();
  }

  /** The key of one of these servers. */
  String fingerprint(ServerAddress address) {
    return at(address).orElseThrow().hello().fingerprint();
  }

  @Override
  public Optional<ServerAddress> near() {
    return Optional.empty();
  }

  @Override
  public void configure(ServerAddress address, FdtClient.Builder client) {
    at(address)
        .map(Started::forServers)
        .ifPresent(other -> client.addressForServers(other.host(), other.port()));
  }

  @Override
  public CompletableFuture<FdtException> lost() {
    return lost;
  }

  /** Kills all, because a signal ends the command. */
  public synchronized void kill() {
    killed = true;
    sides.values().forEach(SshServer::kill);
  }

  /** Ends all servers, and waits for their ends. Idempotent. */
  @Override
  public void close() {
    tunnels.forEach(Tunnel::close);
    sides.values().forEach(SshServer::endInput);
    sides.values().forEach(SshServer::close);
  }
}
