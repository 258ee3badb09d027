package io.fdt.core.filter;

import io.fdt.core.error.ErrorCode;
import java.util.Optional;

/**
 * The outcome of a transfer, for a filter.
 *
 * @param failure the error that ended it; empty when it completed, with or without failed files
 * @param failureMessage one line about {@code failure}
 * @param files each file with its outcome, in the order of completion; repeatable, read from disk
 *     in constant memory
 */
public record TransferOutcome(
    Optional<ErrorCode> failure, String failureMessage, Iterable<FileResult> files) {}
