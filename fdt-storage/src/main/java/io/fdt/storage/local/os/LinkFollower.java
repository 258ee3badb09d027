package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.posix.Errno;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Resolves symbolic links, name by name, strictly beneath one directory.
 *
 * <p>The kernel never follows a link: each name is looked up within an open directory. Not
 * thread-safe.
 */
public final class LinkFollower {
  /** The limit of Linux. */
  private static final int MAX_LINKS = 40;

  /**
   * The target of a link.
   *
   * @param directory the target itself, if it is one; otherwise the directory that holds it
   * @param name its name in {@code directory}; null for the directory itself
   */
  public record Target(Directory directory, FileName name, Attributes attributes) {
    public boolean isDirectory() {
      return name == null;
    }
  }

  private final DirectoryScope scope;
  private final Directory base;
  private int links;

  /**
   * @param base that no link may leave; null for the first directory of the chain
   */
  public LinkFollower(DirectoryScope scope, Directory base) {
    this.scope = scope;
    this.base = base;
  }

  /**
   * Resolves the link of this name completely.
   *
   * @throws FdtException FORBIDDEN for a target outside the base; NOT_FOUND; WRONG_KIND for a cycle
   */
  public Target follow(Directory directory, FileName name) throws FdtException {
    links = 0;
    return link(directory, name);
  }

  private Target link(Directory directory, FileName name) throws FdtException {
    if (++links > MAX_LINKS) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'" + directory.pathOf(name) + "': a link that leads to itself; remove it");
    }
    BytePath path = directory.linkTarget(name);
    if (path.isAbsolute()) {
      throw outside(directory, name);
    }
    Target at = new Target(directory, null, directory.firstSeen());
    for (byte[] component : components(path.bytes())) {
      if (!at.isDirectory()) {
        throw Errno.ofName(Errno.ENOTDIR, "follow the link", directory.pathOf(name));
      }
      at = step(at.directory(), component, directory, name);
    }
    return at;
  }

  private Target step(Directory from, byte[] component, Directory linkAt, FileName linkName)
      throws FdtException {
    if (Arrays.equals(component, new byte[] {'.'})) {
      return new Target(from, null, from.firstSeen());
    }
    if (Arrays.equals(component, new byte[] {'.', '.'})) {
      Directory parent = from.equals(base) ? null : from.parent();
      if (parent == null) {
        throw outside(linkAt, linkName);
      }
      return new Target(parent, null, parent.firstSeen());
    }
    String flaw = FileName.flawOf(component);
    if (flaw != null) {
      throw Errno.ofName(Errno.ENAMETOOLONG, "follow the link", linkAt.pathOf(linkName));
    }
    FileName name = FileName.of(component);
    Attributes found = from.get(name);
    if (found.is(EntryKind.SYMLINK)) {
      return link(from, name);
    }
    if (found.is(EntryKind.DIRECTORY)) {
      Directory child = from.child(scope, name);
      return new Target(child, null, child.firstSeen());
    }
    return new Target(from, name, found);
  }

  private static List<byte[]> components(byte[] path) {
    List<byte[]> components = new ArrayList<>();
    int start = 0;
    for (int end = 0; end <= path.length; end++) {
      if (end == path.length || path[end] == '/') {
        if (end > start) {
          components.add(Arrays.copyOfRange(path, start, end));
        }
        start = end + 1;
      }
    }
    return components;
  }

  private static FdtException outside(Directory directory, FileName name) {
    return new FdtException(
        ErrorCode.FORBIDDEN,
        "'" + directory.pathOf(name) + "': a link that leads out of the source; copy its target");
  }
}
