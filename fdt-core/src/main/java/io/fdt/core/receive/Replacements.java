package io.fdt.core.receive;

import io.fdt.core.engine.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
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
 * Directories of the destination that make room for a file or a link of the source, when deletion
 * was asked for. Such a directory goes as a whole or not at all; what goes is told when the
 * deletion begins.
 *
 * <p>Confined to one thread at a time: that which places entries, and then that of the deletion.
 */
final class Replacements {
  /** Of paths that wait to be told; names beyond that go without being told. */
  private static final long MAX_TOLD_CHARS = 8 << 20;

  /**
   * A name that went.
   *
   * @param kind null for a device, socket or FIFO
   */
  record Gone(String path, EntryKind kind) {}

  private record Place(List<FileName> way, FileName name) {}

  private final TransferSpec spec;
  private final CheckMeter checks;

  /** The names from the directory that is transferred to each open one, by its id. */
  private final Map<Long, List<FileName>> ways = new HashMap<>();

  private final List<Gone> told = new ArrayList<>();

  /** In a dry run, what is still there. */
  private final Set<Place> pretended = new HashSet<>();

  private boolean rootsAreNamed;
  private long toldChars;
  private long names;

  Replacements(TransferSpec spec, CheckMeter checks) {
    this.spec = spec;
    this.checks = checks;
  }

  /** Whether deletion was asked for. */
  boolean areOn() {
    return spec.delete();
  }

  void open(List<Root> roots) {
    rootsAreNamed = roots.stream().noneMatch(Root::isContents);
    if (areOn() && roots.stream().allMatch(Root::isContents)) {
      ways.put(Entry.ROOT, List.of());
    }
  }

  /** A directory has its place. One that only leads to a source is not transferred itself. */
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

  /** Whether what is in a directory may be replaced: it belongs to one that is transferred. */
  boolean mayReplaceIn(long directoryId) {
    return ways.containsKey(directoryId);
  }

  /**
   * Removes a directory, or finds out that it would go.
   *
   * @throws FdtException something in it stays, or more would go than may
   */
  void remove(DestinationDirectory parent, long parentId, FileName name) throws FdtException {
    List<FileName> way = ways.get(parentId);
    try {
      Rules trial = new Rules();
      boolean wouldGo = parent.removeDirectory(name, way, true, trial);
      if (trial.failure != null) {
        throw trial.failure;
      }
      if (!wouldGo) {
        throw new FdtException(
            ErrorCode.WRONG_KIND,
            "'%s/%s' is a directory that holds excluded names: move it to let a file take its place"
                .formatted(parent.path(), name));
      }
      if (trial.count > spec.maxDelete() - names) {
        throw new FdtException(
            ErrorCode.TOO_MANY,
            "'%s/%s' is a directory with %d names, and --max-delete allows %d: not replaced; raise it"
                .formatted(parent.path(), name, trial.count, spec.maxDelete()));
      }
      if (spec.dryRun()) {
        pretended.add(new Place(way, name));
        trial.keep();
        return;
      }
      Rules real = new Rules();
      boolean isGone = parent.removeDirectory(name, way, false, real);
      real.keep();
      if (real.failure != null || !isGone) {
        throw real.failure != null
            ? real.failure
            : new FdtException(
                ErrorCode.IN_USE,
                "'%s/%s' is a directory in which something is new; run the command again"
                    .formatted(parent.path(), name));
      }
    } catch (InterruptedException e) {
      throw new FdtException(ErrorCode.CANCELLED, "the removal was ended early", e);
    }
  }

  /** Names that went, or would. */
  long names() {
    return names;
  }

  /** What is to be told of them. */
  List<Gone> told() {
    return told;
  }

  /** Whether a name is there only because this is a dry run. */
  boolean isPretended(List<FileName> way, FileName name) {
    return !pretended.isEmpty() && pretended.contains(new Place(way, name));
  }

  /** What stays is the user's choice; all else that is in such a directory the source lacks. */
  private final class Rules implements DeletionRules {
    private final List<Gone> gone = new ArrayList<>();
    private long chars = toldChars;
    private long count;
    private FdtException failure;

    /** What it was told is to be told. */
    void keep() {
      names += count;
      toldChars = chars;
      told.addAll(gone);
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
}
