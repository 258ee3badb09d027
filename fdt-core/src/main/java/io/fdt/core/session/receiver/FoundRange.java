package io.fdt.core.session.receiver;

import io.fdt.core.model.CheckedRange;

/**
 * A range of a file whose bytes are in the base.
 *
 * @param range with its CRC32C, if it is written
 * @param shift offset of its bytes in the base minus its start
 */
public record FoundRange(CheckedRange range, long shift) {}
