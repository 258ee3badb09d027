package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
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
 * The directories that a server exposes, as the one tree that clients see: nothing outside of them
 * has a name in it.
 *
 * <pre>
 *   one export without a name:   /          is the export
 *   exports with names:          /          holds one directory per export and takes nothing new
 *                                /NAME/...  is in the export NAME
 * </pre>
 *
 * <p>Each export is opened once, links followed, and stays open; paths of clients lead on from
 * there without following any link. Immutable until closed; any thread.
 */
public final class ExportedRoots implements AutoCloseable {
  /**
   * Where the path of a client begins.
   *
   * @param root the export; null for the root above all of them
   * @param access what may be done there
   * @param names what leads on from there
   * @param isPart whether only a part of the export is reached
   */
  public record Start(Directory root, Access access, List<FileName> names, boolean isPart) {
    boolean isAboveExports() {
      return root == null;
    }
  }

  /** Whether something can be changed in an export. */
  public enum Access {
    WRITABLE,
    /** The server lets some change it, not those of this view. */
    FOR_OTHERS,
    READ_ONLY
  }

  private record OpenRoot(Directory directory, Access access) {
    OpenRoot forReading() {
      return access == Access.WRITABLE ? new OpenRoot(directory, Access.FOR_OTHERS) : this;
    }
  }

  /** What is reached of an export that is not there otherwise. */
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

  /** What all exports of the server are, also those that a view hides. */
  private List<Attributes> every = new ArrayList<>();

  /** Of a view: names that are hidden are forbidden, whether they exist or not. */
  private boolean restricted;

  private boolean closed;

  private ExportedRoots() {}

  /**
   * Opens the exports.
   *
   * @throws FdtException NOT_FOUND, WRONG_KIND or PERMISSION when one is no directory that can be
   *     read; USAGE when two have one name or one of several has none
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
   * A narrower view of the same directories; closing it does nothing, it ends with these.
   *
   * @param names the exports in it; empty for all
   * @param readOnly whether nothing can be changed through it
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
   * A narrower view: one export is not there, but for what a prefix begins the name of.
   *
   * @param export the one that is hidden
   * @param prefix of names right beneath it, which are reached; empty for nothing of it
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
   * Reads no name of it: opening it for that is the test. The messages show its path on this
   * machine.
   */
  private static void checkReadable(BytePath path) throws FdtException {
    try (DirectoryScope temporary = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      Directory directory = Directory.at(temporary, path, path);
      DirectoryListing.open(directory, DirectoryListing.newBuffer()).close();
    }
  }

  /** The names of the exports; empty when an only export is the root. */
  public List<FileName> names() {
    return List.copyOf(byName.keySet());
  }

  /** Where each export is for clients, and whether anything can be changed in it. */
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

  /** The export that a path of a client is in, if it is in one that has a name. */
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
   * Makes sure that a client may name this path; what is there is not looked at.
   *
   * @throws FdtException as everything that uses the path would
   */
  public void check(BytePath path, boolean writing) throws FdtException {
    Start unused = writing ? startOfWriting(path) : start(path);
  }

  /** The export of this name. */
  public Directory root(FileName name) throws FdtException {
    return find(name, BytePath.of("/" + name)).directory();
  }

  /**
   * Where a client's path begins. Absolute and relative paths are the same.
   *
   * @throws FdtException FORBIDDEN for "..", BAD_NAME, NOT_FOUND for an export that does not exist
   */
  public Start start(BytePath path) throws FdtException {
    List<FileName> names = PathNames.confined(path);
    if (only != null) {
      return new Start(only.directory(), only.access(), names, false);
    }
    if (part != null && part.has(names)) {
      return new Start(
          part.root().directory(), part.root().access(), names.subList(1, names.size()), true);
    }
    if (names.isEmpty() && !(restricted && byName.isEmpty())) {
      return new Start(null, Access.READ_ONLY, names, false);
    }
    if (names.isEmpty()) {
      throw forbidden(path);
    }
    OpenRoot root = find(names.get(0), path);
    return new Start(root.directory(), root.access(), names.subList(1, names.size()), false);
  }

  /**
   * Where the path of a client that will write begins: never above the exports.
   *
   * @throws FdtException as {@link #start}; FORBIDDEN also when nothing can be written there
   */
  public Start startOfWriting(BytePath path) throws FdtException {
    Start start = start(path);
    if (start.isAboveExports()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN, "cannot write beside the exports; choose one of " + names());
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

  /** Whether this is an export of the server, by whatever path it was found. */
  public boolean isExport(Attributes attributes) {
    return every.stream().anyMatch(attributes::isSameFile);
  }

  private OpenRoot find(FileName name, BytePath path) throws FdtException {
    OpenRoot root = byName.get(name);
    if (root == null && restricted) {
      throw forbidden(path);
    }
    if (byName.isEmpty()) {
      throw new FdtException(
          ErrorCode.NOT_FOUND,
          "'" + path + "' is not there: the server exports nothing; use it as a relay (--via)");
    }
    if (root == null) {
      throw new FdtException(
          ErrorCode.NOT_FOUND, "'" + path + "' is in no export; choose one of " + names());
    }
    return root;
  }

  private FdtException forbidden(BytePath path) {
    return new FdtException(
        ErrorCode.FORBIDDEN,
        "your token does not reach '%s'; it is good for %s: ask for another one"
            .formatted(path, new ArrayList<>(byName.keySet())));
  }

  /** Closes the exports; what still uses one fails from then on. Idempotent. */
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
