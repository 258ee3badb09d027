package io.fdt.cli;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Who a server is, and who may connect to it. Immutable.
 *
 * @param authority certificates of who must have signed those of clients
 * @param certificate the server's own, with {@code key}
 */
record ServerAccess(Optional<Path> authority, Optional<Path> certificate, Optional<Path> key) {}
