package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.server.FdtServer;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service that runs for months opens and closes many clients. */
@Timeout(60)
class ClientMemoryTest {
  private static final int CLIENTS = 20;

  @TempDir private Path root;

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  @Test
  void closedClientsKeepNoMemory() throws Exception {
    Site site = new Site(root);
    try {
      ask(site.source());
      ask(site.source());
      long before = directBytes();
      for (int i = 0; i < CLIENTS; i++) {
        ask(site.source());
      }
      // A chunk is 16 MiB: one for each client would be 320.
      assertThat(directBytes() - before).isLessThan(100L * Site.MIB);
    } finally {
      site.close();
    }
  }

  private static void ask(FdtServer server) throws Exception {
    try (FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(server.address().getPort())
            .trust(ServerTrust.pinned(server.fingerprint()))
            .token(AccessToken.of(server.localToken()))
            .build()) {
      assertThat(client.sessions()).isEmpty();
    }
  }
}
