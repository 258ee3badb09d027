package io.fdt.cli.ssh;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.core.error.FdtException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Servers that were started for one copy. */
public interface StartedServers {
  /** The token for a server; empty for any other server. */
  Optional<AccessToken> token(ServerAddress address);

  /** Sets the address at which other servers reach one of these. */
  void configure(ServerAddress address, FdtClient.Builder client);

  /** The server on this machine, if there is one. */
  Optional<ServerAddress> near();

  /** Completes when one of the servers is lost. Any thread. */
  CompletableFuture<FdtException> lost();
}
