package io.fdt.service.run;

import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteTotals;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.service.store.Endpoint;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Outcome;
import io.fdt.service.task.Task;
import io.fdt.service.value.ServiceException;

/** Removes names at one endpoint. From the second attempt on, a missing name counts as removed. */
final class DeleteAttempt implements Attempt {
  private final Task task;
  private final boolean isRepeated;
  private final Endpoints endpoints;
  private final Stop stop;
  private final TaskReport report;

  private long removed;
  private long failed;
  private boolean mayPass;
  private String firstProblem = "";

  DeleteAttempt(Task task, boolean isRecovered, Endpoints endpoints, Stop stop, TaskReport report) {
    this.task = task;
    this.isRepeated = isRecovered || task.run().attempts() > 1;
    this.endpoints = endpoints;
    this.stop = stop;
    this.report = report;
  }

  @Override
  public Outcome run() throws FdtException, ServiceException, InterruptedException {
    Thread thread = Thread.currentThread();
    stop.with(thread::interrupt);
    Endpoint endpoint = endpoints.find(task.owner(), task.work().source());
    try (ClientPool.Lent lent = endpoints.client(endpoint, false);
        RemoteFiles files = lent.client().files()) {
      for (String path : task.work().paths()) {
        if (stop.isAsked()) {
          throw new InterruptedException();
        }
        remove(files, path);
        report.counts(counts());
        report.flushIfPossible();
      }
    }
    Counts counts = counts();
    if (failed == 0) {
      String message = names(counts.filesDone()) + " removed";
      return new Outcome(Outcome.End.SUCCEEDED, counts, message, false);
    }
    String message = names(failed) + " could not be removed: " + firstProblem;
    return new Outcome(mayPass ? Outcome.End.FAULT : Outcome.End.FAILED, counts, message, false);
  }

  private Counts counts() {
    Counts.Moved moved = task.counts().moved().plus(new Counts.Moved(0, 0, removed));
    return new Counts(
        moved, Counts.Moved.NOTHING, 0, moved.deleted(), failed, moved.deleted() + failed);
  }

  private static String names(long count) {
    return count == 1 ? "1 name" : count + " names";
  }

  private void remove(RemoteFiles files, String path) throws FdtException, InterruptedException {
    try {
      RemoteTotals totals =
          files.remove(
              BytePath.of(path),
              task.work().options().spec().recursive(),
              new RemoteVisitor() {
                @Override
                public void problem(String name, ErrorCode code, String message) {
                  count(name, code, message);
                }
              });
      removed += totals.files() + totals.directories() + totals.links() + totals.others();
    } catch (FdtException e) {
      if (e.code() == ErrorCode.NOT_FOUND && isRepeated) {
        return;
      }
      if (e.code().exitStatus() != 1) { // not of this name, but of the server
        throw e;
      }
      count(path, e.code(), e.getMessage());
    }
  }

  private void count(String path, ErrorCode code, String message) {
    firstProblem = failed == 0 ? message : firstProblem;
    failed++;
    mayPass |= code.retry() == ErrorCode.Retry.LATER;
    report.problem(path, code, message);
  }
}
