package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.error.FdtException;
import io.fdt.core.node.Node;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.TestServer;
import io.fdt.core.wire.control.Control;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FrontEnd;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody else answers at the address of a data node's front end. */
class FrontEndKeyTest {
  private final Queue<Control> heard = new ConcurrentLinkedQueue<>();
  private final AtomicInteger closed = new AtomicInteger();

  private ControlConnection.Handler listening() {
    return new ControlConnection.Handler() {
      @Override
      public void message(Control message) {
        heard.add(message);
      }

      @Override
      public void closed(FdtException cause) {
        closed.incrementAndGet();
      }
    };
  }

  @Test
  void aDataNodeShowsItsTokenToNoOtherKey(@TempDir Path directory) throws Exception {
    Identity thief = Identity.generate();
    try (ServerTls tls = new ServerTls(thief, List.of());
        TestServer other =
            new TestServer(
                Node.TCP,
                Duration.ofSeconds(20),
                CompletableFuture.completedFuture(tls),
                connection -> listening(),
                stream -> {
                  throw new AssertionError("no stream is dialled here");
                });
        FdtServer node =
            FdtServer.builder()
                .port(0)
                .bind("127.0.0.1")
                .export(Export.readWrite("data", directory))
                .join(
                    new FrontEnd(
                        "127.0.0.1",
                        other.address().getPort(),
                        Identity.generate().fingerprint().toString(),
                        "a secret",
                        ""))
                .build()) {
      node.start();
      await("it has come and gone, or spoken")
          .atMost(Duration.ofSeconds(40))
          .until(() -> closed.get() > 0 || !heard.isEmpty());
      assertThat(heard).isEmpty();
    }
  }
}
