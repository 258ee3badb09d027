package org.example.zip;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.StorageProvider;
import io.fdt.core.storage.catalogue.Catalogue;
import io.fdt.core.storage.catalogue.CatalogueStorage;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Reads zip archives without unpacking them: {@code zip:///data/set.zip/raw} is raw in set.zip. */
public final class ZipStorage implements StorageProvider {
  @Override
  public String scheme() {
    return "zip";
  }

  @Override
  public Storage storage() {
    return new CatalogueStorage("zip", Archives::new);
  }

  /** The archives that one transfer reads. Thread-safe. */
  private static final class Archives implements Catalogue {
    private static final String SCHEME = "zip://";

    /** Open archives by their paths. */
    private final Map<Path, Archive> open = new HashMap<>();

    /** A path split into the archive and the name in it, without slashes around it. */
    private record Place(Archive archive, String name) {}

    private synchronized Place place(BytePath path) throws FdtException {
      String text = new String(path.bytes(), StandardCharsets.UTF_8).substring(SCHEME.length());
      for (Path file = Path.of(text); file != null; file = file.getParent()) {
        if (Files.isRegularFile(file)) {
          Archive archive = open.get(file);
          if (archive == null) {
            archive = Archive.open(file);
            open.put(file, archive);
          }
          return new Place(archive, file.relativize(Path.of(text)).toString());
        }
      }
      throw new FdtException(ErrorCode.NOT_FOUND, "'" + path + "' is in no zip archive");
    }

    @Override
    public Optional<Item> find(BytePath path) throws FdtException {
      Place place = place(path);
      return Optional.ofNullable(place.archive().items.get(place.name()));
    }

    @Override
    public Names list(BytePath directory) throws FdtException {
      Place place = place(directory);
      return Names.of(place.archive().names.getOrDefault(place.name(), List.of()));
    }

    @Override
    public BlockReader open(BytePath path, Item item) throws FdtException {
      Place place = place(path);
      return new Reader(place.archive().zip, place.archive().zip.getEntry(place.name()), path);
    }

    @Override
    public synchronized void close() {
      open.values().forEach(Archive::close);
      open.clear();
    }
  }

  /** An open archive, with the directories that its names imply. */
  private static final class Archive {
    private final ZipFile zip;
    private final Map<String, Catalogue.Item> items = new TreeMap<>();
    private final Map<String, List<Catalogue.Listed>> names = new HashMap<>();

    private Archive(ZipFile zip, Timestamp modified) {
      this.zip = zip;
      items.put("", new Catalogue.Item(EntryKind.DIRECTORY, 0, 0755, modified));
    }

    static Archive open(Path file) throws FdtException {
      try {
        ZipFile zip = new ZipFile(file.toFile());
        long seconds = Files.getLastModifiedTime(file).toMillis() / 1000;
        Archive archive = new Archive(zip, new Timestamp(seconds, 0));
        zip.stream().forEach(archive::add);
        return archive;
      } catch (IOException e) {
        throw new FdtException(ErrorCode.IO, "'" + file + "': " + e.getMessage(), e);
      }
    }

    private void add(ZipEntry entry) {
      String name = entry.getName().replaceAll("/+$", "");
      Timestamp modified = new Timestamp(entry.getTime() / 1000, 0);
      add(
          name,
          entry.isDirectory()
              ? new Catalogue.Item(EntryKind.DIRECTORY, 0, 0755, modified)
              : new Catalogue.Item(EntryKind.FILE, entry.getSize(), 0644, modified));
    }

    private void add(String name, Catalogue.Item item) {
      int slash = name.lastIndexOf('/');
      String parent = slash < 0 ? "" : name.substring(0, slash);
      byte[] last = name.substring(slash + 1).getBytes(StandardCharsets.UTF_8);
      if (FileName.flawOf(last) != null || items.putIfAbsent(name, item) != null) {
        return; // no name of a file, as in "../x", or a directory that a name implied
      }
      if (!items.containsKey(parent)) {
        add(parent, new Catalogue.Item(EntryKind.DIRECTORY, 0, 0755, item.modified()));
      }
      names
          .computeIfAbsent(parent, none -> new ArrayList<>())
          .add(new Catalogue.Listed(FileName.of(last), item));
    }

    void close() {
      try {
        zip.close();
      } catch (IOException e) {
        // It was only read.
      }
    }
  }

  /** Reads forward; a read further back starts the entry again. */
  private static final class Reader implements BlockReader {
    private final ZipFile zip;
    private final ZipEntry entry;
    private final BytePath path;
    private InputStream in;
    private long position;
    private boolean closed;

    Reader(ZipFile zip, ZipEntry entry, BytePath path) {
      this.zip = zip;
      this.entry = entry;
      this.path = path;
    }

    @Override
    public synchronized int read(ByteBuf target, int length, long offset) throws FdtException {
      if (closed) {
        throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was closed before it was read");
      }
      try {
        if (in == null || offset < position) {
          in = zip.getInputStream(entry);
          position = 0;
        }
        in.skipNBytes(Math.min(offset, entry.getSize()) - position);
        position = Math.min(offset, entry.getSize());
        int start = target.writerIndex();
        for (int got = 0; got < length; ) {
          int read = target.writeBytes(in, length - got);
          if (read < 0) {
            break;
          }
          got += read;
          position += read;
        }
        return target.writerIndex() - start;
      } catch (IOException e) {
        throw new FdtException(ErrorCode.IO, "cannot read '" + path + "': " + e.getMessage(), e);
      }
    }

    @Override
    public void checkUnchanged() {
      // An archive that is open does not change.
    }

    @Override
    public List<Range> holes(int most) {
      return List.of();
    }

    @Override
    public synchronized void close() {
      closed = true;
    }
  }
}
