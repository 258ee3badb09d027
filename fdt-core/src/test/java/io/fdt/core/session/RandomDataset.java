package io.fdt.core.session;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Files, links and nested directories that do not exist, each with its planned fault, in the order
 * of a walk. Immutable once made.
 */
public final class RandomDataset {
  /**
   * Small, so that a few hundred bytes make several blocks; files of up to 16 bytes travel in
   * packs.
   */
  public static final int BLOCK = 128;

  private static final int MOST_FILES = 60;
  private static final int DEEPEST = 4;

  /** What goes wrong with one entry. */
  public enum Fault {
    NONE,
    /** It is there already; no fault of a directory or link. */
    UNCHANGED,
    /** It cannot be put in its place. */
    PREPARE,
    /** A byte of it cannot be read. */
    READ,
    /** It can be read once only. */
    READ_AGAIN,
    /** It has another content, of the same size, whenever it is read again. */
    CONTENT,
    /** A byte of it cannot be written. */
    WRITE,
    /** It cannot get its final name; of a directory: its mode cannot be set. */
    STORE
  }

  /** One entry, and at which byte its fault strikes. */
  public record Item(Entry entry, Fault fault, long faultOffset) {
    public boolean isFile() {
      return entry.kind() == EntryKind.FILE;
    }

    /** Whether reading or writing these bytes hits the fault. */
    public boolean strikes(long offset, int length) {
      return entry.size() == 0 || (offset <= faultOffset && faultOffset < offset + length);
    }

    /** The bytes of a part of the file; a byte tells its file and its place. */
    public byte[] content(long offset, int length, int version) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] =
            (byte) (entry.id() * 37 + (offset + i) * 11 + ((offset + i) >> 7) + version * 101L);
      }
      return bytes;
    }
  }

  /** A step of the walk: an entry, or the end of a directory (then {@code item} is null). */
  public record Step(Item item, long endedDirectory) {}

  private final Random random;
  private final int[] sizes;
  private final double faultRate;
  private final List<Item> items = new ArrayList<>();
  private final List<Step> walk = new ArrayList<>();
  private final int files;

  public RandomDataset(Random random) {
    this(random, BLOCK, random.nextInt(3) * 0.1);
  }

  /** One whose every entry can arrive. */
  public static RandomDataset sound(Random random) {
    return sound(random, BLOCK);
  }

  /** The same with files of up to some blocks of this size. */
  public static RandomDataset sound(Random random, int block) {
    return new RandomDataset(random, block, 0);
  }

  private RandomDataset(Random random, int block, double faultRate) {
    this.random = random;
    this.sizes =
        new int[] {0, 1, 5, 16, 17, block - 1, block, block + 1, 3 * block, 5 * block + 60};
    this.faultRate = faultRate;
    this.files = random.nextInt(MOST_FILES + 1);
    while (items.size() < files) {
      add(Entry.ROOT, 0);
    }
  }

  private void add(long parent, int depth) {
    int choice = random.nextInt(10);
    if (choice == 0) {
      item(parent, EntryKind.SYMLINK, 0);
    } else if (choice < 3 && depth < DEEPEST) {
      directory(parent, depth);
    } else {
      int size = sizes[random.nextInt(sizes.length)];
      item(parent, EntryKind.FILE, size);
    }
  }

  private void directory(long parent, int depth) {
    long id = item(parent, EntryKind.DIRECTORY, 0);
    for (int left = random.nextInt(8); left > 0 && items.size() < files; left--) {
      add(id, depth + 1);
    }
    walk.add(new Step(null, id));
  }

  private long item(long parent, EntryKind kind, long size) {
    long id = items.size() + 1L;
    Entry entry =
        new Entry(
            id,
            parent,
            FileName.of("entry" + id),
            kind,
            size,
            0644,
            new Timestamp(1_700_000_000L, 0),
            kind == EntryKind.SYMLINK
                ? BytePath.of("target".getBytes(StandardCharsets.US_ASCII))
                : BytePath.EMPTY);
    Item item = new Item(entry, fault(kind), random.nextInt((int) Math.max(1, size)));
    items.add(item);
    walk.add(new Step(item, 0));
    return id;
  }

  private Fault fault(EntryKind kind) {
    if (random.nextDouble() >= faultRate) {
      return Fault.NONE;
    }
    Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
    boolean possible =
        switch (kind) {
          case FILE -> true;
          case DIRECTORY -> fault == Fault.PREPARE || fault == Fault.STORE;
          case SYMLINK -> fault == Fault.PREPARE;
        };
    return possible ? fault : Fault.NONE;
  }

  /** The entries, by id from 1 on. */
  public List<Item> items() {
    return items;
  }

  public Item item(long id) {
    return items.get(Math.toIntExact(id - 1));
  }

  public List<Step> walk() {
    return walk;
  }

  /** Whether {@code ancestor} holds this entry, at whatever depth. */
  public boolean isBeneath(Item item, long ancestor) {
    for (long id = item.entry().parentId(); id != Entry.ROOT; id = item(id).entry().parentId()) {
      if (id == ancestor) {
        return true;
      }
    }
    return false;
  }

  /** Whether every directory above this entry can be made. */
  public boolean hasPlace(Item item) {
    for (long id = item.entry().parentId(); id != Entry.ROOT; id = item(id).entry().parentId()) {
      if (item(id).fault() == Fault.PREPARE) {
        return false;
      }
    }
    return true;
  }
}
