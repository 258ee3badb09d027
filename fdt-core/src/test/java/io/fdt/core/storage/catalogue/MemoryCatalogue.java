package io.fdt.core.storage.catalogue;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Files of {@link SyntheticContent} in memory, by paths without a slash at either end. */
final class MemoryCatalogue implements Catalogue {
  static final Timestamp MODIFIED = new Timestamp(1_600_000_000L, 0);

  private final Map<String, Item> items = new TreeMap<>();
  private boolean closed;

  MemoryCatalogue() {
    items.put("", new Item(EntryKind.DIRECTORY, 0, 0755, MODIFIED));
  }

  MemoryCatalogue directory(String path) {
    items.put(path, new Item(EntryKind.DIRECTORY, 0, 0750, MODIFIED));
    return this;
  }

  MemoryCatalogue file(String path, long size) {
    return file(path, size, FileStamp.NONE);
  }

  MemoryCatalogue file(String path, long size, FileStamp stamp) {
    items.put(path, new Item(EntryKind.FILE, size, 0640, MODIFIED, stamp));
    return this;
  }

  boolean isClosed() {
    return closed;
  }

  private static String key(BytePath path) {
    return path.toString().replaceAll("^/+|/+$", "");
  }

  @Override
  public Optional<Item> find(BytePath path) {
    return Optional.ofNullable(items.get(key(path)));
  }

  @Override
  public Names list(BytePath directory) throws FdtException {
    String start = key(directory).isEmpty() ? "" : key(directory) + "/";
    if (start.equals("unreadable/")) {
      throw new FdtException(ErrorCode.PERMISSION, "'unreadable' cannot be listed");
    }
    List<Listed> names = new ArrayList<>();
    items.forEach(
        (path, item) -> {
          boolean isIn = !path.isEmpty() && path.startsWith(start);
          if (isIn && path.indexOf('/', start.length()) < 0) {
            names.add(new Listed(FileName.of(path.substring(start.length())), item));
          }
        });
    return Names.of(names);
  }

  @Override
  public BlockReader open(BytePath path, Item item) {
    String key = key(path);
    FileName name = FileName.of(key.substring(key.lastIndexOf('/') + 1));
    return new Reader(SyntheticContent.of(name), item.size());
  }

  @Override
  public void close() {
    closed = true;
  }

  private static final class Reader implements BlockReader {
    private final SyntheticContent content;
    private final long size;
    private volatile boolean closed;

    Reader(SyntheticContent content, long size) {
      this.content = content;
      this.size = size;
    }

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      if (closed) {
        throw new FdtException(ErrorCode.CANCELLED, "it was closed before it was read");
      }
      int there = (int) Math.max(0, Math.min(length, size - offset));
      content.appendTo(target, there, offset);
      return there;
    }

    @Override
    public void checkUnchanged() {}

    @Override
    public List<Range> holes(int most) {
      return List.of();
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
