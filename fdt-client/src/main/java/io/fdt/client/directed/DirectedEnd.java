package io.fdt.client.directed;

import io.fdt.core.node.Dialer;

/**
 * A server of a directed session. Immutable.
 *
 * @param dialer for this client
 * @param host address for the other server, with {@code port}
 * @param dials whether it may connect to the other server
 */
public record DirectedEnd(Dialer dialer, String host, int port, boolean dials) {}
