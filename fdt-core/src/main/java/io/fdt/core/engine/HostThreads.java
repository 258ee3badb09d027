package io.fdt.core.engine;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The threads of one program that may block, and their waiting: threads of the JVM, or virtual time
 * in a simulation. Thread-safe.
 */
public interface HostThreads extends TransferThreads {
  /** A thread that was started. Thread-safe. */
  interface Started {
    /** Ends its wait, or its next one, with an {@link InterruptedException}. */
    void interrupt();
  }

  /** Runs work that may block for long, on a new thread. */
  Started start(String name, Runnable work);

  /** The calling thread. */
  Started current();

  /** The time, from an arbitrary origin; the same as that of the event loops. */
  long nanoTime();

  /** Sleeps for a time. */
  void sleep(long nanos) throws InterruptedException;

  /** Waits for a result. */
  <T> T get(CompletableFuture<T> result) throws InterruptedException, ExecutionException;

  /** Waits for an element; null after the time. */
  <T> T poll(BlockingQueue<T> queue, long nanos) throws InterruptedException;

  /** A random number below {@code bound}, for pauses that should differ between machines. */
  long random(long bound);

  /** Computes a value on a new thread. */
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
