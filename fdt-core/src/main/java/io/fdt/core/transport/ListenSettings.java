package io.fdt.core.transport;

import io.fdt.core.security.ServerTls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * What a listener needs to know.
 *
 * @param tls connections that come before it is there wait for it
 * @param maxUnauthenticated connections whose peers have not proven anything yet, 2 or more: half
 *     of them for one address; beyond that one of the oldest is closed
 * @param handshakeDeadline how long a peer has for each step until it is known
 */
public record ListenSettings(
    CompletableFuture<ServerTls> tls, int maxUnauthenticated, Duration handshakeDeadline) {}
