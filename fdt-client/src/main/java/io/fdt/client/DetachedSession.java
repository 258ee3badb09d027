package io.fdt.client;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The record of a detached transfer. Holds no secret. Immutable.
 *
 * @param id 32 hexadecimal digits
 * @param host of the server that runs it
 * @param atSource whether that is the server of the source
 * @param fingerprint the key that the user requires
 * @param tokenFile of the token for that server, if it came from a file
 */
public record DetachedSession(
    String id,
    Instant left,
    String host,
    int port,
    boolean atSource,
    Optional<String> fingerprint,
    Optional<Path> tokenFile) {}
