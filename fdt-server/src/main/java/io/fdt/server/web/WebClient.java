package io.fdt.server.web;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.FileAccess;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Grant;
import io.fdt.core.security.TokenBook;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.server.access.AccessEntries;
import io.fdt.server.limits.ConnectedClients;
import io.fdt.server.limits.DescriptorBudget;
import io.fdt.server.limits.Owner;
import io.fdt.server.limits.ReadPace;
import io.fdt.server.thirdparty.ThirdParty;
import java.net.InetAddress;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The client of one HTTP request, with the rights of its token. It holds a slot and a descriptor of
 * the server's clients until it is closed. Any thread.
 */
public final class WebClient implements AutoCloseable {
  /** The server that admits clients. */
  public record Server(
      TokenBook tokens,
      ConnectedClients clients,
      Function<Grant, ExportedStorage> files,
      ThirdParty thirdParty,
      Optional<Consumer<FileAccess>> accessLog,
      WebTransfer.Books transfers) {
    /** See {@link WebHost.Admission#admit}. */
    public WebClient admit(String token, InetAddress address, String peer) throws FdtException {
      Grant grant = tokens.admit(token, address);
      if (grant.dataNode()) {
        throw new FdtException(
            ErrorCode.FORBIDDEN, "the token is for a data node: ask for one that is for clients");
      }
      return new WebClient(this, grant, address, peer);
    }
  }

  private final Server server;
  private final Grant grant;
  private final InetAddress address;
  private final ExportedStorage files;
  private final AccessEntries log;
  private final DescriptorBudget.Share descriptors;
  private boolean closed;

  private WebClient(Server server, Grant grant, InetAddress address, String peer)
      throws FdtException {
    this.server = server;
    this.grant = grant;
    this.address = address;
    this.files = server.files().apply(grant);
    this.log = new AccessEntries(peer, grant.label(), files, server.accessLog());
    this.descriptors = server.clients().take(this, address, grant);
  }

  /** The files that it may use. */
  public ExportedStorage files() {
    return files;
  }

  /** Its entries in the access log. */
  public AccessEntries log() {
    return log;
  }

  /** Its limit on unfinished files. */
  public OpenFileLimit openFiles() {
    return descriptors;
  }

  /** The label of its token. */
  public String token() {
    return grant.label();
  }

  /** Whether it has presented no token. */
  public boolean isAnonymous() {
    return Owner.isAnonymous(grant);
  }

  /**
   * Begins to move a file, at the client's rate. The caller closes the result.
   *
   * @param isPull whether the file leaves this server
   * @param other host and port of the other server of a copy; empty for none
   */
  public WebTransfer transfer(boolean isPull, BytePath path, String other) {
    ReadPace pace = new ReadPace(server.transfers().rates(), grant, address);
    return new WebTransfer(server.transfers(), pace, log, isPull, path, other).begin();
  }

  /**
   * Checks that its token is still valid.
   *
   * @throws FdtException UNAUTHENTICATED
   */
  public void check() throws FdtException {
    server.tokens().check(grant);
  }

  /**
   * Checks that it may direct transfers with other servers.
   *
   * @throws FdtException FORBIDDEN
   */
  public void checkThirdParty() throws FdtException {
    server.thirdParty().check(grant);
  }

  /** Releases its slot. Idempotent. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      server.clients().release(this);
      descriptors.giveBack(1);
    }
  }
}
