package io.fdt.client;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import java.util.Optional;

/**
 * A file, directory or link of a server.
 *
 * @param name its last name; the path that was asked for when that is no directory
 * @param kind what it is; empty for devices, sockets and FIFOs
 * @param size bytes of a file
 * @param mode permission bits
 * @param modified time of last modification
 * @param linkTarget where a symbolic link points; empty for everything else
 */
public record RemoteFile(
    BytePath name,
    Optional<EntryKind> kind,
    long size,
    int mode,
    Timestamp modified,
    BytePath linkTarget) {}
