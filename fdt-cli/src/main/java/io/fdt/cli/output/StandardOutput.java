package io.fdt.cli.output;

import java.io.IOException;
import java.io.OutputStream;

/** Standard output for the bytes of a file; remembers whether anybody still reads. Any thread. */
public final class StandardOutput extends OutputStream {
  private final OutputStream out;
  private volatile boolean broken;

  public StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** Whether a write has failed: whoever read it has gone, mostly. */
  boolean isBroken() {
    return broken;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      broken = true;
      throw e;
    }
  }
}
