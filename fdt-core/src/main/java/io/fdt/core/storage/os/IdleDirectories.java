package io.fdt.core.storage.os;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The open directories that no operation uses right now, the longest unused first; at most so many
 * stay open.
 *
 * <p>Any thread. It closes nothing itself: who adds a directory closes the one that has to go for
 * it.
 */
public final class IdleDirectories {
  /**
   * The bound of this process. 256 descriptors are a quarter of the usual limit of 1,024, and a
   * walk or a transfer works in far fewer directories at a time, so that reopening stays rare.
   */
  public static final IdleDirectories OF_PROCESS = new IdleDirectories(256);

  private final int most;
  private final Set<Directory> directories = new LinkedHashSet<>();

  public IdleDirectories(int most) {
    this.most = most;
  }

  /** Adds a directory; returns the one to close for it, or null. */
  synchronized Directory add(Directory directory) {
    directories.add(directory);
    if (directories.size() <= most) {
      return null;
    }
    Iterator<Directory> eldest = directories.iterator();
    Directory gone = eldest.next();
    eldest.remove();
    return gone;
  }

  synchronized void remove(Directory directory) {
    directories.remove(directory);
  }

  /** Those of one scope. */
  public synchronized List<Directory> of(DirectoryScope scope) {
    List<Directory> found = new ArrayList<>();
    for (Directory directory : directories) {
      if (directory.scope() == scope) {
        found.add(directory);
      }
    }
    return found;
  }

  /** All of them, the longest unused first. */
  public synchronized List<Directory> all() {
    return List.copyOf(directories);
  }

  public synchronized int size() {
    return directories.size();
  }
}
