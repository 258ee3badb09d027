package io.fdt.server.session;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.model.Grant;
import io.fdt.core.transport.ControlConnection;
import io.fdt.server.limits.DescriptorBudget;
import java.net.InetAddress;

/**
 * An authenticated client and its connection.
 *
 * @param trees the exported files that it may use
 * @param prepared the session of its ticket, for a server that dials; null for a client
 */
public record Client(
    ControlConnection connection,
    SessionLoop loop,
    Grant grant,
    SessionTrees trees,
    DescriptorBudget.Share descriptors,
    PreparedSessions.Prepared prepared) {
  public InetAddress address() {
    return connection.peerAddress();
  }
}
