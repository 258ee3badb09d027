package io.fdt.cli.option;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a transfer is told of.
 *
 * @param json as events for a program, on standard output
 * @param quiet nothing but what goes wrong
 * @param explain with what limits it
 * @param monitor with all figures: as a page, or as events for a program
 * @param report where the outcome of each file is to be written
 */
public record CopyOutput(
    boolean json, boolean quiet, boolean explain, boolean monitor, Optional<Path> report) {}
