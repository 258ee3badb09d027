package io.fdt.core.storage.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.catalogue.Catalogue;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** Files and directories in memory, by paths from one root. Thread-safe. */
final class MemoryFiles implements Catalogue {
  private static final AtomicLong IDENTITIES = new AtomicLong();

  /** A file, a directory or a link; another write makes another node. */
  static final class Node {
    final EntryKind kind;
    final long identity = IDENTITIES.incrementAndGet();
    final ConcurrentSkipListMap<FileName, Node> names = new ConcurrentSkipListMap<>();

    /** Files in this directory that interrupted transfers have left. */
    final Map<FileName, Partial> partials = new ConcurrentHashMap<>();

    byte[] bytes = {};
    BytePath target = BytePath.EMPTY;
    int mode = 0700;
    Timestamp modified = new Timestamp(0, 0);

    Node(EntryKind kind) {
      this.kind = kind;
    }

    boolean isDirectory() {
      return kind == EntryKind.DIRECTORY;
    }

    Item item() {
      return new Item(kind, bytes.length, mode, modified);
    }

    Attributes attributes() {
      return new Attributes(
          Optional.of(kind),
          kind == EntryKind.SYMLINK ? target.length() : bytes.length,
          mode,
          modified,
          modified,
          0,
          identity,
          1,
          bytes.length,
          0,
          0);
    }
  }

  /** A file without its name, with the ranges that a journal holds. */
  record Partial(Node file, KeptRanges journal) {}

  volatile MemoryStorage.BeforeRead beforeRead = () -> {};

  private final Node root = new Node(EntryKind.DIRECTORY);

  Node root() {
    return root;
  }

  void put(FileName name, byte[] bytes, Timestamp modified) {
    Node file = new Node(EntryKind.FILE);
    file.bytes = bytes;
    file.modified = modified;
    root.names.put(name, file);
  }

  Optional<Node> node(BytePath path) {
    Node node = root;
    for (FileName name : path.names()) {
      node = node == null ? null : node.names.get(name);
    }
    return Optional.ofNullable(node);
  }

  @Override
  public Optional<Item> find(BytePath path) {
    return node(path).filter(MemoryFiles::isListed).map(Node::item);
  }

  /** A catalogue has no links. */
  private static boolean isListed(Node node) {
    return node.kind != EntryKind.SYMLINK;
  }

  @Override
  public Names list(BytePath directory) throws FdtException {
    return Names.of(
        required(directory).names.entrySet().stream()
            .filter(one -> isListed(one.getValue()))
            .map(one -> new Listed(one.getKey(), one.getValue().item()))
            .toList());
  }

  private Node required(BytePath path) throws FdtException {
    return node(path)
        .orElseThrow(() -> new FdtException(ErrorCode.NOT_FOUND, "'" + path + "' is not there"));
  }

  @Override
  public BlockReader open(BytePath path, Item item) throws FdtException {
    return new Reader(path, required(path));
  }

  @Override
  public void close() {}

  private static final class Reader implements BlockReader {
    private final BytePath path;
    private final Node file;
    private volatile boolean closed;

    Reader(BytePath path, Node file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      if (closed) {
        throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was closed before it was read");
      }
      return append(file.bytes, target, length, offset);
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

  /** Appends bytes of an array, as {@link BlockReader#read} does. */
  static int append(byte[] bytes, ByteBuf target, int length, long offset) {
    int there = Math.toIntExact(Math.max(0, Math.min(length, bytes.length - offset)));
    target.writeBytes(bytes, there == 0 ? 0 : Math.toIntExact(offset), there);
    return there;
  }
}
