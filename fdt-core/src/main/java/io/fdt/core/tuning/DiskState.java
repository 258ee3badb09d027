package io.fdt.core.tuning;

/**
 * The threads of one disk in about a second. Immutable.
 *
 * @param name the kernel's, as in "259:0", or a device number
 * @param busy how much of the time they worked, 0 to 1
 * @param waiting pieces of work that wait for them now
 * @param threads how many they are
 */
public record DiskState(String name, double busy, int waiting, int threads) {}
