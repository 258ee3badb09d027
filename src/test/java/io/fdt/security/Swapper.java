package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Somebody on the same machine who exchanges two names over and over, each time at once
 * (renameat2). A thread of its own.
 */
final class Swapper implements AutoCloseable {
  private static final int AT_FDCWD = -100;
  private static final int RENAME_EXCHANGE = 2;
  private static final Function RENAME = NativeLibrary.getProcess().getFunction("renameat2");

  private final Path one;
  private final Path other;
  private final Thread thread = new Thread(this::run, "swapper");
  private volatile boolean stopped;
  private final AtomicLong swaps = new AtomicLong();

  private Swapper(Path one, Path other) {
    this.one = one;
    this.other = other;
    thread.setDaemon(true);
  }

  static Swapper start(Path one, Path other) {
    Swapper swapper = new Swapper(one, other);
    swapper.swap();
    swapper.thread.start();
    return swapper;
  }

  private void run() {
    while (!stopped) {
      swap();
    }
    if (swaps.get() % 2 != 0) {
      swap();
    }
  }

  private void swap() {
    Object[] names = {AT_FDCWD, one.toString(), AT_FDCWD, other.toString(), RENAME_EXCHANGE};
    if (RENAME.invokeInt(names) == 0) {
      swaps.incrementAndGet();
    }
  }

  /** How often they have been exchanged. */
  long swaps() {
    return swaps.get();
  }

  /** Stops with everything under its first name. */
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(30_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    assertThat(thread.isAlive()).isFalse();
  }
}
