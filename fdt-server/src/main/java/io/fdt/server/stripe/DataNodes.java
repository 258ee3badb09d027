package io.fdt.server.stripe;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.ReceivingNodes;
import io.fdt.core.engine.SendingNodes;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Stripe;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.stripe.NodeLink;
import io.fdt.core.stripe.ReceivingStripe;
import io.fdt.core.stripe.SendingStripe;
import io.fdt.core.stripe.SessionNodes;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.OpenOnNode;
import io.fdt.server.session.SessionRequest;
import io.netty.buffer.ByteBufAllocator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data nodes that have joined this server, and the sessions that they take part in.
 * Thread-safe.
 */
public final class DataNodes {
  private static final Logger LOG = LoggerFactory.getLogger(DataNodes.class);

  /** Describes the addresses for data connections to the peer of a session. */
  @FunctionalInterface
  public interface DataAddresses {
    io.fdt.core.wire.control.DataNodes of(ControlConnection connection, List<DataNode> nodes);
  }

  private final DataAddresses addresses;
  private final Map<NodeLink, DataNode> nodes = new LinkedHashMap<>();
  private final Map<SessionId, OfSession> sessions = new LinkedHashMap<>();

  public DataNodes(DataAddresses addresses) {
    this.addresses = addresses;
  }

  /** The addresses for data connections of a peer, including these nodes. */
  public io.fdt.core.wire.control.DataNodes described(
      ControlConnection connection, List<DataNode> some) {
    return addresses.of(connection, some);
  }

  /** Adds a data node, which takes part in every session from now on. */
  synchronized void joined(NodeLink link, DataNode address) {
    LOG.info(
        "data node joined node={} address={}:{}",
        link.name(),
        address.getHost(),
        address.getPort());
    nodes.put(link, address);
    for (OfSession session : List.copyOf(sessions.values())) {
      session.nodes.joined(link);
      session.tell(addresses());
    }
  }

  /** Removes a lost data node. */
  synchronized void left(NodeLink link, FdtException cause) {
    if (nodes.remove(link) != null) {
      LOG.info("data node left node={} reason={}", link.name(), cause.getMessage());
      for (OfSession session : List.copyOf(sessions.values())) {
        session.nodes.left(link, cause);
        session.tell(addresses());
      }
    }
  }

  /** Handles a message of a node. */
  void heard(NodeLink link, FromNode message) {
    OfSession session;
    synchronized (this) {
      session = sessions.get(SessionId.of(message.getSession().toByteArray()));
    }
    if (session != null) { // otherwise it has ended meanwhile
      session.nodes.heard(link, message);
    }
  }

  /** The addresses of the nodes for data connections. */
  public synchronized List<DataNode> addresses() {
    return List.copyOf(nodes.values());
  }

  /**
   * The nodes' part in a session. Sessions do without nodes if they have a single file in order,
   * receive a part of a file, or have no files.
   */
  public Stripe of(SessionRequest wanted) {
    boolean isPlain =
        !wanted.isNettest()
            && !wanted.inOrder()
            && !wanted.spec().dryRun()
            && (wanted.isPull() || wanted.spec().part().isWhole());
    return isPlain ? new StripeOf(wanted) : Stripe.NONE;
  }

  /**
   * Notifies {@code peer} whenever the nodes of a session change.
   *
   * @return the nodes now
   */
  public synchronized List<DataNode> watch(SessionId session, Consumer<List<DataNode>> peer) {
    OfSession found = sessions.get(session);
    if (found == null) {
      return List.of();
    }
    found.peer = peer;
    return addresses();
  }

  /** Makes the nodes dial the peer's addresses for data streams. */
  public synchronized void dial(SessionId session, List<DataNode> targets, int streamsEach) {
    OfSession found = sessions.get(session);
    if (found != null) {
      found.nodes.dial(targets, streamsEach);
    }
  }

  /** Removes a session that has ended or was refused. Idempotent. */
  @SuppressWarnings("ReferenceEquality") // another request may have the same id
  public synchronized void forget(SessionRequest wanted) {
    OfSession found = sessions.get(wanted.id());
    if (found != null && found.wanted == wanted) {
      sessions.remove(wanted.id());
    }
  }

  /** Adds a session; one with a duplicate id gets no nodes, because it will be refused. */
  private synchronized void add(SessionRequest wanted, SessionNodes<?> of) {
    if (sessions.putIfAbsent(wanted.id(), new OfSession(wanted, of)) == null) {
      nodes.keySet().forEach(of::joined);
    }
  }

  /** A session, and the listener for its nodes. Guarded by the registry. */
  private static final class OfSession {
    final SessionRequest wanted;
    final SessionNodes<?> nodes;
    Consumer<List<DataNode>> peer = addresses -> {};

    OfSession(SessionRequest wanted, SessionNodes<?> nodes) {
      this.wanted = wanted;
      this.nodes = nodes;
    }

    void tell(List<DataNode> addresses) {
      peer.accept(addresses);
    }
  }

  private final class StripeOf implements Stripe {
    private final SessionRequest wanted;

    StripeOf(SessionRequest wanted) {
      this.wanted = wanted;
    }

    private OpenOnNode open(boolean sends) {
      TransferSpec bare = wanted.spec().forDataNode();
      return OpenOnNode.newBuilder()
          .setSecret(ByteString.copyFrom(wanted.secret()))
          .setEncrypted(wanted.isEncrypted())
          .setSends(sends)
          .setSpec(ByteString.copyFrom(TransferSpecCoding.toBytes(bare)))
          .build();
    }

    @Override
    public Optional<SendingNodes> sending(SessionLoop loop, SessionId session) {
      SendingStripe created = new SendingStripe(loop, session, open(true));
      add(wanted, created);
      return Optional.of(created);
    }

    @Override
    public Optional<ReceivingNodes> receiving(
        SessionLoop loop, SessionId session, int maxPayload, ByteBufAllocator allocator) {
      ReceivingStripe created =
          new ReceivingStripe(loop, session, open(false), maxPayload, allocator);
      add(wanted, created);
      return Optional.of(created);
    }
  }
}
