package io.fdt.storage.local.source;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The directories of the operands of one source, found by path: as the local user typed it, or
 * within exports.
 *
 * <p>The root above several exports is not a real directory; null stands for it here. Not
 * thread-safe.
 */
public final class SourcePaths {
  /** Attributes of the root above several exports, without a meaningful time. */
  public static final Attributes ABOVE_EXPORTS =
      new Attributes(Optional.of(EntryKind.DIRECTORY), 0, 0755, null, null, 0, 0, 1, 0, 0, 0);

  private final DirectoryScope scope;
  private final ExportedRoots exports;
  private final Map<BytePath, Directory> found = new HashMap<>();

  private SourcePaths(DirectoryScope scope, ExportedRoots exports) {
    this.scope = scope;
    this.exports = exports;
  }

  /** Local paths: links and ".." are followed. */
  public static SourcePaths trusted(DirectoryScope scope) {
    return new SourcePaths(scope, null);
  }

  /** Paths of a client: beneath the exports, no link followed. */
  public static SourcePaths confined(DirectoryScope scope, ExportedRoots exports) {
    return new SourcePaths(scope, exports);
  }

  /** Whether the paths are those of a client, within exports. */
  boolean isConfined() {
    return exports != null;
  }

  /**
   * Splits a path.
   *
   * @throws FdtException FORBIDDEN for ".." in the path of a client; BAD_NAME
   */
  public PathNames split(BytePath path) throws FdtException {
    if (isConfined()) {
      List<FileName> unused = PathNames.confined(path); // names the whole path in its message
    }
    return PathNames.split(path);
  }

  /** The directory of a path; null for the root above exports. */
  public Directory directory(BytePath path) throws FdtException {
    Directory known = found.get(path);
    if (known != null) {
      return known;
    }
    Directory directory =
        exports == null ? Directory.at(scope, path, path) : confined(exports.start(path));
    if (directory != null) {
      found.put(path, directory);
    }
    return directory;
  }

  private Directory confined(ExportedRoots.Start start) throws FdtException {
    Directory directory = start.root();
    for (FileName name : start.names()) {
      directory = directory.child(scope, name);
    }
    return directory;
  }

  /** The directory of this name in a directory, or in the root above exports. */
  public Directory child(Directory parent, FileName name) throws FdtException {
    return parent == null ? exports.root(name) : parent.child(scope, name);
  }

  /** The attributes of a name. */
  public Attributes get(Directory parent, FileName name) throws FdtException {
    return parent == null ? exports.attributes(name) : parent.get(name);
  }

  /** The names in the root above exports. */
  List<FileName> exportNames() {
    return exports.names();
  }

  /** The path of a name, for messages. */
  static String pathOf(Directory parent, FileName name) {
    return parent == null ? "/" + name : parent.pathOf(name);
  }
}
