package io.fdt.wan;

import io.fdt.compare.OwnServer.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Three hosts in a row: two paths of an emulator, joined in the middle by a link without delay.
 * Needs Linux's {@code ip}, and an emulator whose two paths have different addresses.
 *
 * <pre>
 *   source --first path-- relay --veth-- (router) --second path-- destination
 * </pre>
 */
final class JoinedPaths implements AutoCloseable {
  private static final Pattern DEVICE = Pattern.compile("(?: via (\\S+))? dev (\\S+)");
  private static final String CABLE = "10.97.3.";

  private final Emulator.Hosts first;
  private final Emulator.Hosts second;

  private JoinedPaths(Emulator.Hosts first, Emulator.Hosts second) {
    this.first = first;
    this.second = second;
  }

  /**
   * Creates the hosts.
   *
   * @param name at most 7 letters and digits
   */
  static JoinedPaths up(Emulator emulator, String name, Link first, Link second)
      throws IOException {
    Emulator.Hosts one = emulator.up(name + "1", first);
    try {
      Emulator.Hosts two = emulator.up(name + "2", second);
      JoinedPaths joined = new JoinedPaths(one, two);
      try {
        joined.join(name);
        return joined;
      } catch (IOException e) {
        two.close();
        throw e;
      }
    } catch (IOException e) {
      one.close();
      throw e;
    }
  }

  private void join(String name) throws IOException {
    Place relay = first.destination();
    Place router = second.source();
    if (first.source().address().equals(second.source().address())) {
      throw new IOException("both paths have the same addresses: name an emulator in FDT_WAN");
    }
    Process holder = new ProcessBuilder(words(router, "sleep", "60")).start();
    try {
      String near = name + "r0";
      String far = name + "r1";
      run(relay, "ip link add " + near + " type veth peer name " + far);
      run(relay, "ip link set " + far + " netns " + holder.pid());
      cable(relay, near, 1);
      cable(router, far, 2);
      String source = first.source().address();
      String destination = second.destination().address();
      run(relay, "ip route add " + destination + " via " + CABLE + "2 src " + relay.address());
      run(router, "ip route add " + source + " via " + CABLE + 1);
      run(router, "ip route add " + relay.address() + " via " + CABLE + 1);
      routeAs(first.source(), relay.address(), destination);
      routeAs(second.destination(), router.address(), source);
      routeAs(second.destination(), router.address(), relay.address());
    } finally {
      holder.destroy();
    }
  }

  private static void cable(Place at, String device, int number) throws IOException {
    run(at, "ip addr add " + CABLE + number + "/30 dev " + device);
    run(at, "ip link set " + device + " up");
    run(at, "sysctl -qw net.ipv4.ip_forward=1");
  }

  /** Routes one address of a host like another one. */
  private static void routeAs(Place at, String known, String wanted) throws IOException {
    String route = Emulator.call(Map.of(), words(at, "ip", "-o", "route", "get", known));
    Matcher way = DEVICE.matcher(route);
    if (!way.find()) {
      throw new IOException("no route to " + known + ": " + route.strip());
    }
    String via = way.group(1) == null ? "" : " via " + way.group(1);
    run(at, "ip route add " + wanted + via + " dev " + way.group(2));
  }

  private static void run(Place at, String line) throws IOException {
    Emulator.call(Map.of(), words(at, line.split(" ")));
  }

  private static List<String> words(Place at, String... more) {
    List<String> words = new ArrayList<>(at.prefix());
    words.addAll(List.of(more));
    return words;
  }

  Place source() {
    return first.source();
  }

  Place relay() {
    return first.destination();
  }

  Place destination() {
    return second.destination();
  }

  @Override
  public void close() throws IOException {
    try {
      second.close();
    } finally {
      first.close();
    }
  }
}
