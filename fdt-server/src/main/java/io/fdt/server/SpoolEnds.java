package io.fdt.server;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The two ends between which a relay passes bytes on: a token, and the server to which it connects.
 * What is held between two ends is found by no others. Immutable.
 *
 * @param owner the name of a {@link SpoolQuota.Owner}
 * @param target stands for an address and port
 */
record SpoolEnds(String owner, String target) {
  private static final int TARGET_LENGTH = 8;

  static SpoolEnds of(SpoolQuota.Owner owner, InetSocketAddress target) {
    String address = target.getAddress().getHostAddress() + " " + target.getPort();
    byte[] hash = Spool.hash(address.getBytes(StandardCharsets.UTF_8));
    return new SpoolEnds(owner.name(), HexFormat.of().formatHex(hash, 0, TARGET_LENGTH));
  }
}
