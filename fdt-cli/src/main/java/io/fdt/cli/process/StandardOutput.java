package io.fdt.cli.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Standard output for the bytes of a file. Remembers failed writes. Any thread. */
public final class StandardOutput extends OutputStream {
  private final OutputStream out;
  private final boolean toPipe = isPipe();
  private volatile boolean failed;

  public StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** Whether standard output is a pipe or socket, whose reader may end. */
  public static boolean isPipe() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return target.startsWith("pipe:") || target.startsWith("socket:");
    } catch (IOException e) {
      return false; // no Linux: a failed write is reported
    }
  }

  /** Whether a write into a pipe has failed. A failed write to a file does not count. */
  public boolean isReaderGone() {
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
