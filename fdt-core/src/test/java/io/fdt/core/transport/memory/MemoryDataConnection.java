package io.fdt.core.transport.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A link that was dialled and may become a data stream. */
final class MemoryDataConnection implements DataConnection {
  private final MemoryLink link;
  private final ByteBufAllocator allocator;
  private final Duration deadline;

  /**
   * @param deadline for the listener's answer
   */
  MemoryDataConnection(MemoryLink link, ByteBufAllocator allocator, Duration deadline) {
    this.link = link;
    this.allocator = allocator;
    this.deadline = deadline;
  }

  @Override
  public CompletableFuture<DataStream> join(
      Join join,
      StreamSettings settings,
      Optional<DataTls> tls,
      boolean waits,
      Function<DataStream, DataStream.Handler> handlers) {
    Dial dial = new Dial(join, settings, waits, handlers);
    if (tls.isEmpty()) {
      Tasks.run(link.dialer().loop(), () -> dial.start(false));
      return dial.result;
    }
    link.listener()
        .certificates()
        .whenComplete(
            (certificates, failure) ->
                Tasks.run(
                    link.dialer().loop(),
                    () -> {
                      if (failure == null
                          && Fingerprint.of(certificates.get(0).getPublicKey())
                              .equals(tls.get().key())) {
                        dial.start(true);
                      } else {
                        dial.failed(
                            new FdtException(
                                ErrorCode.UNTRUSTED,
                                "this is not the server of the control connection"));
                      }
                    }));
    return dial.result;
  }

  @Override
  public void close() {
    link.close();
  }

  /** A join on its way. Confined to the dialer's event loop. */
  private final class Dial {
    private final Join join;
    private final StreamSettings settings;
    private final boolean waits;
    private final Function<DataStream, DataStream.Handler> handlers;
    final CompletableFuture<DataStream> result = new CompletableFuture<>();
    private MemoryStream stream;

    Dial(
        Join join,
        StreamSettings settings,
        boolean waits,
        Function<DataStream, DataStream.Handler> handlers) {
      this.join = join;
      this.settings = settings;
      this.waits = waits;
      this.handlers = handlers;
    }

    void start(boolean encrypted) {
      if (link.isClosed()) {
        failed(MemoryTransport.noAnswer(link));
        return;
      }
      Future<?> timer =
          link.dialer()
              .loop()
              .schedule(
                  () -> failed(MemoryTransport.noAnswer(link)),
                  deadline.toNanos(),
                  TimeUnit.NANOSECONDS);
      result.whenComplete((joined, failure) -> timer.cancel(false));
      link.dialer().whenClosed(() -> failed(MemoryTransport.noAnswer(link)));
      if (waits || open()) {
        link.listener()
            .join(
                link,
                join,
                encrypted,
                refusal -> Tasks.run(link.dialer().loop(), () -> answered(refusal)));
      }
    }

    private boolean open() {
      MemoryStream opened =
          new MemoryStream(link.dialer(), join.stream(), settings.maxPayload(), allocator);
      try {
        opened.setHandler(handlers.apply(opened));
      } catch (RuntimeException | Error e) {
        opened.abandon();
        failed(FdtException.unforeseen("stream " + join.stream(), e));
        return false;
      }
      stream = opened;
      return true;
    }

    private void answered(Optional<ErrorCode> refusal) {
      if (result.isDone()) {
        return;
      }
      if (refusal.isPresent()) {
        failed(
            new FdtException(
                refusal.get(), "data stream " + join.stream() + " refused: " + refusal.get()));
      } else if (stream != null || open()) {
        stream.framesFollow();
        result.complete(stream);
      }
    }

    void failed(FdtException cause) {
      if (result.completeExceptionally(cause)) {
        if (stream != null) {
          stream.fail(cause);
        }
        link.close();
      }
    }
  }
}
