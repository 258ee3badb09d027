package io.fdt.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;

/**
 * A file of a server that is written in any order: in a temporary file of this machine, which is
 * sent as a whole when the channel is closed. Thread-safe. Disk: the size of the file.
 */
final class StagedChannel implements SeekableByteChannel {
  private final Path staged;
  private final FileChannel channel;
  private final WriteOptions options;
  private final Publication publication;
  private boolean closed;

  private StagedChannel(
      Path staged, FileChannel channel, WriteOptions options, Publication publication) {
    this.staged = staged;
    this.channel = channel;
    this.options = options;
    this.publication = publication;
  }

  /** Fills the temporary file with what is there already. */
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
    return channel.write(source);
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
    channel.truncate(size);
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
    try {
      channel.close();
      publication.upload(staged);
      publication.publish();
    } finally {
      Files.deleteIfExists(staged);
    }
  }
}
