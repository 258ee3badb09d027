package io.fdt.core.security;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A descriptor held in reserve: when the process can open no other, releasing it leaves room for
 * one file. Another thread may take that room first; the next attempt may succeed.
 *
 * <p>Thread-safe.
 */
final class SpareDescriptor {
  private static final Path NOTHING = Path.of("/dev/null");

  private FileChannel held;

  SpareDescriptor() {
    take();
  }

  /** Opens the spare descriptor again, if possible. */
  synchronized void take() {
    if (held == null) {
      try {
        held = FileChannel.open(NOTHING, StandardOpenOption.READ);
      } catch (IOException e) {
        held = null; // no descriptor left, or the system has no such file
      }
    }
  }

  /**
   * Makes room for one file.
   *
   * @return false when none was held
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
