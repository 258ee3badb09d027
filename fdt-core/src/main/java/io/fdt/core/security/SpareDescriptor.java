package io.fdt.core.security;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A descriptor that is held open for the moment when the process can open no other: released, it
 * leaves room for one file. Another thread may be faster; then the next attempt has better luck.
 *
 * <p>Thread-safe.
 */
final class SpareDescriptor {
  private static final Path NOTHING = Path.of("/dev/null");

  private FileChannel held;

  SpareDescriptor() {
    take();
  }

  /** Holds one again, if one can be had; without it nothing is lost but the room. */
  synchronized void take() {
    if (held == null) {
      try {
        held = FileChannel.open(NOTHING, StandardOpenOption.READ);
      } catch (IOException e) {
        held = null; // the process has none left, or its system knows no such file
      }
    }
  }

  /**
   * Makes room for one file.
   *
   * @return false when nothing was held
   */
  synchronized boolean release() {
    if (held == null) {
      return false;
    }
    try {
      held.close();
    } catch (IOException e) {
      return false;
    } finally {
      held = null;
    }
    return true;
  }
}
