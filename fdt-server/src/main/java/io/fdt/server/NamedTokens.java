package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.TokenFile;
import java.nio.file.Path;
import java.util.List;

/**
 * The named tokens of a server's home. A server that runs follows what is done here within a
 * second. Any thread, any process.
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
   * Makes a token.
   *
   * @return its text, which is kept nowhere: only a hash of it is
   * @throws FdtException USAGE when the name is taken or an address makes no sense
   */
  public String create(Grant wanted) throws FdtException {
    try {
      return file.create(wanted);
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
  }

  /** All of them, the oldest first. */
  public List<Grant> list() throws FdtException {
    return file.list();
  }

  /**
   * Makes a token good for nothing; transfers that run with it are ended.
   *
   * @throws FdtException NOT_FOUND
   */
  public void revoke(String name) throws FdtException {
    file.revoke(name);
  }
}
