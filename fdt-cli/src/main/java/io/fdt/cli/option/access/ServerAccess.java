package io.fdt.cli.option.access;

import io.fdt.server.Export;
import io.fdt.server.ServerLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Who a server is, and who may connect to it. Immutable.
 *
 * @param authority certificates of who must have signed those of clients
 * @param certificate the server's own, with {@code key}
 * @param anonymous what clients without a token may do; empty for nothing
 * @param requireEncryption whether clients must encrypt data
 * @param addresses list of the addresses that may connect; empty for all
 * @param allowPrivileged whether clients may set owners, special bits and all attributes
 * @param thirdParty whether clients may have it take part in transfers between servers
 * @param udp whether it takes data over UDP too
 * @param dialTo the addresses that it connects to for them; empty for the usual ones
 * @param relay what it does as a relay; empty when it is none
 * @param join the server of which it is a data node
 * @param limits how much its clients may have at the same time
 */
public record ServerAccess(
    Optional<Path> authority,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<Export.Access> anonymous,
    Optional<Path> addresses,
    boolean requireEncryption,
    boolean allowPrivileged,
    boolean thirdParty,
    boolean udp,
    List<String> dialTo,
    Optional<RelayOptions> relay,
    List<String> offeredRelays,
    Optional<JoinOptions> join,
    ServerLimits limits) {

  public ServerAccess withLimits(ServerLimits others) {
    return new ServerAccess(
        authority,
        certificate,
        key,
        anonymous,
        addresses,
        requireEncryption,
        allowPrivileged,
        thirdParty,
        udp,
        dialTo,
        relay,
        offeredRelays,
        join,
        others);
  }
}
