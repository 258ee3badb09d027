package io.fdt.client;

import io.fdt.core.tuning.Observation;

/** Forwards events to two listeners, one after the other. */
public record TeeListener(TransferListener first, TransferListener second)
    implements TransferListener {
  @Override
  public void notice(String message) {
    first.notice(message);
    second.notice(message);
  }

  @Override
  public void observed(Observation seen) {
    first.observed(seen);
    second.observed(seen);
  }

  @Override
  public void fileDone(DoneFile file) {
    first.fileDone(file);
    second.fileDone(file);
  }

  @Override
  public void fileUnchanged(FoundFile file) {
    first.fileUnchanged(file);
    second.fileUnchanged(file);
  }

  @Override
  public void fileDue(FoundFile file) {
    first.fileDue(file);
    second.fileDue(file);
  }

  @Override
  public void deleted(DeletedName name) {
    first.deleted(name);
    second.deleted(name);
  }

  @Override
  public void problem(FileProblem problem) {
    first.problem(problem);
    second.problem(problem);
  }
}
