package io.fdt.core.session;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Timestamp;
import java.nio.charset.StandardCharsets;

/** Entries of manifests, in few words. */
public final class Entries {
  private Entries() {}

  public static Entry file(long id, long parent, long size) {
    return entry(id, parent, EntryKind.FILE, size);
  }

  /** A file that may have holes. */
  public static Entry sparse(long id, long parent, long size) {
    Entry file = file(id, parent, size);
    return new Entry(
        id,
        parent,
        file.name(),
        EntryKind.FILE,
        size,
        file.mode(),
        file.modified(),
        BytePath.EMPTY,
        FileStamp.of(id),
        FileMetadata.NONE.withSparse(true));
  }

  public static Entry directory(long id, long parent) {
    return entry(id, parent, EntryKind.DIRECTORY, 0);
  }

  public static Entry link(long id, long parent) {
    return entry(id, parent, EntryKind.SYMLINK, 0);
  }

  private static Entry entry(long id, long parent, EntryKind kind, long size) {
    return new Entry(
        id,
        parent,
        FileName.of("entry" + id),
        kind,
        size,
        0755,
        new Timestamp(1_700_000_000L, 0),
        kind == EntryKind.SYMLINK
            ? BytePath.of("target".getBytes(StandardCharsets.US_ASCII))
            : BytePath.EMPTY);
  }
}
