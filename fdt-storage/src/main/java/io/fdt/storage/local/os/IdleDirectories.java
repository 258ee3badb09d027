package io.fdt.storage.local.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A bounded set of open directories that are not in use, longest unused first.
 *
 * <p>Any thread. It closes nothing itself: the caller that adds a directory closes the evicted one.
 */
public final class IdleDirectories {
  /** A quarter of the usual limit of 1,024 descriptors. */
  private static final int MOST = 256;

  private static final String LIMIT = "Max open files";

  /**
   * The limit of this process: a quarter of its descriptors. A walk or a transfer uses far fewer
   * directories at a time, so that reopening stays rare.
   */
  public static final IdleDirectories OF_PROCESS = new IdleDirectories(quarterOfLimit());

  /** An open directory. Any thread. */
  public interface Idle {
    /** Closes its descriptor unless it is in use. */
    void closeIfIdle();
  }

  private final int most;

  /** Each with its tree, of which only the identity matters. */
  private final Map<Idle, Object> trees = new LinkedHashMap<>();

  public IdleDirectories(int most) {
    this.most = most;
  }

  private static int quarterOfLimit() {
    try {
      for (String line :
          Files.readAllLines(Path.of("/proc/self/limits"), StandardCharsets.ISO_8859_1)) {
        if (line.startsWith(LIMIT)) {
          String soft = line.substring(LIMIT.length()).strip().split(" ", 2)[0];
          return Math.max(1, (int) Math.min(MOST, Long.parseLong(soft) / 4));
        }
      }
    } catch (IOException | NumberFormatException e) {
      // No /proc here, or no limit.
    }
    return MOST;
  }

  /** Closes all unused ones when descriptors run out; never called within a directory's lock. */
  void closeAll() {
    all().forEach(Idle::closeIfIdle);
  }

  /** Adds a directory; returns the evicted one, or null. */
  synchronized Idle add(Idle directory, Object tree) {
    trees.put(directory, tree);
    if (trees.size() <= most) {
      return null;
    }
    Iterator<Idle> eldest = trees.keySet().iterator();
    Idle gone = eldest.next();
    eldest.remove();
    return gone;
  }

  synchronized void remove(Idle directory) {
    trees.remove(directory);
  }

  /** The idle directories of one tree. */
  public synchronized List<Idle> of(Object tree) {
    List<Idle> found = new ArrayList<>();
    trees.forEach(
        (directory, owner) -> {
          if (owner == tree) {
            found.add(directory);
          }
        });
    return found;
  }

  /** All idle directories, longest unused first. */
  public synchronized List<Idle> all() {
    return List.copyOf(trees.keySet());
  }

  public synchronized int size() {
    return trees.size();
  }
}
