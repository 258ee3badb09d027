package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.TestServer;
import io.fdt.core.transport.Transport;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A server that takes nothing from an address. */
class RefusalTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** The first connection of a JVM loads TLS, which takes seconds on a busy machine. */
  private static final long SLOW_MILLIS = 2500;

  @Test
  void aClientThatIsSlowToSpeakHearsWhyItIsRefused() throws Exception {
    EventLoops loops = new EventLoops("slow-client");
    try (TestServer server =
        new TestServer(
            TcpTransport::new,
            DEADLINE,
            connection -> {
              throw new AssertionError("it is refused");
            },
            stream -> {
              throw new AssertionError("it has no session");
            })) {
      server.notTaken = Optional.of(ErrorCode.FORBIDDEN);
      Transport client = new TcpTransport(loops, new SlowMemory(), DEADLINE);

      CompletableFuture<ControlConnection> dialled =
          TestServer.connect(
              client,
              loops.next(),
              server.address(),
              connection -> {
                throw new AssertionError("it is refused");
              });

      assertThatThrownBy(() -> dialled.get(DEADLINE.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
      await("the server has heard it")
          .atMost(DEADLINE)
          .untilAsserted(() -> assertThat(server.refused).containsExactly(ErrorCode.FORBIDDEN));
    } finally {
      loops.close();
    }
  }

  /** Has the client wait when it is connected, and has said nothing yet. */
  private static final class SlowMemory extends AbstractByteBufAllocator {
    private final ByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    private final AtomicBoolean waits = new AtomicBoolean(true);

    @Override
    protected ByteBuf newHeapBuffer(int length, int most) {
      beSlow();
      return memory.heapBuffer(length, most);
    }

    @Override
    protected ByteBuf newDirectBuffer(int length, int most) {
      beSlow();
      return memory.directBuffer(length, most);
    }

    private void beSlow() {
      if (waits.getAndSet(false)) {
        try {
          TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }
}
