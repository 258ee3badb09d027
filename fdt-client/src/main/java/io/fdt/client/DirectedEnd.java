package io.fdt.client;

import io.fdt.core.node.Dialer;

/**
 * A server of a directed session. Immutable.
 *
 * @param dialer how this client reaches it
 * @param host how the other server reaches it, with {@code port}
 * @param dials whether it may connect to the other server
 */
record DirectedEnd(Dialer dialer, String host, int port, boolean dials) {}
