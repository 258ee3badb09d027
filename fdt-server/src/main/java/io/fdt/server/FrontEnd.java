package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.node.AcceptedSessions;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.NodeSession;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.SecretFile;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.server.stripe.NodeMembership;
import io.fdt.server.thirdparty.ThirdParty;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The server that a data node joins. Immutable.
 *
 * @param host its name or address
 * @param port 1 to 65535
 * @param fingerprint the key that it must have: "SHA256:..."
 * @param token of a data node; a secret
 * @param advertised the numeric address at which others reach this data node; empty for the one
 *     that the front end sees
 */
public record FrontEnd(String host, int port, String fingerprint, String token, String advertised) {
  public FrontEnd {
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(advertised, "advertised");
    Fingerprint.parse(fingerprint);
  }

  /**
   * The token in a file.
   *
   * @throws FdtException FORBIDDEN when others than the file's owner may read or change it; USAGE
   *     when it has no token
   */
  public static String tokenOf(Path file) throws FdtException {
    return SecretFile.readToken(file);
  }

  /**
   * Joins a server.
   *
   * @param dataPort its port for data connections
   */
  NodeMembership join(
      ThirdParty thirdParty, ExportedStorage exports, AcceptedSessions accepted, int dataPort) {
    Fingerprint expected = Fingerprint.parse(fingerprint);
    Dialer dialer =
        new Dialer(
            thirdParty.node(),
            host,
            port,
            thirdParty.tls().get(),
            (name, at, certificates) -> {
              Fingerprint shown = Fingerprint.of(certificates);
              if (!shown.equals(expected)) {
                throw new FdtException(
                    ErrorCode.UNTRUSTED,
                    "%s:%d shows the key %s, and not %s; check the fingerprint of %s"
                        .formatted(name, at, shown, expected, Setting.JOIN));
              }
            },
            shown -> Hello.newBuilder().setToken(token),
            DialRule.ANYWHERE,
            false,
            ThirdParty.CONNECT_TIMEOUT,
            SessionDeadlines.DEFAULT);
    AtomicReference<NodeMembership> membership = new AtomicReference<>();
    membership.set(
        new NodeMembership(
            dialer,
            DataNode.newBuilder().setHost(advertised).setPort(dataPort).build(),
            new NodeSession.Context(
                thirdParty.node(),
                exports,
                accepted,
                thirdParty.tls().get(),
                thirdParty.rule(),
                SessionDeadlines.DEFAULT.idleTimeout(),
                () -> membership.get().mayWrite())));
    return membership.get();
  }

  /** The front end without its token. */
  @Override
  public String toString() {
    return "FrontEnd[" + host + ":" + port + ", " + fingerprint + "]";
  }
}
