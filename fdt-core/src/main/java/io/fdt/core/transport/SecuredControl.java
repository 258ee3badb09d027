package io.fdt.core.transport;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * An unused control connection after its handshake.
 *
 * @param certificates those that the peer has proven, its own first
 * @param begin to be run, on any thread, once the peer is trusted and before anything is sent;
 *     until then the peer may not send
 */
public record SecuredControl(
    ControlConnection control, List<X509Certificate> certificates, Runnable begin) {}
