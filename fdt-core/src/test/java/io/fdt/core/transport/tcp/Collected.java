package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.Control;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What came on a control connection, and how it ended. */
final class Collected implements ControlConnection.Handler {
  static final int DEADLINE_SECONDS = 10;

  private final LinkedBlockingQueue<Control> messages = new LinkedBlockingQueue<>();
  private final CompletableFuture<FdtException> closed = new CompletableFuture<>();

  @Override
  public void message(Control message) {
    messages.add(message);
  }

  @Override
  public void closed(FdtException cause) {
    assertThat(closed.complete(cause)).as("closed once").isTrue();
  }

  Control next() throws InterruptedException {
    Control message = messages.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(message).as("a message").isNotNull();
    return message;
  }

  FdtException end() throws Exception {
    return closed.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }
}
