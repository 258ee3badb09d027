package io.fdt.core.transport;

import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Fingerprint;

/**
 * The client's side of TLS on data streams.
 *
 * @param key the server's, as proven by its control connection
 */
public record DataTls(ClientTls tls, Fingerprint key) {}
