package io.fdt.core.wire;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.PlainFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Encodes the entries of one batch of a manifest. Files with only a name, a size, a mode and a time
 * are in columns: messages of their own took a third of the sender's event loop.
 *
 * <p>Decoding any input gives entries that keep every rule of their class, or an {@link
 * FdtException} with {@link ErrorCode#PROTOCOL}.
 *
 * <p>Stateless; any thread.
 */
public final class BatchCoding {
  private static final int NAME_CAPACITY = 16;

  private BatchCoding() {}

  /** Adds entries with consecutive ids. */
  public static void encode(List<Entry> entries, ManifestBatch.Builder batch) {
    PlainFiles.Builder files = PlainFiles.newBuilder();
    ByteString.Output names = ByteString.newOutput(NAME_CAPACITY * entries.size());
    for (int place = 0; place < entries.size(); place++) {
      Entry entry = entries.get(place);
      if (isPlain(entry)) {
        byte[] name = entry.name().bytes();
        names.write(name, 0, name.length);
        names.write(0);
        files
            .addPlaces(place)
            .addParentIds(entry.parentId())
            .addSizes(entry.size())
            .addModes(entry.mode())
            .addSeconds(entry.modified().seconds())
            .addNanos(entry.modified().nanos());
      } else {
        batch.addEntries(ManifestCoding.encode(entry));
      }
    }
    if (files.getPlacesCount() > 0) {
      batch.setFiles(files.setNames(names.toByteString()));
    }
  }

  private static boolean isPlain(Entry entry) {
    return entry.kind() == EntryKind.FILE
        && entry.stamp().equals(FileStamp.NONE)
        && entry.modified() != null
        && entry.metadata().areNone();
  }

  /**
   * The entries of a batch, in order.
   *
   * @throws FdtException PROTOCOL when they cannot be entries
   */
  public static List<Entry> decode(ManifestBatch batch) throws FdtException {
    Columns files = new Columns(batch.getFiles());
    int count = batch.getEntriesCount() + files.count;
    List<Entry> entries = new ArrayList<>(count);
    int others = 0;
    for (int place = 0; place < count; place++) {
      long id = batch.getFirstId() + place;
      if (files.isNext(place)) {
        entries.add(files.next(id));
      } else if (others < batch.getEntriesCount()) {
        entries.add(ManifestCoding.decode(batch.getEntries(others++), id));
      } else {
        throw violation("file index beyond the batch of " + count + " entries");
      }
    }
    return entries;
  }

  /** Cursor over the files that are in columns. */
  private static final class Columns {
    private final PlainFiles files;
    private final byte[] names;
    private final int count;
    private int next;
    private int nameStart;

    Columns(PlainFiles files) throws FdtException {
      this.files = files;
      this.names = files.getNames().toByteArray();
      this.count = files.getPlacesCount();
      if (files.getParentIdsCount() != count
          || files.getSizesCount() != count
          || files.getModesCount() != count
          || files.getSecondsCount() != count
          || files.getNanosCount() != count
          || namesIn(names) != count) {
        throw violation("columns of files that differ in length");
      }
    }

    /** Counts names; a NUL ends each. */
    private static int namesIn(byte[] names) {
      int found = 0;
      for (byte b : names) {
        found += b == 0 ? 1 : 0;
      }
      return names.length == 0 || names[names.length - 1] == 0 ? found : -1;
    }

    boolean isNext(int place) {
      return next < count && files.getPlaces(next) == place;
    }

    Entry next(long id) throws FdtException {
      long parentId = ManifestCoding.checkedParent(files.getParentIds(next), id);
      FileName name = ManifestCoding.checkedName(nextName(), id);
      long size = ManifestCoding.checkedSize(files.getSizes(next), EntryKind.FILE, id);
      Entry entry =
          new Entry(
              id,
              parentId,
              name,
              EntryKind.FILE,
              size,
              ManifestCoding.checkedMode(files.getModes(next), id),
              ManifestCoding.checkedTime(files.getSeconds(next), files.getNanos(next), id),
              BytePath.EMPTY);
      next++;
      return entry;
    }

    private byte[] nextName() {
      int end = nameStart;
      while (names[end] != 0) {
        end++;
      }
      byte[] name = Arrays.copyOfRange(names, nameStart, end);
      nameStart = end + 1;
      return name;
    }
  }

  private static FdtException violation(String message) {
    return new FdtException(ErrorCode.PROTOCOL, message);
  }
}
