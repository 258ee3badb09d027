package io.fdt.core.storage.operand;

import io.fdt.core.model.Entry;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.name.PathHashes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * The files and links of sources that share a directory at the destination: of two with the same
 * path, only the first is sent.
 *
 * <p>Hash collisions merge files, with a probability of 3 in a million for 10^7 files. Memory: 16
 * to 32 bytes for each file, at most {@link #MAX_BYTES}; further files are not recorded. Not
 * thread-safe.
 */
public final class MergedNames {
  /** The earlier entry of a path. */
  public enum Before {
    NOTHING,
    SAME_FILE,
    ANOTHER_FILE
  }

  /** Room for six million files. */
  static final long MAX_BYTES = 128 << 20;

  private final PathHashes files =
      new PathHashes(ThreadLocalRandom.current().nextLong(), MAX_BYTES);

  /** Directories still being listed. */
  private final Map<Long, Long> directories = new HashMap<>();

  private MergedNames() {
    directories.put(Entry.ROOT, files.root());
  }

  /** The names that several operands share; null if no two of them can share a path. */
  public static MergedNames of(List<? extends Arrived> operands) {
    Map<List<FileName>, Integer> trees = new HashMap<>();
    for (Arrived operand : operands) {
      if (operand.isDirectory()) {
        trees.merge(operand.arrival(), 1, Integer::sum);
      }
    }
    boolean mayMeet =
        trees.values().stream().anyMatch(count -> count > 1)
            || operands.stream().anyMatch(operand -> isWithin(operand.arrival(), trees.keySet()));
    return mayMeet ? new MergedNames() : null;
  }

  private static boolean isWithin(List<FileName> arrival, Set<List<FileName>> trees) {
    return IntStream.range(0, arrival.size())
        .anyMatch(depth -> trees.contains(arrival.subList(0, depth)));
  }

  /** A directory begins. */
  public void directory(long id, long parent, FileName name) {
    directories.put(id, PathHashes.of(directories.get(parent), name));
  }

  /** A directory ends. */
  public void end(long id) {
    directories.remove(id);
  }

  /**
   * Records a file or link.
   *
   * @param identity of the file at the source
   * @return the earlier entry of its path
   */
  public Before add(long parent, FileName arrival, long identity) {
    long path = PathHashes.of(directories.get(parent), arrival);
    boolean isNewFile = files.add(PathHashes.of(path, identity));
    boolean isNew = files.add(path); // last, so that no path is recorded without its file
    if (isNew) {
      return Before.NOTHING;
    }
    return isNewFile ? Before.ANOTHER_FILE : Before.SAME_FILE;
  }
}
