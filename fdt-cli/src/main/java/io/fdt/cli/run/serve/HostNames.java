package io.fdt.cli.run.serve;

import io.fdt.core.model.BytePath;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The names and addresses of this machine, without a name server, which may be slow.
 *
 * @param names at least one
 */
record HostNames(List<String> names) {
  private static final Path KERNEL_NAME = Path.of("/proc/sys/kernel/hostname");

  /** The addresses that were bound, or else the name of this machine and its addresses. */
  static HostNames of(List<String> bound, Map<String, String> environment) {
    if (!bound.isEmpty() && bound.stream().noneMatch(HostNames::isWildcard)) {
      return new HostNames(bound);
    }
    List<String> names = new ArrayList<>();
    hostName(environment).ifPresent(names::add);
    names.addAll(addresses());
    return new HostNames(names.isEmpty() ? List.of("localhost") : List.copyOf(names));
  }

  private static boolean isWildcard(String address) {
    return address.equals("0.0.0.0") || address.equals("::") || address.equals("[::]");
  }

  private static Optional<String> hostName(Map<String, String> environment) {
    try {
      String name = Files.readString(KERNEL_NAME).strip();
      return name.isEmpty() || name.equals("(none)") ? Optional.empty() : Optional.of(name);
    } catch (IOException e) {
      return Optional.ofNullable(environment.get("HOSTNAME"));
    }
  }

  /** IPv4 addresses first. */
  private static List<String> addresses() {
    List<String> four = new ArrayList<>();
    List<String> six = new ArrayList<>();
    try {
      for (NetworkInterface card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        for (InetAddress address : Collections.list(card.getInetAddresses())) {
          if (!address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
            (address instanceof Inet6Address ? six : four).add(text(address));
          }
        }
      }
    } catch (SocketException e) {
      return List.of();
    }
    four.addAll(six);
    return four;
  }

  private static String text(InetAddress address) {
    String text = address.getHostAddress();
    int scope = address instanceof Inet6Address ? text.indexOf('%') : -1;
    return scope < 0 ? text : text.substring(0, scope);
  }

  /** Whether no other machine reaches them. */
  boolean areOfThisMachineOnly() {
    return names.stream()
        .allMatch(
            name ->
                name.equals("localhost")
                    || name.equals("::1")
                    || name.equals("[::1]")
                    || name.startsWith("127."));
  }

  /** The name to try first. */
  String first() {
    return names.get(0);
  }

  /** All of them, for people. */
  String all() {
    return String.join(", ", names);
  }

  /** A directory for people: absolute. */
  static String shown(BytePath directory, Path workingDirectory) {
    return directory.equals(BytePath.of(".")) ? workingDirectory.toString() : directory.toString();
  }
}
