package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What came on a control connection, and how it ended. */
public final class Collected implements ControlConnection.Handler {
  public static final int DEADLINE_SECONDS = 10;

  private final LinkedBlockingQueue<Control> messages = new LinkedBlockingQueue<>();
  private final CompletableFuture<FdtException> closed = new CompletableFuture<>();
  private final AtomicInteger timesClosed = new AtomicInteger();

  @Override
  public void message(Control message) {
    messages.add(message);
  }

  @Override
  public void closed(FdtException cause) {
    timesClosed.incrementAndGet();
    closed.complete(cause);
  }

  /** The next message. */
  public Control next() throws InterruptedException {
    Control message = messages.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(message).as("a message").isNotNull();
    return message;
  }

  /** Why it has closed. */
  public FdtException end() throws Exception {
    return closed.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  /** How often it was told that it has closed. */
  public int timesClosed() {
    return timesClosed.get();
  }

  /** Whether there is no message that was not asked for. */
  public boolean isEmpty() {
    return messages.isEmpty();
  }
}
