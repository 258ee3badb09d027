package io.fdt.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.engine.PlatformThreads;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.channel.DefaultEventLoop;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Successive sessions whose course the test decides. */
@Timeout(60)
class ContinuedTransferTest {
  private final DefaultEventLoop timer = new DefaultEventLoop();
  private final BlockingQueue<Session> started = new LinkedBlockingQueue<>();
  private final ContinuedTransfer transfer =
      new ContinuedTransfer(
          (listener, agreed) -> new Session(agreed),
          timer,
          PlatformThreads.INSTANCE,
          problem -> {},
          false,
          Duration.ofSeconds(60));

  @AfterEach
  void endTimer() {
    timer.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  @Test
  void aServerThatStopsIsTriedAgainUntilTheTransferIsCancelled() throws Exception {
    transfer.start();
    Session first = started.take();
    first.agreed.run();
    first.end(ErrorCode.SHUTTING_DOWN);
    started.take().end(ErrorCode.UNREACHABLE);
    started.take();

    transfer.cancel();

    assertThat(transfer.completion().get().failure()).contains(ErrorCode.CANCELLED);
  }

  /** The cancellation ends the transfer, whatever has ended the session meanwhile. */
  @Test
  void aSessionThatFailsWhileItIsCancelledIsCancelled() throws Exception {
    transfer.start();
    Session first = started.take();
    first.agreed.run();
    first.end(ErrorCode.SHUTTING_DOWN);
    started.take().endsBeforeCancellation = ErrorCode.UNREACHABLE;

    transfer.cancel();

    TransferReport report = transfer.completion().get();
    assertThat(report.failure()).contains(ErrorCode.CANCELLED);
    assertThat(report.failureMessage()).isEqualTo("cancelled by the client");
  }

  @Test
  void anErrorThatNoOtherSessionMendsStaysTheReason() throws Exception {
    transfer.start();
    started.take().endsBeforeCancellation = ErrorCode.STORAGE_FULL;

    transfer.cancel();

    assertThat(transfer.completion().get().failure()).contains(ErrorCode.STORAGE_FULL);
  }

  private final class Session implements SessionOfTransfer {
    private final CompletableFuture<TransferReport> completion = new CompletableFuture<>();
    private final Runnable agreed;

    /** How it ends right before the cancellation arrives. */
    private volatile ErrorCode endsBeforeCancellation = ErrorCode.CANCELLED;

    Session(Runnable agreed) {
      this.agreed = agreed;
    }

    void end(ErrorCode failure) {
      completion.complete(TransferReport.failed(new FdtException(failure, "ended"), Duration.ZERO));
    }

    @Override
    public void start() {
      started.add(this);
    }

    @Override
    public boolean isContinuable(TransferReport report, Set<ErrorCode> passing) {
      ErrorCode failure = report.failure().orElseThrow();
      return failure == ErrorCode.SHUTTING_DOWN || passing.contains(failure);
    }

    @Override
    public TransferProgress progress() {
      return TransferProgress.none(Duration.ZERO);
    }

    @Override
    public CompletableFuture<TransferReport> completion() {
      return completion;
    }

    @Override
    public void cancel() {
      end(endsBeforeCancellation);
    }
  }
}
