package io.fdt.server.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.wire.control.OpenSession;

/** The sessions that a server accepts. Immutable. */
public record SessionRules(boolean requireEncryption, boolean allowPrivileged) {
  /**
   * Decodes a request and checks it.
   *
   * @throws FdtException FORBIDDEN; PROTOCOL for an invalid request
   */
  public SessionRequest check(OpenSession open) throws FdtException {
    SessionRequest wanted = SessionRequest.of(open);
    if (requireEncryption && !wanted.isEncrypted()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN, "the server requires encrypted data: add " + Setting.ENCRYPTION);
    }
    wanted.checkRights(allowPrivileged);
    return wanted;
  }
}
