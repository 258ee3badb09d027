package io.fdt.core.security;

import io.fdt.core.error.FdtException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Work on a thread of its own, while something else is done: cryptography takes a while to load.
 * Stateless.
 */
public final class Background {
  private Background() {}

  /** Starts it. */
  public static <T> CompletableFuture<T> run(String threadName, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread = new Thread(() -> complete(result, work), threadName);
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  private static <T> void complete(CompletableFuture<T> result, Callable<T> work) {
    try {
      result.complete(work.call());
    } catch (Exception | Error e) { // whatever it is, somebody waits to be told
      result.completeExceptionally(e);
    }
  }

  /** Waits for its result. */
  public static <T> T join(CompletableFuture<T> work) throws FdtException {
    try {
      return work.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof FdtException known
          ? known
          : FdtException.unforeseen("cannot start", e.getCause());
    }
  }
}
