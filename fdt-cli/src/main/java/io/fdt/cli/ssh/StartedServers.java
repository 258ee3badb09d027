package io.fdt.cli.ssh;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.core.error.FdtException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The servers that were started for one copy. */
public interface StartedServers {
  /** What to show to a server; empty when it is none of these. */
  Optional<AccessToken> token(ServerAddress address);

  /** Tells a client of one of these servers where others reach it. */
  void configure(ServerAddress address, FdtClient.Builder client);

  /** The one on this machine, if there is one. */
  Optional<ServerAddress> near();

  /** Completes when one of the servers is gone before its time. Any thread. */
  CompletableFuture<FdtException> lost();
}
