package io.fdt.core.security;

import io.fdt.core.error.FdtException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Work on its own thread, in parallel to other work: loading cryptography takes a while. Stateless.
 */
public final class Background {
  private Background() {}

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
    } catch (Exception | Error e) { // any failure must reach the waiting thread
      result.completeExceptionally(e);
    }
  }

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
