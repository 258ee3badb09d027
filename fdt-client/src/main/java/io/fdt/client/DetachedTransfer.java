package io.fdt.client;

/**
 * A transfer between two servers that continues without a client.
 *
 * @param id for {@link FdtClient#attach}: 32 hexadecimal digits
 * @param atSource whether the source's server runs it; otherwise the destination's does
 */
public record DetachedTransfer(String id, boolean atSource) {}
