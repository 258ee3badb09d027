package io.fdt.core.transport.memory;

import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;

/** Tasks for event loops that may have ended. Stateless. */
final class Tasks {
  private Tasks() {}

  /** Runs the task on the loop, behind what waits there; at once when the loop has ended. */
  static void run(EventLoop loop, Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException ended) {
      task.run(); // nothing runs on that loop any more, so nothing runs at the same time
    }
  }
}
