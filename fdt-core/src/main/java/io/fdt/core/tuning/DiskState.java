package io.fdt.core.tuning;

/**
 * The threads of one disk in about a second. Immutable.
 *
 * @param name the kernel's, as in "259:0", or a device number
 * @param busy share of time in which the threads worked, 0 to 1
 * @param waiting work items in the queue now
 * @param threads number of threads
 */
public record DiskState(String name, double busy, int waiting, int threads) {}
