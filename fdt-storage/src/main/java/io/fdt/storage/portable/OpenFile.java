package io.fdt.storage.portable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * An open file, with the name by which it was opened: its attributes are read by that name as long
 * as it is that of the same file. Any thread.
 */
final class OpenFile implements Handle {
  private final OpenDirectory directory;
  private final Path name;
  private final FileChannel channel;
  private final boolean isWritable;
  private final Identity identity;

  /** Whether the name turned out to be that of another file. */
  private volatile boolean isMistaken;

  /** Takes over the channel. */
  OpenFile(
      OpenDirectory directory,
      Path name,
      FileChannel channel,
      boolean isWritable,
      Identity identity) {
    this.directory = directory.retain();
    this.name = name;
    this.channel = channel;
    this.isWritable = isWritable;
    this.identity = identity;
  }

  OpenDirectory directory() {
    return directory;
  }

  Path name() {
    return name;
  }

  FileChannel channel() {
    return channel;
  }

  boolean isWritable() {
    return isWritable;
  }

  /** Its identity by its name, also where that turned out to be that of another file. */
  Identity named() {
    return identity;
  }

  /** Its identity, if known. */
  Identity identity() {
    return isMistaken ? Identity.NONE : identity;
  }

  /** The name turned out to be that of another file. */
  void mistaken() {
    isMistaken = true;
  }

  /** Releases the directory; {@link FileLocks#close} closes the channel. */
  @Override
  public void close() throws IOException {
    directory.close();
  }
}
