package io.fdt.storage.portable;

import io.fdt.storage.posix.Errno;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;

/**
 * Repeats a call that Windows refuses while another program, such as a virus scanner, has the file
 * open. Windows reports a missing right alike: a refusal costs 0.6 s. Immutable; any thread.
 *
 * @param pause waits for milliseconds
 */
record SharingRetry(LongConsumer pause) {
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LAST_PAUSE_MILLIS = 320;

  static final SharingRetry SLEEPING = new SharingRetry(SharingRetry::sleep);

  /** The first result that is no refusal, or the last one. */
  int run(IntSupplier call) {
    int result = call.getAsInt();
    for (long millis = FIRST_PAUSE_MILLIS;
        isRefusal(result) && millis <= LAST_PAUSE_MILLIS && !Thread.currentThread().isInterrupted();
        millis *= 2) {
      pause.accept(millis);
      result = call.getAsInt();
    }
    return result;
  }

  private static boolean isRefusal(int result) {
    return result == -Errno.EACCES || result == -Errno.EBUSY;
  }

  private static void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
