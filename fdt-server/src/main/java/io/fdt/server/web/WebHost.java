package io.fdt.server.web;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Node;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.ServerTls;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.server.limits.RefusalCounts;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The parts of a server that its HTTP port uses. Thread-safe.
 *
 * @param refusal why connections from an address are refused; empty to accept them
 * @param admission authenticates the client of one request
 * @param threads may block on disks and on the client
 * @param dialing the addresses to which the server connects for its clients
 * @param handshake time for each step until a client is authenticated
 * @param idleConnections the most connections without a request
 */
public record WebHost(
    Node node,
    CompletableFuture<ServerTls> tls,
    Function<InetAddress, Optional<ErrorCode>> refusal,
    Admission admission,
    Executor threads,
    RefusalCounts refusals,
    DialRule dialing,
    Duration handshake,
    SessionDeadlines deadlines,
    int idleConnections) {
  /** Authenticates clients. Thread-safe. */
  @FunctionalInterface
  public interface Admission {
    /**
     * Admits one request; the caller closes the result.
     *
     * @param token as presented; empty for none
     * @param peer address and port, for logs
     * @throws FdtException UNAUTHENTICATED, FORBIDDEN; BUSY at a limit
     */
    WebClient admit(String token, InetAddress address, String peer) throws FdtException;
  }
}
