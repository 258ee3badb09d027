package io.fdt.server.stripe;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.node.NodeAddress;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.TokenBook;
import io.fdt.core.stripe.NodeLink;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Ping;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.core.wire.stripe.JoinStripe;
import io.fdt.core.wire.stripe.ToNode;
import io.fdt.server.session.Client;
import io.fdt.server.session.MessageHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The connection of a data node to this server, its front end. Confined to the event loop of the
 * connection, except {@link #send}.
 */
public final class JoinedNode implements NodeLink, MessageHandler {
  /** The silence after which a node is dropped. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int PINGS_PER_PATIENCE = 4;

  private final ControlConnection connection;
  private final SessionLoop loop;
  private final DataNodes nodes;
  private final DataNode address;
  private final TokenBook tokens;
  private final Grant grant;
  private final Consumer<FdtException> refuse;
  private long heardNanos;
  private boolean left;

  private JoinedNode(
      Client client,
      DataNodes nodes,
      DataNode address,
      TokenBook tokens,
      Consumer<FdtException> refuse) {
    this.connection = client.connection();
    this.loop = client.loop();
    this.grant = client.grant();
    this.nodes = nodes;
    this.address = address;
    this.tokens = tokens;
    this.refuse = refuse;
    this.heardNanos = loop.nanoTime();
  }

  /**
   * Checks that a token is for data nodes.
   *
   * @throws FdtException FORBIDDEN
   */
  private static void check(Grant grant) throws FdtException {
    if (!grant.dataNode()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token makes no data node: use one that was made for data nodes");
    }
  }

  /**
   * Handles a server that asks to become a data node.
   *
   * @param refuse ends the connection of a silent node, or one with a revoked token
   * @throws FdtException FORBIDDEN without a proven key; PROTOCOL for an invalid address
   */
  public static JoinedNode join(
      Client client,
      DataNodes nodes,
      JoinStripe request,
      TokenBook tokens,
      Consumer<FdtException> refuse)
      throws FdtException {
    check(client.grant());
    Fingerprint key =
        client
            .connection()
            .peerKey()
            .orElseThrow(() -> new FdtException(ErrorCode.FORBIDDEN, "a data node without a key"));
    String host = request.getAddress().getHost();
    DataNode address =
        NodeAddress.of(
            new InetSocketAddress(
                host.isEmpty() ? client.address() : literal(host), request.getAddress().getPort()),
            key);
    JoinedNode node = new JoinedNode(client, nodes, address, tokens, refuse);
    nodes.joined(node, address);
    node.ping();
    return node;
  }

  /** The address in a request; only numeric, because the node resolves its own name. */
  private static InetAddress literal(String host) throws FdtException {
    try {
      return NodeAddress.of(DataNode.newBuilder().setHost(host).setPort(1).build()).getAddress();
    } catch (FdtException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad address of a data node: " + host, e);
    }
  }

  private void ping() {
    if (left) {
      return;
    }
    try {
      tokens.check(grant);
      if (loop.nanoTime() - heardNanos > PATIENCE.toNanos()) {
        throw new FdtException(ErrorCode.TIMEOUT, "it is silent");
      }
    } catch (FdtException e) {
      closed(e);
      refuse.accept(e);
    }
    if (!left) {
      connection.send(Control.newBuilder().setPing(Ping.getDefaultInstance()).build());
      loop.after(PATIENCE.toNanos() / PINGS_PER_PATIENCE, this::ping);
    }
  }

  @Override
  public void message(Control message) throws FdtException {
    heardNanos = loop.nanoTime();
    switch (message.getBodyCase()) {
      case FROM_NODE -> {
        try {
          nodes.heard(this, message.getFromNode());
        } catch (IllegalArgumentException e) {
          throw new FdtException(ErrorCode.PROTOCOL, "a data node names no session", e);
        }
      }
      case PING, PONG -> {}
      default ->
          throw new FdtException(ErrorCode.PROTOCOL, message.getBodyCase() + " from a data node");
    }
  }

  /** Handles the loss of the connection. Idempotent. */
  public void closed(FdtException cause) {
    if (!left) {
      left = true;
      nodes.left(this, cause);
    }
  }

  @Override
  public String name() {
    return address.getHost() + ":" + address.getPort();
  }

  @Override
  public void send(ToNode message) {
    connection.send(Control.newBuilder().setToNode(message).build());
  }
}
