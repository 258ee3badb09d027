package io.fdt.cli.option.access;

import io.fdt.server.Export;
import io.fdt.server.ServerLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Identity of a server, and rights of its clients. Immutable.
 *
 * @param authority certificates of the authority of clients
 * @param certificate the server's own, with {@code key}
 * @param anonymous the rights of clients without a token; empty for none
 * @param requireEncryption whether clients must encrypt data
 * @param addresses list of the addresses that may connect; empty for all
 * @param allowPrivileged whether clients may set owners, special bits and all attributes
 * @param allowShared whether other users of Windows may change exports
 * @param thirdParty whether it takes part in transfers between servers
 * @param udp whether it also accepts data over UDP
 * @param dialTo the addresses to which it connects for transfers between servers; empty for the
 *     default
 * @param relay its options as a relay; empty if it is not one
 * @param join the front end, if it is a data node
 * @param limits of all clients together
 */
public record ServerAccess(
    Optional<Path> authority,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<Export.Access> anonymous,
    Optional<Path> addresses,
    boolean requireEncryption,
    boolean allowPrivileged,
    boolean allowShared,
    boolean thirdParty,
    boolean udp,
    List<String> dialTo,
    Optional<RelayOptions> relay,
    List<String> offeredRelays,
    Optional<JoinOptions> join,
    ServerLimits limits) {}
