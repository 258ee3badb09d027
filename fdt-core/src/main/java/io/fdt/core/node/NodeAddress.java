package io.fdt.core.node;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.wire.stripe.DataNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** Encodes the addresses of data nodes in messages. */
public final class NodeAddress {
  /** Characters of IPv4 and IPv6 addresses, which are never resolved. */
  private static final Pattern LITERAL = Pattern.compile("[0-9A-Fa-f:.]*[.:][0-9A-Fa-f:.]*");

  private NodeAddress() {}

  /**
   * The address in a message.
   *
   * @throws FdtException PROTOCOL for a malformed address, or a name
   */
  public static InetSocketAddress of(DataNode node) throws FdtException {
    String host = node.getHost();
    if (!LITERAL.matcher(host).matches() || node.getPort() < 1 || node.getPort() > 65535) {
      throw bad(node);
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(host), node.getPort());
    } catch (UnknownHostException e) {
      throw bad(node);
    }
  }

  /**
   * The peer's own address for data.
   *
   * @param peer the address of its control connection
   * @param dataPort as announced; 0 for that of the control connection
   */
  static InetSocketAddress ofData(InetSocketAddress peer, int dataPort) {
    boolean isOther = dataPort > 0 && dataPort <= 65535;
    return isOther ? new InetSocketAddress(peer.getAddress(), dataPort) : peer;
  }

  private static FdtException bad(DataNode node) {
    return new FdtException(
        ErrorCode.PROTOCOL, "bad address of a data node: " + node.getHost() + ":" + node.getPort());
  }

  /** The message for an address and the key of its node. */
  public static DataNode of(InetSocketAddress address, Fingerprint key) {
    return DataNode.newBuilder()
        .setHost(address.getAddress().getHostAddress().replaceFirst("%.*", ""))
        .setPort(address.getPort())
        .setKey(ByteString.copyFrom(key.digest()))
        .build();
  }
}
