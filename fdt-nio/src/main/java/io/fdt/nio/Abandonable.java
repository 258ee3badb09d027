package io.fdt.nio;

import java.io.IOException;

/** An output that can be abandoned, so that no file is published. */
interface Abandonable {
  /** Ends the output; an existing file is kept. Idempotent. */
  void abandon(IOException cause);
}
