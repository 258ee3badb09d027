package io.fdt.client;

import io.fdt.core.model.BytePath;

/**
 * The digest of a file, as its server has read it.
 *
 * @param path beneath the path that was asked for; that path itself when it is a file
 * @param size bytes of the file
 * @param construction how the digest is made: crc32c, blake3, or a hash with the size of its
 *     chunks, as in sha256-1MiB; docs/PROTOCOL.md says how to make each again with other programs
 * @param digest in lower-case hexadecimal digits
 */
public record RemoteDigest(BytePath path, long size, String construction, String digest) {}
