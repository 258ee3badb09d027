package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.TokenFile;
import io.fdt.server.spool.Spool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

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
    return list(new ArrayList<>());
  }

  /**
   * The same.
   *
   * @param flaws get a line about each line of the file that is ignored
   */
  public List<Grant> list(List<String> flaws) throws FdtException {
    return file.list(flaws);
  }

  /**
   * Remembers the exports of a server that has started with this home, so that {@link
   * #unknownExports} finds the names that it has not.
   */
  public void remember(List<Export> exports) throws FdtException {
    file.rememberExports(exports.stream().map(Export::name).filter(Objects::nonNull).toList());
  }

  /** The exports of a token that the server that started last has not; empty before the first. */
  public List<FileName> unknownExports(Grant wanted) throws FdtException {
    Optional<Set<FileName>> known = file.lastExports();
    return wanted.exports().stream()
        .filter(name -> known.isPresent() && !known.get().contains(name))
        .filter(name -> !name.equals(Spool.EXPORT))
        .sorted(Comparator.comparing(FileName::toString))
        .toList();
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
