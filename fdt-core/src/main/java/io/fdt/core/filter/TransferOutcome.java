package io.fdt.core.filter;

import io.fdt.core.error.ErrorCode;
import java.util.Optional;

/**
 * How a transfer ended, for a filter.
 *
 * @param failure what ended it before its time; empty when it came to its end, with or without
 *     failures of files
 * @param failureMessage one line about {@code failure}
 * @param files each file with its outcome, in the order in which that was known; may be walked
 *     through more than once, and takes no memory however many there are
 */
public record TransferOutcome(
    Optional<ErrorCode> failure, String failureMessage, Iterable<FileResult> files) {}
