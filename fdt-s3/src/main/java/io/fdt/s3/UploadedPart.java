package io.fdt.s3;

/**
 * A part that the store has.
 *
 * @param number from 1 on
 * @param length bytes
 * @param crc CRC32C of its bytes
 */
record UploadedPart(int number, long length, String tag, int crc) {}
