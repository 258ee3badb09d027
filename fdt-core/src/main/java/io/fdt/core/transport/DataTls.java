package io.fdt.core.transport;

import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Fingerprint;

/**
 * What a client needs for data streams within TLS.
 *
 * @param key the server's, as its control connection has proven it
 */
public record DataTls(ClientTls tls, Fingerprint key) {}
