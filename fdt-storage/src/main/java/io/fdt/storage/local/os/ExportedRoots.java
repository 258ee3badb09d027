package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ExportedStorage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The directories that a server exports, as one tree: nothing outside of them has a name in it.
 *
 * <pre>
 *   one export without a name:   /          is the export
 *   exports with names:          /          holds one directory per export, and is read-only
 *                                /NAME/...  is in the export NAME
 * </pre>
 *
 * <p>Each export is opened once, links followed, and stays open; clients' paths continue from there
 * without following links. If its path leads elsewhere later, as after a mount, uses of it fail.
 * Immutable until closed; any thread.
 */
public final class ExportedRoots implements AutoCloseable {
  /**
   * The start of a client's path.
   *
   * @param root the export; null for the root above all of them
   * @param access permitted operations
   * @param names the rest of the path
   * @param isPart whether only a part of the export is accessible
   */
  public record Start(Directory root, Access access, List<FileName> names, boolean isPart) {
    boolean isAboveExports() {
      return root == null;
    }
  }

  /** The permitted operations in an export. */
  public enum Access {
    WRITABLE,
    /** Writable for other clients, not through this view. */
    FOR_OTHERS,
    READ_ONLY
  }

  private record OpenRoot(Directory directory, Access access) {
    Directory inPlace() throws FdtException {
      if (!directory.hasItsPath()) {
        throw new FdtException(
            ErrorCode.SOURCE_CHANGED,
            "'"
                + directory.path()
                + "' is not the directory any more that the server opened when it started, as after"
                + " a mount; ask its administrator to restart the server");
      }
      return directory;
    }

    OpenRoot forReading() {
      return access == Access.WRITABLE ? new OpenRoot(directory, Access.FOR_OTHERS) : this;
    }
  }

  /** The accessible part of a hidden export. */
  private record Part(FileName export, String prefix, OpenRoot root) {
    boolean has(List<FileName> names) {
      return names.size() > 1
          && names.get(0).equals(export)
          && names.get(1).toString().startsWith(prefix);
    }
  }

  private final DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS);
  private final Map<FileName, OpenRoot> byName = new LinkedHashMap<>();
  private OpenRoot only;
  private Part part;

  /** The exports of the server, also those that a view hides. */
  private List<Attributes> every = new ArrayList<>();

  /** In a view: hidden names are forbidden, whether they exist or not. */
  private boolean restricted;

  private boolean closed;

  private ExportedRoots() {}

  /**
   * Opens the exports.
   *
   * @throws FdtException NOT_FOUND, WRONG_KIND or PERMISSION unless each is a readable directory;
   *     USAGE for a duplicate name or for several exports of which one has no name
   */
  public static ExportedRoots open(List<ExportedStorage.Root> roots) throws FdtException {
    ExportedRoots exports = new ExportedRoots();
    try {
      for (ExportedStorage.Root root : roots) {
        exports.add(root, roots.size());
      }
      return exports;
    } catch (FdtException e) {
      exports.close();
      throw e;
    }
  }

  /**
   * A narrower view, valid until these are closed; closing it does nothing.
   *
   * @param names the exports in it; empty for all
   * @param readOnly whether it allows no changes
   */
  public ExportedRoots view(Set<FileName> names, boolean readOnly) {
    ExportedRoots view = new ExportedRoots();
    view.closed = true;
    view.restricted = !names.isEmpty();
    view.every = every;
    if (only != null && names.isEmpty()) {
      view.only = readOnly ? only.forReading() : only;
    }
    byName.forEach(
        (name, root) -> {
          if (names.isEmpty() || names.contains(name)) {
            view.byName.put(name, readOnly ? root.forReading() : root);
          }
        });
    return view;
  }

  /**
   * A narrower view that hides one export, except for names with a prefix.
   *
   * @param export the hidden one
   * @param prefix of names directly beneath it that stay accessible; empty for none
   */
  public ExportedRoots without(FileName export, Optional<String> prefix) {
    ExportedRoots view = view(Set.of(), false);
    view.restricted = restricted;
    OpenRoot root = view.byName.remove(export);
    if (root != null && prefix.isPresent()) {
      view.part = new Part(export, prefix.get(), root);
    }
    return view;
  }

  private void add(ExportedStorage.Root root, int count) throws FdtException {
    if (root.name() == null && count > 1) {
      throw new FdtException(
          ErrorCode.USAGE,
          "export '" + root.directory() + "' needs a name; only a single export has none");
    }
    if (root.name() != null && byName.containsKey(root.name())) {
      throw new FdtException(
          ErrorCode.USAGE,
          "two exports have the name '" + root.name() + "'; give one another name");
    }
    checkReadable(root.directory());
    byte[] display = BytePath.of("/").bytes();
    if (root.name() != null) {
      display = BytePath.of("/").resolve(BytePath.of(root.name().bytes())).bytes();
    }
    Directory directory = Directory.at(scope, root.directory(), BytePath.of(display));
    directory.pin();
    every.add(directory.firstSeen());
    OpenRoot open = new OpenRoot(directory, root.writable() ? Access.WRITABLE : Access.READ_ONLY);
    if (root.name() == null) {
      only = open;
    } else {
      byName.put(root.name(), open);
    }
  }

  /**
   * Opens an export for reading as a test, without reading. Messages show its path on this machine.
   */
  private static void checkReadable(BytePath path) throws FdtException {
    try (DirectoryScope temporary = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      Directory directory = Directory.at(temporary, path, path);
      DirectoryListing.open(directory, DirectoryListing.newBuffer()).close();
    }
  }

  /** The names of the exports; empty when a single export is the root. */
  public List<FileName> names() {
    return List.copyOf(byName.keySet());
  }

  /** The path of each export for clients, and whether it is writable. */
  public Map<BytePath, Boolean> writable() {
    Map<BytePath, Boolean> writable = new LinkedHashMap<>();
    BytePath root = BytePath.of("/");
    if (only != null) {
      writable.put(root, only.access() == Access.WRITABLE);
    }
    byName.forEach(
        (name, open) ->
            writable.put(
                root.resolve(BytePath.of(name.bytes())), open.access() == Access.WRITABLE));
    return writable;
  }

  /** The named export of a client's path, if any. */
  public Optional<FileName> exportOf(BytePath path) {
    try {
      List<FileName> names = PathNames.confined(path);
      boolean isInPart = part != null && part.has(names);
      return names.isEmpty() || !(isInPart || byName.containsKey(names.get(0)))
          ? Optional.empty()
          : Optional.of(names.get(0));
    } catch (FdtException e) {
      return Optional.empty();
    }
  }

  /**
   * Checks that a client may use this path, without accessing it.
   *
   * @throws FdtException as any use of the path would
   */
  public void check(BytePath path, boolean writing) throws FdtException {
    Start unused = writing ? startOfWriting(path) : start(path);
  }

  /**
   * The export of this name.
   *
   * @throws FdtException SOURCE_CHANGED when its path leads elsewhere now
   */
  public Directory root(FileName name) throws FdtException {
    return find(name, BytePath.of("/" + name)).inPlace();
  }

  /** The attributes of the export of this name, wherever its path leads now. */
  public Attributes attributes(FileName name) throws FdtException {
    return find(name, BytePath.of("/" + name)).directory().current();
  }

  /**
   * Resolves the start of a client's path. Absolute and relative paths are equal.
   *
   * @throws FdtException FORBIDDEN for "..", BAD_NAME, NOT_FOUND for an export that does not exist,
   *     SOURCE_CHANGED for one whose path leads elsewhere now
   */
  public Start start(BytePath path) throws FdtException {
    List<FileName> names = PathNames.confined(path);
    if (only != null) {
      return new Start(only.inPlace(), only.access(), names, false);
    }
    if (part != null && part.has(names)) {
      return new Start(
          part.root().inPlace(), part.root().access(), names.subList(1, names.size()), true);
    }
    if (names.isEmpty() && !(restricted && byName.isEmpty())) {
      return new Start(null, Access.READ_ONLY, names, false);
    }
    if (names.isEmpty()) {
      throw ExportedStorage.notReached(path, byName.keySet());
    }
    OpenRoot root = find(names.get(0), path);
    return new Start(root.inPlace(), root.access(), names.subList(1, names.size()), false);
  }

  /**
   * Resolves the start of a path to write to: never above the exports.
   *
   * @throws FdtException as {@link #start}; FORBIDDEN also when it is not writable
   */
  public Start startOfWriting(BytePath path) throws FdtException {
    Start start = start(path);
    if (start.isAboveExports()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "cannot write beside the exports; choose one of " + ExportedStorage.paths(names()));
    }
    return switch (start.access()) {
      case WRITABLE -> start;
      case FOR_OTHERS ->
          throw new FdtException(
              ErrorCode.FORBIDDEN,
              "cannot write to '"
                  + path
                  + "': the export is writable, but you may only read it; use a token that is not"
                  + " read-only");
      case READ_ONLY ->
          throw new FdtException(
              ErrorCode.FORBIDDEN,
              "cannot write to '" + path + "': the export is read-only; choose another one");
    };
  }

  /** Whether this is an export of the server, whatever path led to it. */
  public boolean isExport(Attributes attributes) {
    return every.stream().anyMatch(attributes::isSameFile);
  }

  private OpenRoot find(FileName name, BytePath path) throws FdtException {
    OpenRoot root = byName.get(name);
    if (root == null && restricted) {
      throw ExportedStorage.notReached(path, byName.keySet());
    }
    if (byName.isEmpty()) {
      throw new FdtException(
          ErrorCode.NOT_FOUND,
          "'%s' does not exist: the server exports nothing; use it as a relay (%s)"
              .formatted(path, Setting.VIA));
    }
    if (root == null) {
      throw ExportedStorage.notExported(path, names());
    }
    return root;
  }

  /** Closes the exports; users of them fail from then on. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    scope.close();
    if (only != null) {
      only.directory().unpin();
    }
    for (OpenRoot root : byName.values()) {
      root.directory().unpin();
    }
  }
}
