package io.fdt.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.PathNames;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.NodeFiles;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.RemovalVisitor;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.catalogue.Catalogue;
import io.fdt.core.storage.catalogue.CatalogueStorage;
import io.fdt.core.storage.forward.DisklessDestination;
import io.fdt.storage.local.LocalExports;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Exports of which some are in other storages than the directories of this machine: buckets, web
 * servers, archives. Each of these has a name. Any thread.
 */
public final class MixedExports implements ExportedStorage {
  private record Remote(Storage storage, BytePath base, boolean isWritable, boolean isForReading) {
    Remote forReading() {
      return new Remote(storage, base, isWritable, true);
    }
  }

  /** A path of a client in its export. */
  private record Place(FileName export, Remote remote, BytePath path) {}

  private final ExportedStorage local;
  private final Map<FileName, Remote> remotes;

  /** Names that a view hides: a client may not learn whether they exist. */
  private final boolean isRestricted;

  private MixedExports(ExportedStorage local, Map<FileName, Remote> remotes, boolean isRestricted) {
    this.local = local;
    this.remotes = remotes;
    this.isRestricted = isRestricted;
  }

  /**
   * Opens exports of any kind.
   *
   * @throws FdtException as {@link LocalExports#open}; USAGE also for a scheme without an installed
   *     storage, and for an export in another storage without a name
   */
  public static ExportedStorage open(List<Root> exports) throws FdtException {
    List<Root> directories = new ArrayList<>();
    Map<FileName, Remote> remotes = new LinkedHashMap<>();
    for (Root export : exports) {
      BytePath base = export.directory();
      if (Storages.schemeOf(base).isEmpty()) {
        directories.add(export);
        continue;
      }
      if (export.name() == null) {
        throw new FdtException(
            ErrorCode.USAGE, "export '" + base + "' needs a name; write NAME=" + base);
      }
      Remote remote = new Remote(Storages.of(base), base, export.writable(), false);
      if (remotes.put(export.name(), remote) != null) {
        throw new FdtException(
            ErrorCode.USAGE,
            "two exports have the name '" + export.name() + "'; give one another name");
      }
    }
    if (remotes.isEmpty()) {
      return LocalExports.open(exports);
    }
    for (Root directory : directories) {
      if (directory.name() == null || remotes.containsKey(directory.name())) {
        throw new FdtException(
            ErrorCode.USAGE,
            "export '" + directory.directory() + "' needs a name that no other export has");
      }
    }
    return new MixedExports(LocalExports.open(directories), remotes, false);
  }

  /** The place of a client's path; empty if it is not in another storage. */
  private Optional<Place> find(BytePath path) throws FdtException {
    List<FileName> names = PathNames.confined(path);
    Remote remote = names.isEmpty() ? null : remotes.get(names.get(0));
    if (remote == null) {
      if (!names.isEmpty() && local.exportOf(path).isEmpty()) {
        throw isRestricted
            ? ExportedStorage.notReached(path, names())
            : ExportedStorage.notExported(path, names());
      }
      return Optional.empty();
    }
    BytePath at = remote.base();
    for (FileName name : names.subList(1, names.size())) {
      checkName(remote, name, path);
      at = at.resolve(BytePath.of(name.bytes()));
    }
    boolean hasSlash = path.endsWithSlash() && !at.endsWithSlash();
    return Optional.of(new Place(names.get(0), remote, hasSlash ? withSlash(at) : at));
  }

  /** Refuses names that a web server could take for a way out of the export, or for a query. */
  private static void checkName(Remote remote, FileName name, BytePath path) throws FdtException {
    String lower = name.toString().toLowerCase(Locale.ROOT);
    boolean isWeb = Storages.schemeOf(remote.base()).orElseThrow().startsWith("http");
    boolean isSlash =
        lower.contains("%2f") || lower.contains("%5c") || (isWeb && lower.contains("\\"));
    if (isSlash || (isWeb && lower.contains("?"))) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "'%s' has %s in a name, which could lead out of the export; copy its directory"
              .formatted(path, isSlash ? "an encoded slash" : "a query"));
    }
  }

  private static BytePath withSlash(BytePath path) {
    byte[] bytes = Arrays.copyOf(path.bytes(), path.bytes().length + 1);
    bytes[bytes.length - 1] = '/';
    return BytePath.of(bytes);
  }

  @Override
  public int newFileMode() {
    return local.newFileMode();
  }

  /** {@inheritDoc} One that may not be copied fails when it is walked. */
  @Override
  public SourceTree source(TransferSpec spec) {
    try {
      check(spec, false);
      Storage only = local;
      List<Operand> mapped = new ArrayList<>();
      for (Operand operand : spec.sources()) {
        Optional<Place> place = find(operand.path());
        only = place.map(at -> at.remote().storage()).orElse(local);
        mapped.add(place.map(at -> mapped(operand, at)).orElse(operand));
      }
      return only == local
          ? local.source(spec)
          : only.source(spec.toBuilder().sources(mapped).build());
    } catch (FdtException e) {
      return new CatalogueStorage("refused", () -> new Refused(e)).source(spec);
    }
  }

  /** An export itself keeps its name for clients, not the last name of its path. */
  private static Operand mapped(Operand operand, Place place) {
    boolean isExport =
        !operand.path().endsWithSlash() && place.path().equals(place.remote().base());
    return isExport && operand.target().isEmpty()
        ? new Operand(place.path(), Optional.of(BytePath.of(place.export().bytes())))
        : new Operand(place.path(), operand.target());
  }

  /** {@inheritDoc} One that may not be written fails when it is opened. */
  @Override
  public DestinationTree destination(TransferSpec spec, OpenFileLimit openFiles) {
    try {
      Optional<Place> place = find(spec.destination());
      if (place.isEmpty()) {
        return local.destination(spec, openFiles);
      }
      check(spec, true);
      TransferSpec there = spec.toBuilder().destination(place.get().path()).build();
      return place.get().remote().storage().destination(there, openFiles);
    } catch (FdtException e) {
      return new DisklessDestination() {
        @Override
        public Base open(List<io.fdt.core.model.Root> roots) throws FdtException {
          throw e;
        }
      };
    }
  }

  @Override
  public void list(BytePath path, Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    Optional<Place> place = find(path);
    if (place.isPresent()) {
      BytePath at = place.get().path();
      place.get().remote().storage().list(at, depth, renamed(visitor, at, path));
    } else if (depth == Depth.ITSELF || !PathNames.confined(path).isEmpty()) {
      local.list(path, depth, visitor);
    } else if (local.names().isEmpty()) {
      listExports(remotes.entrySet().iterator(), depth, visitor);
    } else {
      local.list(path, depth, then(visitor, depth));
    }
  }

  /** Lists the other exports after the directories, whose openers stay valid until then. */
  private ListingVisitor then(ListingVisitor visitor, Depth depth) {
    return new ListingVisitor() {
      @Override
      public void item(ListingVisitor.Item item) throws FdtException, InterruptedException {
        visitor.item(item);
      }

      @Override
      public void failed(BytePath name, FdtException cause)
          throws FdtException, InterruptedException {
        visitor.failed(name, cause);
      }

      @Override
      public void ended() throws FdtException, InterruptedException {
        listExports(remotes.entrySet().iterator(), depth, visitor);
      }
    };
  }

  private void listExports(
      Iterator<Map.Entry<FileName, Remote>> rest, Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    if (!rest.hasNext()) {
      visitor.ended();
      return;
    }
    Map.Entry<FileName, Remote> export = rest.next();
    BytePath name = BytePath.of(export.getKey().bytes());
    visitor.item(
        new ListingVisitor.Item(
            name,
            new Attributes(Optional.of(EntryKind.DIRECTORY), 0, 0755, null, null, 0, 0, 1, 0, 0, 0),
            BytePath.EMPTY,
            null));
    if (depth != Depth.TREE) {
      listExports(rest, depth, visitor);
      return;
    }
    Remote remote = export.getValue();
    ListingVisitor beneath =
        new ListingVisitor() {
          @Override
          public void item(ListingVisitor.Item item) throws FdtException, InterruptedException {
            visitor.item(
                new ListingVisitor.Item(
                    name.resolve(item.name()),
                    item.attributes(),
                    item.linkTarget(),
                    item.opener()));
          }

          @Override
          public void failed(BytePath path, FdtException cause)
              throws FdtException, InterruptedException {
            visitor.failed(name.resolve(path), cause);
          }

          @Override
          public void ended() throws FdtException, InterruptedException {
            listExports(rest, depth, visitor);
          }
        };
    remote.storage().list(remote.base(), depth, beneath);
  }

  /** Shows a path as the client named it. */
  private static ListingVisitor renamed(ListingVisitor visitor, BytePath at, BytePath asked) {
    return new ListingVisitor() {
      @Override
      public void item(ListingVisitor.Item item) throws FdtException, InterruptedException {
        visitor.item(
            item.name().equals(at)
                ? new ListingVisitor.Item(
                    asked, item.attributes(), item.linkTarget(), item.opener())
                : item);
      }

      @Override
      public void failed(BytePath name, FdtException cause)
          throws FdtException, InterruptedException {
        visitor.failed(name, cause);
      }

      @Override
      public void ended() throws FdtException, InterruptedException {
        visitor.ended();
      }
    };
  }

  @Override
  public ExportedStorage view(Set<FileName> names, boolean readOnly) {
    Map<FileName, Remote> seen = new LinkedHashMap<>();
    remotes.forEach(
        (name, remote) -> {
          if (names.isEmpty() || names.contains(name)) {
            seen.put(name, readOnly ? remote.forReading() : remote);
          }
        });
    return new MixedExports(local.view(names, readOnly), seen, isRestricted || !names.isEmpty());
  }

  @Override
  public ExportedStorage without(FileName export, Optional<String> prefix) {
    Map<FileName, Remote> others = new LinkedHashMap<>(remotes);
    others.remove(export);
    return new MixedExports(local.without(export, prefix), others, isRestricted);
  }

  @Override
  public List<FileName> names() {
    List<FileName> all = new ArrayList<>(local.names());
    all.addAll(remotes.keySet());
    return List.copyOf(all);
  }

  @Override
  public Map<BytePath, Boolean> writable() {
    Map<BytePath, Boolean> all = new LinkedHashMap<>(local.writable());
    remotes.forEach(
        (name, remote) ->
            all.put(
                BytePath.of("/").resolve(BytePath.of(name.bytes())),
                remote.isWritable() && !remote.isForReading()));
    return all;
  }

  @Override
  public Optional<FileName> exportOf(BytePath path) {
    try {
      List<FileName> names = PathNames.confined(path);
      return !names.isEmpty() && remotes.containsKey(names.get(0))
          ? Optional.of(names.get(0))
          : local.exportOf(path);
    } catch (FdtException e) {
      return Optional.empty();
    }
  }

  @Override
  public boolean isStriped(BytePath path) {
    return exportOf(path).filter(remotes::containsKey).isEmpty();
  }

  @Override
  public void check(BytePath path, boolean writing) throws FdtException {
    Optional<Place> place = find(path);
    if (place.isEmpty()) {
      local.check(path, writing);
      return;
    }
    Remote remote = place.get().remote();
    if (writing && (!remote.isWritable() || remote.isForReading())) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          remote.isWritable()
              ? "cannot write to '%s': the export is writable, but you may only read it; use a token that is not read-only"
                  .formatted(path)
              : "cannot write to '%s': the export is read-only; choose another one"
                  .formatted(path));
    }
  }

  @Override
  public void check(TransferSpec spec, boolean writing) throws FdtException {
    if (writing) {
      check(spec.destination(), true);
      if (find(spec.destination()).isPresent()) {
        Storages.checkWholeFiles(spec);
      }
    }
    Storage first = null;
    for (Operand source : spec.sources()) {
      check(source.path(), false);
      if (PathNames.confined(source.path()).isEmpty()) {
        throw new FdtException(
            ErrorCode.USAGE,
            "the exports are in different kinds of storage; copy each of "
                + ExportedStorage.paths(names()));
      }
      Storage storage = find(source.path()).map(at -> at.remote().storage()).orElse(local);
      if (first != null && first != storage) {
        throw new FdtException(
            ErrorCode.USAGE,
            "'%s' and '%s' are in different kinds of storage; copy each with its own command"
                .formatted(spec.sources().get(0).path(), source.path()));
      }
      first = storage;
    }
  }

  /** The directories, for a path that is in none of the other storages. */
  private ExportedStorage local(BytePath path) throws FdtException {
    Optional<Place> place = find(path);
    if (place.isPresent()) {
      check(path, true);
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' is in a storage (%s) whose names only copies make and change; copy to it"
              .formatted(path, Storages.schemeOf(place.get().path()).orElseThrow()));
    }
    return local;
  }

  @Override
  public void makeDirectory(BytePath path, boolean parents) throws FdtException {
    local(path).makeDirectory(path, parents);
  }

  @Override
  public void rename(BytePath from, BytePath to, boolean replace) throws FdtException {
    local(to);
    local(from).rename(from, to, replace);
  }

  @Override
  public void remove(BytePath path, boolean recursive, RemovalVisitor visitor)
      throws FdtException, InterruptedException {
    Optional<Place> place = find(path);
    if (place.isEmpty()) {
      local.remove(path, recursive, visitor);
      return;
    }
    check(path, true);
    if (place.get().path().equals(place.get().remote().base())) {
      throw new FdtException(
          ErrorCode.FORBIDDEN, "'" + path + "' is an export; remove what it holds");
    }
    place.get().remote().storage().remove(place.get().path(), recursive, visitor);
  }

  @Override
  public Attributes removeOne(BytePath path) throws FdtException {
    return local(path).removeOne(path);
  }

  @Override
  public void changeAttributes(BytePath path, Timestamp modified, OptionalInt mode)
      throws FdtException {
    local(path).changeAttributes(path, modified, mode);
  }

  @Override
  public NodeFiles nodeFiles() {
    return local.nodeFiles();
  }

  @Override
  public void close() {
    local.close();
  }

  /** Has nothing, for one reason. */
  private record Refused(FdtException reason) implements Catalogue {
    @Override
    public Optional<Catalogue.Item> find(BytePath path) throws FdtException {
      throw reason;
    }

    @Override
    public Catalogue.Names list(BytePath directory) throws FdtException {
      throw reason;
    }

    @Override
    public BlockReader open(BytePath path, Catalogue.Item item) throws FdtException {
      throw reason;
    }

    @Override
    public void close() {}
  }
}
