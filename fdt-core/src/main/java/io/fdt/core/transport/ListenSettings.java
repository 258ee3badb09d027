package io.fdt.core.transport;

import io.fdt.core.security.ServerTls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Settings of a listener.
 *
 * @param tls connections wait for it
 * @param maxUnauthenticated connections with unauthenticated peers, 2 or more: half of them for one
 *     address; beyond that one of the oldest is closed
 * @param handshakeDeadline for each step of a peer until it is authenticated
 */
public record ListenSettings(
    CompletableFuture<ServerTls> tls, int maxUnauthenticated, Duration handshakeDeadline) {}
