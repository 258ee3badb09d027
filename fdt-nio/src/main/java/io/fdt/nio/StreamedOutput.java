package io.fdt.nio;

import io.fdt.client.Transfer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.util.Objects;

/**
 * Writes a file of a server by a transfer. The complete file appears when the stream is closed; if
 * the program ends before that, an existing file is kept. A transfer starts after 1 MiB, which
 * waits in memory. Not thread-safe, except {@link #fileSystemClosed}. Memory: 2 MiB, and that of a
 * transfer.
 */
final class StreamedOutput extends OutputStream implements FdtFileSystem.Opened, Abandonable {
  private static final int HELD_BYTES = 1 << 20;

  private final Publication publication;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private volatile BytePipe pipe;
  private OutputStream bytes;
  private Transfer transfer;
  private boolean closed;
  private volatile boolean lost;

  StreamedOutput(Publication publication) {
    this.publication = publication;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, source.length);
    checkFileSystem();
    if (closed) {
      throw new IOException("the stream of '" + publication.path() + "' is closed");
    }
    if (transfer == null && held.size() + (long) length <= HELD_BYTES) {
      held.write(source, offset, length);
      return;
    }
    if (transfer == null) {
      begin();
    }
    send(source, offset, length);
  }

  private void begin() throws IOException {
    pipe = new BytePipe(HELD_BYTES);
    bytes = pipe.output();
    transfer = publication.start(pipe.input());
    transfer.completion().whenComplete((report, defect) -> pipe.abandon());
    byte[] first = held.toByteArray();
    held.reset();
    send(first, 0, first.length);
  }

  /**
   * Writes to the pipe; after a failed transfer, reports its failure rather than that of the pipe.
   */
  private void send(byte[] source, int offset, int length) throws IOException {
    try {
      bytes.write(source, offset, length);
    } catch (IOException e) {
      pipe.finish(e);
      if (transfer.completion().isDone()) {
        publication.await(transfer);
      }
      throw e;
    }
  }

  @Override
  public void abandon(IOException cause) {
    closed = true;
    publication.path().getFileSystem().closed(this);
    if (pipe != null) {
      pipe.finish(cause);
      transfer.close();
    }
  }

  private void checkFileSystem() throws IOException {
    if (lost) {
      throw new FileSystemException(
          publication.path().toString(), null, "not written: its file system was closed");
    }
  }

  /** {@inheritDoc} A concurrent writer fails in its next call. */
  @Override
  public void fileSystemClosed() {
    lost = true;
    BytePipe begun = pipe;
    if (begun != null) {
      begun.finish(new IOException("the file system was closed"));
    }
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    publication.path().getFileSystem().closed(this);
    checkFileSystem();
    if (transfer == null) {
      transfer = publication.start(new ByteArrayInputStream(held.toByteArray()));
    } else {
      pipe.finish(null);
    }
    publication.await(transfer);
    publication.publish();
  }
}
