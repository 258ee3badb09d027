package io.fdt.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;

/**
 * A file of a server that is written in random order, to a temporary file on this machine, which is
 * sent when the channel is closed. An incomplete file, after a full disk or an interruption, is not
 * sent. Thread-safe. Disk: the size of the file.
 */
final class StagedChannel implements SeekableByteChannel, FdtFileSystem.Opened {
  private final Path staged;
  private final FileChannel channel;
  private final WriteOptions options;
  private final Publication publication;
  private volatile IOException failure;
  private boolean closed;

  private StagedChannel(
      Path staged, FileChannel channel, WriteOptions options, Publication publication) {
    this.staged = staged;
    this.channel = channel;
    this.options = options;
    this.publication = publication;
  }

  /** Fills the temporary file with the present content. */
  interface Fill {
    void into(Path local) throws IOException;
  }

  static StagedChannel open(WriteOptions options, Publication publication, Fill fill)
      throws IOException {
    Path staged = Files.createTempFile("fdt-nio-", ".part");
    try {
      fill.into(staged);
      Set<StandardOpenOption> local = EnumSet.of(StandardOpenOption.WRITE);
      local.add(options.append() ? StandardOpenOption.APPEND : StandardOpenOption.READ);
      return new StagedChannel(staged, FileChannel.open(staged, local), options, publication);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(staged);
      throw e;
    }
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    if (channel.isOpen() && !options.read()) {
      throw new NonReadableChannelException();
    }
    return channel.read(target);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    try {
      return channel.write(source);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public long position() throws IOException {
    return channel.position();
  }

  @Override
  public SeekableByteChannel position(long newPosition) throws IOException {
    channel.position(newPosition);
    return this;
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public SeekableByteChannel truncate(long size) throws IOException {
    try {
      channel.truncate(size);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
    return this;
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }

  /** Sends the file, and waits until it has its name. Idempotent, also after a failure. */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    publication.path().getFileSystem().closed(this);
    try {
      boolean isWhole = channel.isOpen() && failure == null; // an interruption closes it
      channel.close();
      if (!isWhole) {
        throw notWritten();
      }
      publication.upload(staged);
      publication.publish();
    } finally {
      Files.deleteIfExists(staged);
    }
  }

  private IOException notWritten() {
    FileSystemException error =
        new FileSystemException(
            publication.path().toString(), null, "not written: what was given is not complete");
    error.initCause(failure);
    return error;
  }

  /** Drops the written bytes; an existing file is kept. Idempotent. */
  synchronized void abandon() {
    publication.path().getFileSystem().closed(this);
    closed = true;
    drop();
  }

  private void drop() {
    try {
      channel.close();
      Files.deleteIfExists(staged);
    } catch (IOException e) {
      failure = e; // a later close says so
    }
  }

  /** {@inheritDoc} A later {@link #close} fails, so that the program learns of it. */
  @Override
  public synchronized void fileSystemClosed() {
    if (!closed) {
      drop();
    }
  }
}
