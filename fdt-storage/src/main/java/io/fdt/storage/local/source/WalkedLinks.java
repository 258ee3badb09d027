package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation.Links;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.LinkFollower;
import java.util.stream.Stream;

/** Applies the rule for symbolic links during a walk. Confined to the thread of the walk. */
final class WalkedLinks {
  private final Links rule;
  private final SourcePaths paths;
  private final DirectoryScope scope;
  private final SourceTree.Visitor visitor;

  WalkedLinks(Links rule, SourcePaths paths, DirectoryScope scope, SourceTree.Visitor visitor) {
    this.rule = rule;
    this.paths = paths;
    this.scope = scope;
    this.visitor = visitor;
  }

  boolean areCopied() {
    return rule == Links.COPY;
  }

  boolean areFollowed() {
    return rule == Links.FOLLOW;
  }

  /**
   * The target of a link; null when it is left out, which is reported.
   *
   * @param start the named directory
   */
  LinkFollower.Target target(Directory start, Directory directory, FileName name, Attributes link) {
    if (areCopied()) {
      return new LinkFollower.Target(directory, name, link);
    }
    if (rule == Links.SKIP) {
      visitor.skipped(directory.pathOf(name), "a symbolic link");
      return null;
    }
    try {
      Directory base = paths.isConfined() ? null : start;
      return new LinkFollower(scope, base).follow(directory, name);
    } catch (FdtException e) {
      if (e.code() == ErrorCode.FORBIDDEN) {
        visitor.skipped(directory.pathOf(name), e.getMessage());
      } else {
        visitor.failed(directory.pathOf(name), e);
      }
      return null;
    }
  }

  /**
   * Whether a link leads to a directory that is being visited, which is reported.
   *
   * @param way the directories being visited
   */
  boolean leadsBack(Stream<Directory> way, Directory parent, FileName name, Directory child) {
    boolean back =
        areFollowed() && way.anyMatch(one -> one.firstSeen().isSameFile(child.firstSeen()));
    if (back) {
      visitor.skipped(SourcePaths.pathOf(parent, name), "a link to a directory above it");
    }
    return back;
  }
}
