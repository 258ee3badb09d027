package io.fdt.core.engine;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The threads of one program that may block, and how they wait: threads of the JVM, or virtual time
 * in a simulation. Thread-safe.
 */
public interface HostThreads extends TransferThreads {
  /** A thread that was started. Thread-safe. */
  interface Started {
    /** Ends its wait, or its next one, with an {@link InterruptedException}. */
    void interrupt();
  }

  /** Does something that may wait for long, on a thread of its own. */
  Started start(String name, Runnable work);

  /** The thread that calls this. */
  Started current();

  /** The time, from an arbitrary origin; the same as that of the event loops. */
  long nanoTime();

  /** Waits for so long. */
  void sleep(long nanos) throws InterruptedException;

  /** Waits for a result. */
  <T> T get(CompletableFuture<T> result) throws InterruptedException, ExecutionException;

  /** Waits so long for something to take; null when nothing has come. */
  <T> T poll(BlockingQueue<T> queue, long nanos) throws InterruptedException;

  /** A random number below {@code bound}, for pauses that shall not be equal everywhere. */
  long random(long bound);

  /** Has something computed on a thread of its own. */
  default <T> CompletableFuture<T> supply(String name, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    start(
        name,
        () -> {
          try {
            result.complete(work.call());
          } catch (Exception | Error e) { // any failure must reach the waiting future
            result.completeExceptionally(e);
          }
        });
    return result;
  }
}
