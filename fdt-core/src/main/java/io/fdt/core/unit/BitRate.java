package io.fdt.core.unit;

/**
 * A rate of data.
 *
 * @param bytesPerSecond 1 or more
 */
public record BitRate(long bytesPerSecond) {}
