package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.RangeSet;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.wire.Crc32c;
import io.fdt.server.web.WebClient;
import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A file that arrives: without a name until {@link #publish}, as any file of a transfer. Confined
 * to one thread, except that {@link #write} may be called by several.
 */
final class Upload implements AutoCloseable {
  /** The size of a file that is known only at its end. */
  static final long UNKNOWN = FileShape.UNKNOWN_SIZE;

  private final WebClient client;
  private final DestinationTree tree;
  private final DestinationDirectory.PendingFile file;
  private final boolean isKept;

  private Upload(
      WebClient client,
      DestinationTree tree,
      DestinationDirectory.PendingFile file,
      boolean isKept) {
    this.client = client;
    this.tree = tree;
    this.file = file;
    this.isKept = isKept;
  }

  /**
   * Begins a file.
   *
   * @param size bytes, or {@link #UNKNOWN}
   * @param isNew whether its name must be free at the end, too
   */
  static Upload begin(WebClient client, RequestPath path, long size, boolean isNew)
      throws FdtException {
    DestinationTree tree = open(client, path);
    try {
      DestinationDirectory directory = directory(tree, client, path);
      FileShape shape = FileShape.of(size).withNew(isNew);
      return new Upload(client, tree, directory.create(path.last(), shape), false);
    } catch (FdtException | RuntimeException | Error e) {
      tree.close();
      throw e;
    }
  }

  /**
   * Begins or continues a file that arrives in parts, in order, each by a request of its own.
   *
   * @param size of the whole
   * @param start of this part; 0 begins anew
   * @param isNew whether the name must be free at the end, too
   * @throws FdtException USAGE when the parts before this one are not there
   */
  static Upload resume(WebClient client, RequestPath path, long size, long start, boolean isNew)
      throws FdtException {
    DestinationTree tree = open(client, path);
    try {
      DestinationDirectory directory = directory(tree, client, path);
      if (directory.journaledBytes() == Long.MAX_VALUE) {
        throw new FdtException(
            ErrorCode.USAGE,
            "the storage of '%s' keeps no parts; send the file as a whole".formatted(path.path()));
      }
      FileStamp stamp = new FileStamp(identity(client), new Timestamp(0, 0), true);
      SourceVersion version = new SourceVersion(size, new Timestamp(0, 0), stamp);
      List<CheckedRange> kept = new ArrayList<>();
      if (start > 0) {
        PartialFile found = directory.findPartial(path.last(), version);
        kept.addAll(found.kept());
        RangeSet there = new RangeSet();
        kept.forEach(range -> there.add(range.start(), range.end()));
        if (there.prefix() != start) {
          throw new FdtException(
              ErrorCode.USAGE,
              "the first %d bytes of '%s' are here; send the parts in order from there, or from 0"
                  .formatted(there.prefix(), path.path()));
        }
      }
      FileShape shape = FileShape.of(version, kept).withNew(isNew);
      return new Upload(client, tree, directory.create(path.last(), shape), true);
    } catch (FdtException | RuntimeException | Error e) {
      tree.close();
      throw e;
    }
  }

  /** Parts of two tokens are never parts of one file. */
  private static long identity(WebClient client) {
    return client.token().hashCode() | 1L << 62;
  }

  private static DestinationTree open(WebClient client, RequestPath path) {
    return client
        .files()
        .destination(
            TransferSpec.builder()
                .destination(path.parent().path())
                .destinationIsDirectory(true)
                .build(),
            client.openFiles());
  }

  private static DestinationDirectory directory(
      DestinationTree tree, WebClient client, RequestPath path) throws FdtException {
    FileName name = path.last();
    Root root = new Root(name, EntryKind.FILE, client.files().newFileMode(), now());
    return tree.open(List.of(root)).directory();
  }

  private static Timestamp now() {
    Instant now = Instant.now();
    return new Timestamp(now.getEpochSecond(), now.getNano());
  }

  /** Whether bytes may come in any order. */
  boolean writesRandomly() {
    return tree.capabilities().writesRandomly();
  }

  /** Writes the readable bytes, whose indexes do not move. */
  void write(ByteBuf bytes, long offset) throws FdtException {
    if (!bytes.isReadable()) {
      return;
    }
    file.write(bytes, offset);
    if (isKept) {
      int crc = Crc32c.of(bytes, bytes.readerIndex(), bytes.readableBytes());
      file.keep(new CheckedRange(offset, offset + bytes.readableBytes(), crc));
    }
  }

  /** Appends written bytes to a buffer; fewer than wanted at the end only. */
  int read(ByteBuf target, int length, long offset) throws FdtException {
    return file.read(target, length, offset);
  }

  /**
   * Gives the complete file its name.
   *
   * @param modified null for now
   */
  void publish(Timestamp modified) throws FdtException {
    file.publish(
        client.files().newFileMode(), modified == null ? now() : modified, Durability.NONE);
  }

  /** Forgets what has arrived. */
  void discard() {
    file.discard();
  }

  /** Removes the file unless it is published, or continues with another part. */
  @Override
  public void close() {
    file.close();
    tree.close();
  }
}
