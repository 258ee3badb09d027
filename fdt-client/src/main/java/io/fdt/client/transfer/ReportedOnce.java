package io.fdt.client.transfer;

import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TransferListener;
import io.fdt.core.tuning.Observation;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reports each file once, although several sessions work on it one after another: a file
 * transferred by one session is unchanged for the next.
 *
 * <p>Events come from one session at a time; the counts may be read on any thread.
 */
public final class ReportedOnce implements TransferListener {
  /** Most paths of each kind; beyond it, files may be reported again. Memory: 88 MB at most. */
  private static final int MOST = 4 << 20;

  private final TransferListener listener;
  private final ReportedPaths done = new ReportedPaths(MOST);
  private final ReportedPaths found = new ReportedPaths(MOST);
  private final ReportedPaths others = new ReportedPaths(MOST);
  private final AtomicLong movedBefore = new AtomicLong();
  private final AtomicLong movedAgain = new AtomicLong();
  private final AtomicLong bytesOfDone = new AtomicLong();
  private boolean again;

  ReportedOnce(TransferListener listener) {
    this.listener = listener;
  }

  /** Starts over for another session. */
  void again() {
    again = true;
    movedBefore.set(0);
  }

  /** Files that are unchanged for this session because an earlier one transferred them. */
  long movedBefore() {
    return movedBefore.get();
  }

  /** Files that several sessions have transferred because they changed meanwhile. */
  long movedAgain() {
    return movedAgain.get();
  }

  /** Sizes of the files transferred by all sessions. */
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
