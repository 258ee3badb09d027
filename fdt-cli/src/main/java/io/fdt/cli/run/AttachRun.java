package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.output.FileEvents;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.ReportFile;
import io.fdt.cli.output.TextView;
import io.fdt.cli.output.TransferView;
import io.fdt.client.AttachedTransfer;
import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.RemoteSession;
import io.fdt.client.TeeListener;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.Observation;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Follows a transfer between two servers, told as one that this command had started. */
public final class AttachRun {
  private final Operation.Attach attach;
  private final SessionRun.Place place;
  private final boolean listsFiles;
  private final CommandContext context;

  private AttachRun(
      Operation.Attach attach, SessionRun.Place place, boolean listsFiles, CommandContext context) {
    this.attach = attach;
    this.place = place;
    this.listsFiles = listsFiles;
    this.context = context;
  }

  /**
   * Follows it to its end; the result is its exit status.
   *
   * @param listsFiles whether each file that is moved is named, with its digest
   */
  public static int attach(Operation.Attach attach, boolean listsFiles, CommandContext context)
      throws FdtException, InterruptedException {
    SessionRun.Place place = SessionRun.place(attach.session(), attach.access(), context);
    AttachRun run = new AttachRun(attach, place, listsFiles, context);
    return place.with(context, run::follow);
  }

  private int follow(FdtClient client) throws FdtException, InterruptedException {
    Late listener = new Late();
    try (AttachedTransfer transfer = client.attach(attach.session().digits(), listener)) {
      RemoteSession session = SessionRun.described(transfer);
      String start = JsonView.attached(session, place.server().toString());
      TransferView view =
          attach.json()
              ? new JsonView(start, Optional.empty(), false, false, context.screen())
              : new TextView(session.isDryRun(), attach.output(), listsFiles, context.screen());
      if (attach.output().report().isEmpty()) {
        listener.told.complete(view);
        return follow(transfer, session, view, Optional.empty());
      }
      try (ReportFile report = ReportFile.create(attach.output().report().get(), start)) {
        listener.told.complete(
            new TeeListener(view, new FileEvents(report::add, Optional.empty())));
        return follow(transfer, session, view, Optional.of(report));
      }
    } finally {
      listener.told.complete(TransferListener.NONE); // nobody waits for it
    }
  }

  private int follow(
      AttachedTransfer transfer,
      RemoteSession session,
      TransferView view,
      Optional<ReportFile> reportFile)
      throws InterruptedException {
    view.started();
    TransferReport report;
    try (Interruption interruption =
        context.onInterruption(() -> interrupted(transfer, session, view))) {
      report = TransferRun.await(transfer, view.progressPeriod(), view::progress);
      if (interruption.hasHappened()) {
        return TransferRun.INTERRUPTED;
      }
    }
    if (attach.json()) {
      view.progress(transfer.progress());
    }
    context.screen().endStatus();
    int status = finish(report, view, reportFile);
    if (isContinuable(report)) {
      view.notice(continuation(session));
    }
    view.ended(report, status);
    return status;
  }

  private void interrupted(AttachedTransfer transfer, RemoteSession session, TransferView view) {
    context.screen().endStatus();
    view.interrupted(transfer.progress());
    view.notice(
        "the transfer goes on: fdt attach %s shows it again, fdt cancel %s ends it"
            .formatted(name(session), name(session)));
  }

  /** By which it is found from here. */
  private String name(RemoteSession session) {
    return attach.session().server().isEmpty()
        ? session.shortId()
        : "fdt://" + place.server() + "/" + session.shortId();
  }

  private static boolean isContinuable(TransferReport report) {
    return report.failure().filter(code -> code.retry() == ErrorCode.Retry.LATER).isPresent();
  }

  private static String continuation(RemoteSession session) {
    return session.command().isEmpty()
        ? "the same copy continues it"
        : "the same command continues it: " + session.command();
  }

  /** Returns the exit status: a report that is not there is a failure. */
  private static int finish(
      TransferReport report, TransferView view, Optional<ReportFile> reportFile)
      throws InterruptedException {
    int status = report.exitStatus();
    if (reportFile.isPresent()) {
      try {
        reportFile.get().finish(JsonView.summary(report, status));
      } catch (FdtException e) {
        view.failed(e);
        return status == 0 ? e.code().exitStatus() : status;
      }
    }
    return status;
  }

  /** Has events wait until it is known how the transfer is shown. */
  private static final class Late implements TransferListener {
    final CompletableFuture<TransferListener> told = new CompletableFuture<>();

    @Override
    public void notice(String message) {
      told.join().notice(message);
    }

    @Override
    public void observed(Observation seen) {
      told.join().observed(seen);
    }

    @Override
    public void fileDone(DoneFile file) {
      told.join().fileDone(file);
    }

    @Override
    public void fileUnchanged(FoundFile file) {
      told.join().fileUnchanged(file);
    }

    @Override
    public void fileDue(FoundFile file) {
      told.join().fileDue(file);
    }

    @Override
    public void deleted(DeletedName name) {
      told.join().deleted(name);
    }

    @Override
    public void problem(FileProblem problem) {
      told.join().problem(problem);
    }
  }
}
