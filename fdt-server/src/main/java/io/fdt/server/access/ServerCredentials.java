package io.fdt.server.access;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.security.AddressList;
import io.fdt.core.security.Background;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.security.TokenBook;
import io.fdt.core.security.TokenFile;
import io.fdt.core.security.Tokens;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity of a server, and its tokens. Thread-safe.
 *
 * @param localToken the token of the server's user, with all rights; a secret
 * @param addresses that may connect; empty for all
 * @param tls the TLS settings, once loaded
 */
public record ServerCredentials(
    Identity identity,
    TokenBook tokens,
    String localToken,
    Optional<AddressList> addresses,
    CompletableFuture<ServerTls> tls) {
  /**
   * The files with the credentials.
   *
   * @param home of identity and tokens; empty for temporary ones
   * @param certificates the identity issued by a CA, with {@code key}
   * @param clientAuthority certificates of the authority for clients
   * @param anonymous rights of clients without a token; empty for none
   * @param allowedAddresses list of addresses that may connect
   */
  public record Files(
      Optional<Path> home,
      Optional<Path> certificates,
      Optional<Path> key,
      Optional<Path> clientAuthority,
      Optional<Grant> anonymous,
      Optional<Path> allowedAddresses) {}

  private static final Logger LOG = LoggerFactory.getLogger(ServerCredentials.class);

  /**
   * Begins to load or create the identity, which takes a while.
   *
   * @return an argument of {@link #open}
   */
  public static CompletableFuture<Identity> identify(Files files) {
    return Background.run("fdt-server-id", () -> identity(files));
  }

  private static Identity identity(Files files) throws FdtException {
    if (files.certificates().isPresent()) {
      Identity given = Identity.ofFiles(files.certificates().get(), files.key().orElseThrow());
      if (files.home().isPresent()) {
        given.rememberIn(new HomeDirectory(files.home().get()));
      }
      return given;
    }
    return files.home().isPresent()
        ? Identity.ofHome(new HomeDirectory(files.home().get()))
        : Identity.generate();
  }

  /**
   * Reads the rest.
   *
   * @throws FdtException a file cannot be read, or is invalid
   */
  public static ServerCredentials open(Files files, CompletableFuture<Identity> identified)
      throws FdtException {
    Optional<AddressList> addresses = Optional.empty();
    if (files.allowedAddresses().isPresent()) {
      AddressList list = AddressList.read(files.allowedAddresses().get());
      list.flaws().forEach(LOG::warn);
      addresses = Optional.of(list);
    }
    Optional<Grant> anonymous = files.anonymous();
    String localToken;
    TokenBook tokens;
    if (files.home().isPresent()) {
      TokenFile file = new TokenFile(new HomeDirectory(files.home().get()));
      localToken = file.ownToken();
      tokens = new TokenBook(file, anonymous);
    } else {
      localToken = Tokens.make();
      tokens = new TokenBook(localToken, anonymous);
    }
    Identity identity = Background.join(identified);
    List<X509Certificate> authorities =
        files.clientAuthority().isPresent()
            ? Identity.authorities(files.clientAuthority().get())
            : List.of();
    // Loads in the background: TLS is needed only when a client connects.
    CompletableFuture<ServerTls> tls =
        Background.run("fdt-server-tls", () -> new ServerTls(identity, authorities));
    return new ServerCredentials(identity, tokens, localToken, addresses, tls);
  }

  /** The reason to refuse a connection from this address; empty to accept it. */
  public Optional<ErrorCode> refusal(InetAddress address) {
    return addresses.isEmpty() || addresses.get().contains(address)
        ? Optional.empty()
        : Optional.of(ErrorCode.FORBIDDEN);
  }
}
