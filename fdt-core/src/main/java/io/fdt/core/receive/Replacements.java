package io.fdt.core.receive;

import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Directories of the destination that are replaced by a file or link of the source, if deletion was
 * requested. Such a directory is removed completely or not at all, when the file or link gets its
 * name; the deletion reports its entries when it begins.
 *
 * <p>Confined to one thread at a time: the placement thread, then that of the deletion. Deleted
 * entries are recorded on any thread.
 */
final class Replacements {
  /**
   * The most characters of paths that wait to be reported; further entries are removed without a
   * report.
   */
  private static final long MAX_TOLD_CHARS = 8 << 20;

  /**
   * A removed name.
   *
   * @param kind null for a device, socket or FIFO
   */
  record Gone(String path, EntryKind kind) {}

  private record Place(List<FileName> way, FileName name) {}

  private final TransferSpec spec;
  private final CheckMeter checks;

  /** The names from the transferred directory to each open one, by its id. */
  private final Map<Long, List<FileName>> ways = new HashMap<>();

  private final List<Gone> told = new ArrayList<>();

  /** In a dry run, names that a run would have removed. */
  private final Set<Place> pretended = new HashSet<>();

  private boolean rootsAreNamed;
  private long toldChars;
  private long names;

  /** The names that will be removed if all replacements of directories arrive. */
  private long reserved;

  Replacements(TransferSpec spec, CheckMeter checks) {
    this.spec = spec;
    this.checks = checks;
  }

  /** Whether deletion was requested. */
  boolean areOn() {
    return spec.delete();
  }

  void open(List<Root> roots) {
    rootsAreNamed = roots.stream().noneMatch(Root::isContents);
    if (areOn() && roots.stream().allMatch(Root::isContents)) {
      ways.put(Entry.ROOT, List.of());
    }
  }

  /**
   * Records the place of a directory. A directory that only leads to a source is not transferred
   * itself.
   */
  void placed(Entry directory, FileName name) {
    List<FileName> parent = ways.get(directory.parentId());
    if (parent != null) {
      List<FileName> way = new ArrayList<>(parent);
      way.add(name);
      ways.put(directory.id(), List.copyOf(way));
    } else if (areOn() && rootsAreNamed && directory.modified() != null) {
      ways.put(directory.id(), List.of());
    }
  }

  void ended(Entry directory) {
    ways.remove(directory.id());
  }

  /** Whether entries of a directory may be replaced: the directory is within a transferred one. */
  boolean mayReplaceIn(long directoryId) {
    return ways.containsKey(directoryId);
  }

  /**
   * Prepares the replacement of a directory by a file or link, or in a dry run checks it.
   *
   * @throws FdtException an entry of the directory must stay, or the limit of deletions is exceeded
   */
  void makeRoom(DestinationDirectory parent, long parentId, FileName name) throws FdtException {
    List<FileName> way = ways.get(parentId);
    Rules trial = new Rules();
    boolean wouldGo;
    try {
      wouldGo = parent.mayRemoveDirectory(name, way, trial);
    } catch (InterruptedException e) {
      throw new FdtException(ErrorCode.CANCELLED, "the removal was ended early", e);
    }
    if (trial.failure != null) {
      throw trial.failure;
    }
    if (!wouldGo) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'%s/%s' is a directory that holds excluded names: move it to let a file take its place"
              .formatted(parent.path(), name));
    }
    if (trial.count > spec.maxDelete() - reserved) {
      throw new FdtException(
          ErrorCode.TOO_MANY,
          "'%s/%s' is a directory with %d names, and %s allows %d: not replaced; raise it"
              .formatted(parent.path(), name, trial.count, Setting.MAX_DELETE, spec.maxDelete()));
    }
    reserved += trial.count;
    if (spec.dryRun()) {
      pretended.add(new Place(way, name));
      trial.keep();
    } else {
      parent.letReplace(name, way, new Removal(trial));
    }
  }

  /** The number of removed names, or in a dry run names to be removed. */
  synchronized long names() {
    return names;
  }

  /** The removed names to be reported. */
  synchronized List<Gone> told() {
    return List.copyOf(told);
  }

  /** In a dry run, whether a run would have removed a name. */
  boolean isPretended(List<FileName> way, FileName name) {
    return !pretended.isEmpty() && pretended.contains(new Place(way, name));
  }

  /**
   * The user's choice protects some entries; all others in such a directory are missing at the
   * source.
   */
  private class Rules implements DeletionRules {
    private final List<Gone> gone = new ArrayList<>();
    private long chars;
    private long count;
    private FdtException failure;

    /** Keeps the recorded entries for the report. */
    void keep() {
      synchronized (Replacements.this) {
        names += count;
        if (toldChars + chars <= MAX_TOLD_CHARS) {
          toldChars += chars;
          told.addAll(gone);
        }
      }
    }

    @Override
    public boolean isKnown(List<FileName> way, FileName name) {
      return false;
    }

    @Override
    public boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory) {
      checks.add(1);
      return spec.selection().leavesOut(way, name, isDirectory);
    }

    @Override
    public int maxDepth() {
      return Integer.MAX_VALUE;
    }

    @Override
    public boolean oneFileSystem() {
      return spec.selection().oneFileSystem();
    }

    @Override
    public BitSet lacking(List<List<FileName>> paths) {
      throw new IllegalStateException("the source has a file here");
    }

    @Override
    public void deleted(String path, EntryKind kind) {
      count++;
      chars += path.length();
      if (chars <= MAX_TOLD_CHARS) {
        gone.add(new Gone(path, kind));
      }
    }

    @Override
    public void failed(String path, FdtException cause) {
      failure = failure == null ? cause : failure;
    }
  }

  /** The removal itself. The trial has recorded the names; the directory has been renamed since. */
  private final class Removal extends Rules {
    private final Rules trial;
    private boolean isTold;

    Removal(Rules trial) {
      this.trial = trial;
    }

    @Override
    public void deleted(String path, EntryKind kind) {
      tell();
    }

    @Override
    public void failed(String path, FdtException cause) {
      tell();
    }

    private void tell() {
      if (!isTold) {
        isTold = true;
        trial.keep();
      }
    }
  }
}
