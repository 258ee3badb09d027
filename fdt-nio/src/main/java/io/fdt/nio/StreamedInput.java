package io.fdt.nio;

import io.fdt.client.Transfer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * The bytes of a large file, fetched by a transfer with parallel streams and verified: the end is
 * reported only when the whole file has the digest that it had at the server. Closing it early ends
 * the transfer. Not thread-safe, except {@link #close}. Memory: 1 MiB, and that of a transfer.
 */
final class StreamedInput extends InputStream implements FdtFileSystem.Opened {
  private static final int PIPE_BYTES = 1 << 20;

  private final FdtPath path;
  private final FileTransfers transfers;
  private final BytePipe pipe = new BytePipe(PIPE_BYTES);
  private final InputStream bytes = pipe.input();
  private final Transfer transfer;
  private volatile boolean closed;
  private boolean verified;

  /**
   * Starts the transfer.
   *
   * @param path of a file, without links
   */
  StreamedInput(FdtPath path, FileTransfers transfers) throws IOException {
    this.path = path;
    this.transfers = transfers;
    this.transfer = transfers.read(path, pipe.output());
    transfer.completion().whenComplete((report, defect) -> pipe.finish(null));
  }

  private static IOException closedError(Path path) {
    return new IOException("the stream of '" + path + "' is closed");
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (closed) {
      throw closedError(path);
    }
    int read = bytes.read(target, offset, length);
    if (closed) {
      throw closedError(path);
    }
    if (read < 0 && !verified) {
      transfers.await(path, transfer);
      verified = true;
    }
    return read;
  }

  @Override
  public void close() {
    path.getFileSystem().closed(this);
    closed = true;
    pipe.abandon();
    transfer.close();
  }

  @Override
  public void fileSystemClosed() {
    close();
  }
}
