package io.fdt.client;

/**
 * A transfer between two servers that goes on without a client.
 *
 * @param id by which a client attaches to it: 32 hexadecimal digits
 * @param atSource whether the source's server runs it; otherwise the destination's does
 */
public record DetachedTransfer(String id, boolean atSource) {}
