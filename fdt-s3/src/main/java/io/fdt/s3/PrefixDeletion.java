package io.fdt.s3;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.catalogue.Catalogue;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutorService;

/**
 * Removes the objects beneath a prefix that the source lacks, and whole prefixes. Confined to one
 * thread.
 */
final class PrefixDeletion {
  private static final int MOST_ASKED = 1000;

  private record Candidate(FileName name, boolean isDirectory, long size) {}

  private final Store store;
  private final ExecutorService requests;
  private final DeletionRules rules;
  private final int rootLength;
  private final KeyRemover remover;

  /**
   * @param pretend whether to only report
   * @param rootLength how many names lead from the destination to the transferred directory
   */
  PrefixDeletion(
      Store store, ExecutorService requests, DeletionRules rules, boolean pretend, int rootLength) {
    this.store = store;
    this.requests = requests;
    this.rules = rules;
    this.rootLength = rootLength;
    this.remover =
        new KeyRemover(
            store,
            pretend,
            new KeyRemover.Report() {
              @Override
              public void removed(KeyRemover.Doomed what) throws InterruptedException {
                rules.deleted(what.path().toString(), what.kind());
              }

              @Override
              public void failed(ObjectPath path, FdtException cause) throws InterruptedException {
                rules.failed(path.toString(), cause);
              }
            });
  }

  /**
   * Removes what the source lacks beneath a transferred directory.
   *
   * @param way the names from the destination to it
   */
  void run(ObjectPath directory, List<FileName> way) throws InterruptedException {
    try {
      descend(directory, way, 1);
      remover.flush();
    } catch (FdtException e) {
      rules.failed(directory.toString(), e);
    }
  }

  /**
   * Removes a directory with all that is not left out.
   *
   * @param way the names from the transferred directory to the one that holds it
   * @return whether all of it is removed, or would be
   */
  boolean removeTree(ObjectPath directory, List<FileName> way) throws InterruptedException {
    try {
      boolean isAll = remove(directory, way);
      remover.flush();
      return isAll;
    } catch (FdtException e) {
      rules.failed(directory.toString(), e);
      return false;
    }
  }

  private void descend(ObjectPath directory, List<FileName> way, int depth)
      throws FdtException, InterruptedException {
    PrefixNames names = new PrefixNames(store, directory, requests, false);
    List<FileName> kept = new ArrayList<>();
    List<Candidate> candidates = new ArrayList<>();
    Catalogue.Listed one;
    while ((one = names.next()) != null) {
      boolean isDirectory = one.item().isDirectory();
      if (isLeftOut(way, one.name(), isDirectory)) {
        continue;
      }
      if (!rules.isKnown(way, one.name())) {
        candidates.add(new Candidate(one.name(), isDirectory, one.item().size()));
        if (candidates.size() == MOST_ASKED) {
          ask(directory, way, candidates, kept);
        }
      } else if (isDirectory) {
        kept.add(one.name());
      }
    }
    ask(directory, way, candidates, kept);
    if (depth < rules.maxDepth()) {
      for (FileName name : kept) {
        descend(directory.child(name), with(way, name), depth + 1);
      }
    }
  }

  private void ask(
      ObjectPath directory, List<FileName> way, List<Candidate> candidates, List<FileName> kept)
      throws FdtException, InterruptedException {
    if (candidates.isEmpty()) {
      return;
    }
    BitSet lacking = rules.lacking(candidates.stream().map(one -> with(way, one.name())).toList());
    for (int i = 0; i < candidates.size(); i++) {
      Candidate one = candidates.get(i);
      ObjectPath path = directory.child(one.name());
      if (lacking.get(i) && one.isDirectory()) {
        boolean unused = remove(path, way);
      } else if (lacking.get(i)) {
        remover.object(path, one.size());
      } else if (one.isDirectory()) {
        kept.add(one.name());
      }
    }
    candidates.clear();
  }

  /** Removes a directory, whose names are beneath {@code parentWay}. */
  private boolean remove(ObjectPath directory, List<FileName> parentWay)
      throws FdtException, InterruptedException {
    FileName last = directory.name();
    List<FileName> way = with(parentWay, last);
    PrefixNames names = new PrefixNames(store, directory, requests, false);
    boolean isAll = true;
    Catalogue.Listed one;
    while ((one = names.next()) != null) {
      if (isLeftOut(way, one.name(), one.item().isDirectory())) {
        isAll = false;
      } else if (one.item().isDirectory()) {
        isAll &= remove(directory.child(one.name()), way);
      } else {
        remover.object(directory.child(one.name()), one.item().size());
      }
    }
    if (isAll) {
      remover.directory(directory, names.hasMarker());
    }
    return isAll;
  }

  private boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory) {
    return rules.isLeftOut(way.subList(rootLength, way.size()), name, isDirectory);
  }

  private static List<FileName> with(List<FileName> some, FileName one) {
    List<FileName> all = new ArrayList<>(some);
    all.add(one);
    return all;
  }
}
