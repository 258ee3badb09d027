package io.fdt.cli.process;

import io.fdt.core.unit.AddressText;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The addresses of this machine. */
public final class HostAddresses {
  private HostAddresses() {}

  /** Addresses that another host may reach; IPv4 first. */
  public static List<String> all() {
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
    return List.copyOf(four);
  }

  /** An address without its scope. */
  public static String text(InetAddress address) {
    String text = AddressText.of(address.getHostAddress());
    int scope = text.indexOf('%');
    return scope < 0 ? text : text.substring(0, scope);
  }
}
