package io.fdt.core.transport;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A control connection after its handshake. Nothing was sent on it yet.
 *
 * @param certificates what the peer has proven, its own first
 * @param begin to be run, on any thread, once the peer is trusted and before anything is sent;
 *     until then the peer may say nothing
 */
public record SecuredControl(
    ControlConnection control, List<X509Certificate> certificates, Runnable begin) {}
