package io.fdt.server.thirdparty;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Grant;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.Node;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.PeerAddress;
import io.fdt.server.session.PreparedSessions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Connects a server to another one for transfers that a client directs. Thread-safe.
 *
 * @param allowed whether clients may direct transfers at all
 * @param rule allowed addresses
 * @param prepared the sessions that other servers will open here
 * @param runs the sessions that this server has opened at others
 * @param tls for connections to other servers
 */
public record ThirdParty(
    boolean allowed,
    Node node,
    DialRule rule,
    PreparedSessions prepared,
    DirectedRuns runs,
    Supplier<CompletableFuture<ClientTls>> tls) {
  /** Longest name in the DNS; addresses are shorter. */
  private static final int LONGEST_HOST = 255;

  /** The timeout for each connection to another server, and again for its first answer. */
  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** The same, with another rule and a separate list of sessions. */
  public ThirdParty with(DialRule other, DirectedRuns own) {
    return new ThirdParty(allowed, node, other, prepared, own, tls);
  }

  /** The same, for addresses within ranges only; empty for all. */
  public ThirdParty within(List<AddressRange> ranges) {
    return new ThirdParty(allowed, node, rule.within(ranges), prepared, runs, tls);
  }

  /**
   * Checks that a client may direct transfers of this server.
   *
   * @throws FdtException FORBIDDEN
   */
  public void check(Grant grant) throws FdtException {
    if (!grant.thirdParty()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token does not allow transfers between servers; ask its administrator for another"
              + " one");
    }
    if (!allowed) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the server refuses transfers between servers ("
              + Setting.WITHOUT_THIRD_PARTY
              + "); copy through this machine");
    }
  }

  /**
   * The dialer of another server.
   *
   * @param hello for that server
   * @throws FdtException PROTOCOL for an invalid address
   */
  public Dialer dialer(
      PeerAddress peer, Hello.Builder hello, boolean encrypts, SessionDeadlines deadlines)
      throws FdtException {
    Fingerprint key = key(peer.getKey().toByteArray());
    if (peer.getHost().isEmpty()
        || peer.getHost().length() > LONGEST_HOST
        || peer.getPort() < 1
        || peer.getPort() > 65535) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "bad address of a server: " + MessageText.fit(peer.getHost()) + ":" + peer.getPort());
    }
    return new Dialer(
        node,
        peer.getHost(),
        peer.getPort(),
        tls.get(),
        (host, port, certificates) -> {
          Fingerprint shown = Fingerprint.of(certificates);
          if (!shown.equals(key)) {
            throw new FdtException(
                ErrorCode.UNTRUSTED,
                "%s:%d presents the key %s instead of %s, which the client saw; check its address and who answers there"
                    .formatted(host, port, shown, key));
          }
        },
        shown -> hello.clone(),
        rule,
        encrypts,
        CONNECT_TIMEOUT,
        deadlines);
  }

  /**
   * The key named by a client.
   *
   * @throws FdtException PROTOCOL for an invalid key
   */
  static Fingerprint key(byte[] digest) throws FdtException {
    try {
      return Fingerprint.ofDigest(digest);
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad key of a server: " + e.getMessage(), e);
    }
  }
}
