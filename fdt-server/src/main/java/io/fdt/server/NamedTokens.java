package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.TokenFile;
import java.nio.file.Path;
import java.util.List;

/**
 * The named tokens of a server's home. A running server follows changes within a second. Any
 * thread, any process.
 */
public final class NamedTokens {
  private final TokenFile file;

  private NamedTokens(TokenFile file) {
    this.file = file;
  }

  /** The tokens of this home directory. */
  public static NamedTokens ofHome(Path home) {
    return new NamedTokens(new TokenFile(new HomeDirectory(home)));
  }

  /**
   * Creates a token.
   *
   * @return its text; only its hash is stored
   * @throws FdtException USAGE when the name is taken or an address is invalid
   */
  public String create(Grant wanted) throws FdtException {
    try {
      return file.create(wanted);
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
  }

  /** All named tokens, the oldest first. */
  public List<Grant> list() throws FdtException {
    return file.list();
  }

  /**
   * Revokes a token, and ends its running transfers.
   *
   * @throws FdtException NOT_FOUND
   */
  public void revoke(String name) throws FdtException {
    file.revoke(name);
  }
}
