package io.fdt.server.delivery;

import io.fdt.core.filter.FileAccess;
import io.fdt.core.security.TokenBook;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.server.session.ServerSessions;
import io.fdt.server.session.SessionRules;
import io.fdt.server.session.SessionTrees;
import io.fdt.server.stripe.DataNodes;
import io.fdt.server.thirdparty.ThirdParty;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The parts of a server that deliveries use. Thread-safe.
 *
 * @param trees all exports, the spool included
 */
public record DeliveryContext(
    TokenBook tokens,
    SessionRules rules,
    ServerSessions sessions,
    DataNodes nodes,
    ThirdParty thirdParty,
    SessionDeadlines deadlines,
    ExportedStorage roots,
    SessionTrees trees,
    Optional<Consumer<FileAccess>> accessLog) {}
