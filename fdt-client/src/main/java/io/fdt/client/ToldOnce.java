package io.fdt.client;

import io.fdt.core.tuning.Observation;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells a listener of each file once, although several sessions work on it one after another: a
 * file that one of them has moved is unchanged for the next one.
 *
 * <p>What it tells belongs to one session at a time; the counts may be read on any thread.
 */
final class ToldOnce implements TransferListener {
  /**
   * Files that are remembered, of each kind; with more some may be told of again. 88 MB at most.
   */
  private static final int MOST = 4 << 20;

  private final TransferListener listener;
  private final ToldFiles done = new ToldFiles(MOST);
  private final ToldFiles found = new ToldFiles(MOST);
  private final ToldFiles others = new ToldFiles(MOST);
  private final AtomicLong movedBefore = new AtomicLong();
  private final AtomicLong movedAgain = new AtomicLong();
  private final AtomicLong bytesOfDone = new AtomicLong();
  private boolean again;

  ToldOnce(TransferListener listener) {
    this.listener = listener;
  }

  /** Another session begins to do the same. */
  void again() {
    again = true;
    movedBefore.set(0);
  }

  /** Files that are unchanged for this session, and that an earlier one has moved. */
  long movedBefore() {
    return movedBefore.get();
  }

  /** Files that more than one session has moved: those that have changed meanwhile. */
  long movedAgain() {
    return movedAgain.get();
  }

  /** Sizes of the files that were moved, by whichever session. */
  long bytesOfDone() {
    return bytesOfDone.get();
  }

  @Override
  public void notice(String message) {
    listener.notice(message);
  }

  @Override
  public void observed(Observation seen) {
    listener.observed(seen);
  }

  @Override
  public void fileDone(DoneFile file) {
    bytesOfDone.addAndGet(file.size());
    if (again && done.contains(file.path())) {
      movedAgain.incrementAndGet();
    } else {
      done.add(file.path());
      listener.fileDone(file);
    }
  }

  @Override
  public void fileUnchanged(FoundFile file) {
    if (again && done.contains(file.path())) {
      movedBefore.incrementAndGet();
    } else if (!again || !found.contains(file.path())) {
      found.add(file.path());
      listener.fileUnchanged(file);
    }
  }

  @Override
  public void fileDue(FoundFile file) {
    if (!again || !found.contains(file.path())) {
      found.add(file.path());
      listener.fileDue(file);
    }
  }

  @Override
  public void deleted(DeletedName name) {
    if (!name.pretended() || isNew("deleted " + name.path())) {
      listener.deleted(name);
    }
  }

  @Override
  public void problem(FileProblem problem) {
    if (isNew(problem.skipped() + " " + problem.path() + "\n" + problem.message())) {
      listener.problem(problem);
    }
  }

  private boolean isNew(String text) {
    boolean isNew = !again || !others.contains(text);
    others.add(text);
    return isNew;
  }
}
