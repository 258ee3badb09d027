package io.fdt.client;

/**
 * Totals of one request.
 *
 * @param links symbolic links
 * @param others devices, sockets, FIFOs
 * @param bytes sizes of the files together; a file with several names counts with each
 */
public record RemoteTotals(long files, long directories, long links, long others, long bytes) {}
