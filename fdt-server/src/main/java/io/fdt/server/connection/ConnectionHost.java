package io.fdt.server.connection;

import io.fdt.core.engine.FileDigests;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.Filters;
import io.fdt.core.model.BytePath;
import io.fdt.core.node.Software;
import io.fdt.core.security.Grant;
import io.fdt.core.security.TokenBook;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.Welcome;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.server.delivery.Deliveries;
import io.fdt.server.limits.Quota;
import io.fdt.server.limits.RefusalCounts;
import io.fdt.server.relay.Relay;
import io.fdt.server.session.ServerSessions;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.session.SessionTrees;
import io.fdt.server.stripe.DataNodes;
import io.fdt.server.thirdparty.ThirdParty;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * What the connection of a client needs of its server. Thread-safe.
 *
 * @param trees how clients read and write what they reach of the exports
 * @param requests threads that may block, one for each client
 * @param afterwards threads for filters of transfers that have ended
 * @param onThisMachine where a path of a client is; null for one that is in no export
 * @param handshake how long a client may take to say hello
 */
public record ConnectionHost(
    ExportedStorage roots,
    Function<ExportedStorage, SessionTrees> trees,
    TokenBook tokens,
    boolean requireEncryption,
    boolean allowPrivileged,
    ByteBufAllocator allocator,
    Executor requests,
    Executor afterwards,
    FileDigests digests,
    ServerSessions sessions,
    ThirdParty thirdParty,
    DataNodes nodes,
    Relay relay,
    Deliveries deliveries,
    List<String> offeredRelays,
    DataAddresses addresses,
    Quota places,
    RefusalCounts refusals,
    Filters filters,
    UnaryOperator<BytePath> onThisMachine,
    Duration handshake,
    SessionDeadlines deadlines,
    Runnable clientCame,
    Runnable clientLeft) {

  /** What the peer of a session is told of where data connections go. */
  @FunctionalInterface
  public interface DataAddresses {
    /** Over this connection, with these data nodes. */
    io.fdt.core.wire.control.DataNodes told(ControlConnection connection, List<DataNode> nodes);
  }

  /** The first words to a client that is admitted. */
  Welcome welcome() {
    return Welcome.newBuilder()
        .setSoftware(Software.name())
        .setRefusesUdp(!relay.hasDatagrams())
        .build();
  }

  /** What a client may see. */
  ExportedStorage rootsOf(Grant grant) {
    return deliveries.confined(roots.view(grant.exports(), grant.readOnly()), grant);
  }

  /** What a client may ask of a relay. */
  RelayRequests relayFor(Grant grant, InetAddress client) {
    return new RelayRequests(relay, deliveries, offeredRelays, grant, client);
  }

  /**
   * A request for a session that a client of this server may make.
   *
   * @throws FdtException FORBIDDEN; PROTOCOL when it makes no sense
   */
  public SessionRequest checked(OpenSession open) throws FdtException {
    SessionRequest wanted = SessionRequest.of(open);
    if (requireEncryption && !wanted.isEncrypted()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN, "the server requires encrypted data: add --encrypt");
    }
    wanted.checkRights(allowPrivileged);
    return wanted;
  }
}
