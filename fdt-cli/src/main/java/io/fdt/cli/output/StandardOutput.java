package io.fdt.cli.output;

import java.io.IOException;
import java.io.OutputStream;

/** Standard output for the bytes of a file; remembers whether anybody still reads. Any thread. */
public final class StandardOutput extends OutputStream {
  private final OutputStream out;
  private final boolean toPipe = Terminal.isStandardOutputPipe();
  private volatile boolean failed;

  public StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** Whether a write into a pipe has failed. A file that cannot be written has another reason. */
  boolean isReaderGone() {
    return failed && toPipe;
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
      failed = true;
      throw e;
    }
  }
}
