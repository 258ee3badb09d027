package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationTree.Older;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.TrustedPath;
import java.util.List;

/**
 * Finds the older file or tree in which the bytes of a transfer are looked for. Nothing there is
 * changed.
 *
 * @param wanted as the user named it: relative to the destination, or absolute
 */
record OlderFinder(DirectoryScope scope, MetadataWriter metadataWriter, BytePath wanted) {
  /**
   * For the user of this machine, following links.
   *
   * @param basePath the path of the destination
   * @throws FdtException NOT_FOUND
   */
  Older trusted(BytePath basePath) throws FdtException {
    BytePath path = wanted.isAbsolute() ? wanted : basePath.resolve(wanted);
    TrustedPath whole = new TrustedPath(scope, path);
    if (whole.isDirectory()) {
      return tree(whole.find());
    }
    PathNames names = PathNames.split(path);
    Directory parent = new TrustedPath(scope, names.directory()).find();
    return names.last() == null ? tree(parent) : last(parent, names.last());
  }

  /**
   * For a client: in an export that it may read, no link followed, ".." refused.
   *
   * @param base the destination
   * @throws FdtException FORBIDDEN, NOT_FOUND or WRONG_KIND
   */
  Older confined(Directory base, ExportedRoots exports) throws FdtException {
    Directory current = base;
    List<FileName> names;
    if (wanted.isAbsolute()) {
      ExportedRoots.Start start = exports.start(wanted);
      current = start.root();
      names = start.names();
    } else {
      names = PathNames.confined(wanted);
    }
    for (int i = 0; i < names.size() - 1; i++) {
      Older next = last(current, names.get(i));
      if (next.name() != null) {
        throw MadeDirectory.notADirectory(current.pathOf(next.name()));
      }
      current = ((DryRunDirectory) next.directory()).directory();
    }
    return names.isEmpty() ? tree(current) : last(current, names.get(names.size() - 1));
  }

  private Older last(Directory parent, FileName name) throws FdtException {
    Attributes there = parent == null ? null : parent.find(name);
    if (there == null) {
      throw missing();
    }
    if (there.is(EntryKind.DIRECTORY)) {
      return tree(parent.child(scope, name));
    }
    return new Older(directory(parent), name);
  }

  private Older tree(Directory found) throws FdtException {
    if (found == null) {
      throw missing();
    }
    return new Older(directory(found), null);
  }

  private DryRunDirectory directory(Directory found) {
    return new DryRunDirectory(found, found.path(), scope, metadataWriter);
  }

  private FdtException missing() {
    return new FdtException(
        ErrorCode.NOT_FOUND,
        "'%s' does not exist at the destination: name another file or directory with %s"
            .formatted(wanted, Setting.DELTA_FROM));
  }
}
