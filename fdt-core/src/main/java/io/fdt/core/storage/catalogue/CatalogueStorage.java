package io.fdt.core.storage.catalogue;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.FileVersion;
import io.fdt.core.storage.ListedFile;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.forward.DisklessDestination;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A read-only storage over {@link Catalogue}s. Any thread. */
public final class CatalogueStorage implements Storage {
  private final DiskId disk;
  private final Supplier<Catalogue> catalogues;

  /**
   * @param name of its "disk", whose readers all of its files share
   * @param catalogues creates one for each transfer or listing, which closes it
   */
  public CatalogueStorage(String name, Supplier<Catalogue> catalogues) {
    this.disk = new DiskId(name);
    this.catalogues = catalogues;
  }

  @Override
  public int newFileMode() {
    return 0644;
  }

  @Override
  public SourceTree source(TransferSpec spec) {
    return new CatalogueSource(catalogues.get(), disk, spec);
  }

  @Override
  public DestinationTree destination(TransferSpec spec, OpenFileLimit openFiles) {
    return new ReadOnly(spec.destination());
  }

  private static final class ReadOnly extends DisklessDestination {
    private final BytePath path;

    ReadOnly(BytePath path) {
      this.path = path;
    }

    @Override
    public Base open(List<Root> roots) throws FdtException {
      throw new FdtException(
          ErrorCode.READ_ONLY, "'" + path + "' can only be read; choose another destination");
    }
  }

  @Override
  public void list(BytePath path, Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    try (Catalogue catalogue = catalogues.get()) {
      Catalogue.Item item =
          catalogue
              .find(path)
              .orElseThrow(
                  () ->
                      new FdtException(
                          ErrorCode.NOT_FOUND, "'" + path + "' does not exist; check the path"));
      if (depth == Depth.ITSELF || !item.isDirectory()) {
        visitor.item(line(catalogue, path, path, item));
      } else {
        list(catalogue, path, BytePath.EMPTY, depth == Depth.TREE, visitor);
      }
      visitor.ended();
    }
  }

  private void list(
      Catalogue catalogue, BytePath directory, BytePath shown, boolean tree, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    Catalogue.Names names = catalogue.list(directory);
    List<FileName> directories = new ArrayList<>();
    Catalogue.Listed one;
    while ((one = names.next()) != null) {
      BytePath name = BytePath.of(one.name().bytes());
      visitor.item(line(catalogue, directory.resolve(name), shown.resolve(name), one.item()));
      if (one.item().isDirectory()) {
        directories.add(one.name());
      }
    }
    if (tree) {
      Collections.sort(directories);
      for (FileName inner : directories) {
        BytePath name = BytePath.of(inner.bytes());
        try {
          list(catalogue, directory.resolve(name), shown.resolve(name), true, visitor);
        } catch (FdtException e) {
          visitor.failed(shown.resolve(name), e);
        }
      }
    }
  }

  private ListingVisitor.Item line(
      Catalogue catalogue, BytePath path, BytePath shown, Catalogue.Item item) {
    Attributes attributes =
        new Attributes(
            Optional.of(item.kind()),
            item.size(),
            item.mode(),
            item.modified(),
            item.modified(),
            0,
            0,
            1,
            item.size(),
            0,
            0);
    return new ListingVisitor.Item(
        shown,
        attributes,
        BytePath.EMPTY,
        item.kind() == EntryKind.FILE
            ? () -> new OpenFile(disk, attributes, catalogue.open(path, item))
            : null);
  }

  private record OpenFile(DiskId disk, Attributes attributes, BlockReader reader)
      implements ListedFile {
    @Override
    public FileVersion version() {
      return FileVersion.of(attributes);
    }

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      return reader.read(target, length, offset);
    }

    @Override
    public List<Range> holes(int most) throws FdtException {
      return reader.holes(most);
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
