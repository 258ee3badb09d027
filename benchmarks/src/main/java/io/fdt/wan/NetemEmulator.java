package io.fdt.wan;

import io.fdt.compare.OwnServer.Place;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Creates paths with the kernel's netem; needs root.
 *
 * <pre>
 * NAMEa --veth-- NAMEm --veth-- NAMEb      each a network namespace; m forwards, with netem
 *                                          on the way out to each side
 * </pre>
 *
 * <p>The queue is on a host in between: with a queue on its own host, TCP is slowed down instead of
 * losing packets.
 */
final class NetemEmulator implements Emulator {
  private static final String NO_NETEM =
      "this kernel has no netem (%s): load it (modprobe sch_netem), or name an emulator in FDT_WAN;"
          + " benchmarks/README.md says how such a command is called";

  private NetemEmulator() {}

  /** Creates the emulator; the exception names a missing prerequisite. */
  static NetemEmulator orExplain() throws IOException {
    String probe = "fdtprobe";
    try {
      Emulator.call(Map.of(), words("ip netns add " + probe));
    } catch (IOException e) {
      throw new IOException(
          "network namespaces cannot be made (root is needed): " + e.getMessage(), e);
    }
    try {
      Emulator.call(
          Map.of(), words("ip netns exec " + probe + " tc qdisc add dev lo root netem delay 1ms"));
      return new NetemEmulator();
    } catch (IOException e) {
      throw new IOException(NO_NETEM.formatted(e.getMessage()), e);
    } finally {
      Emulator.callAnyway(words("ip netns del " + probe));
    }
  }

  private static List<String> words(String line) {
    return List.of(line.split(" "));
  }

  private static void ip(String line) throws IOException {
    Emulator.call(Map.of(), words("ip " + line));
  }

  @Override
  public String what() {
    return "netem";
  }

  @Override
  public Hosts up(String name, Link link) throws IOException {
    down(name);
    ip("netns add " + name + "m");
    in(name + "m", "sysctl -qw net.ipv4.ip_forward=1");
    host(name, "a", 1, link);
    host(name, "b", 2, link);
    ip("-n " + name + "a route add 10.99.2.0/24 via 10.99.1.2");
    ip("-n " + name + "b route add 10.99.1.0/24 via 10.99.2.2");
    Hosts hosts = new NetemHosts(name);
    shape(name, "add", link);
    return hosts;
  }

  private static void host(String name, String side, int subnet, Link link) throws IOException {
    String host = name + side;
    ip("netns add " + host);
    ip("-n " + host + " link set lo up");
    ip("link add eth0 netns " + host + " type veth peer name " + side + " netns " + name + "m");
    ip("-n " + host + " addr add 10.99." + subnet + ".1/24 dev eth0");
    ip("-n " + name + "m addr add 10.99." + subnet + ".2/24 dev " + side);
    // One segment per packet: netem would lose and count whole GSO packets.
    ip("-n " + host + " link set eth0 mtu " + Link.mtu() + " gso_max_segs 1 up");
    ip("-n " + name + "m link set " + side + " mtu " + Link.mtu() + " gso_max_segs 1 up");
    String algorithm = System.getenv().getOrDefault("CC", "cubic");
    in(host, "sysctl -qw net.ipv4.tcp_congestion_control=" + algorithm);
    in(host, "sysctl -qw net.ipv4.tcp_no_metrics_save=1");
    memory(host, "net.ipv4.tcp_rmem=4096 131072 " + link.bufferBytes());
    memory(host, "net.ipv4.tcp_wmem=4096 65536 " + link.bufferBytes());
  }

  private static void in(String namespace, String line) throws IOException {
    ip("netns exec " + namespace + " " + line);
  }

  private static void memory(String host, String setting) throws IOException {
    Emulator.call(Map.of(), List.of("ip", "netns", "exec", host, "sysctl", "-qw", setting));
  }

  /** Each direction has half of the round-trip time, and the full rate and loss. */
  private static void shape(String name, String verb, Link link) throws IOException {
    // netem's limit includes packets in flight. netem counts 14 of the 38 bytes of overhead of a
    // frame itself.
    double onItsWay = link.megabitsPerSecond() * 1e6 / 8 * link.rttMillis() / 2000;
    long packets = (long) Math.ceil((onItsWay + link.queue()) / (Link.mtu() + Link.FRAME_OVERHEAD));
    for (String side : List.of("a", "b")) {
      in(
          name + "m",
          String.format(
              Locale.ROOT,
              "tc qdisc %s dev %s root netem delay %dus loss %s%% rate %dbit %d limit %d",
              verb,
              side,
              Math.round(link.rttMillis() * 500),
              Link.number(link.lossPercent()),
              Math.round(link.megabitsPerSecond() * 1e6),
              Link.FRAME_OVERHEAD - 14,
              packets));
    }
  }

  private static void down(String name) {
    for (String part : List.of("a", "b", "m")) {
      Emulator.callAnyway(words("ip netns del " + name + part));
    }
  }

  /** The hosts of one path. */
  private record NetemHosts(String name) implements Hosts {
    @Override
    public Place source() {
      return place("a", 1);
    }

    @Override
    public Place destination() {
      return place("b", 2);
    }

    private Place place(String side, int subnet) {
      return new Place(words("ip netns exec " + name + side), "10.99." + subnet + ".1");
    }

    @Override
    public void change(Link link) throws IOException {
      shape(name, "change", link);
    }

    @Override
    public void close() {
      down(name);
    }
  }
}
