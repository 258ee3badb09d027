package io.fdt.server.connection;

import io.fdt.core.model.Grant;
import io.fdt.core.security.TokenBook;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.wire.control.Welcome;
import io.fdt.server.limits.ConnectedClients;
import io.fdt.server.session.Client;
import io.fdt.server.session.PreparedSessions;
import io.fdt.server.session.SessionAdmission;
import io.fdt.server.session.SessionTrees;
import io.fdt.server.stripe.DataNodes;
import io.fdt.server.thirdparty.ThirdPartyRequests;
import java.time.Duration;
import java.util.function.Function;

/**
 * Makes the handlers of a connection's messages, when its client is authenticated. Thread-safe.
 *
 * @param welcome the answer to an authenticated client
 * @param handshake the longest time until a client has sent its hello
 * @param trees the exported files that a client may use
 */
public record ClientHandlers(
    ConnectedClients clients,
    TokenBook tokens,
    PreparedSessions prepared,
    DataNodes nodes,
    Welcome welcome,
    Duration handshake,
    SessionDeadlines deadlines,
    Function<Grant, SessionTrees> trees,
    Function<Client, SessionAdmission> admission,
    Function<Client, ServedSessions> sessions,
    Function<Client, ThirdPartyRequests> thirdParty,
    Function<Client, RequestDispatcher> requests) {}
