package io.fdt.nio;

import java.io.IOException;

/** An output that can be ended without a file. */
interface Abandonable {
  /** Ends it: what was there stays. Idempotent. */
  void abandon(IOException cause);
}
