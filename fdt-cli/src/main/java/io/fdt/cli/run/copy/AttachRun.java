package io.fdt.cli.run.copy;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.access.SessionName;
import io.fdt.cli.option.transfer.CopyOutput;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.TransferView;
import io.fdt.cli.output.json.FileEvents;
import io.fdt.cli.output.json.JsonView;
import io.fdt.cli.output.json.ReportFile;
import io.fdt.cli.output.text.TextView;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TransferRun;
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

/** Follows a transfer between two servers to its end, and shows it like a copy of this command. */
public record AttachRun(SessionName session, CopyOutput output, ClientAccess access)
    implements Command {
  @Override
  public boolean json() {
    return output.json();
  }

  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    CommandContext shown =
        output.usesStandardOutput() ? context.with(context.screen().withoutOutput()) : context;
    SessionRun.Place place = SessionRun.place(session, access, shown);
    return place.with(shown, client -> follow(client, place, shown));
  }

  private int follow(FdtClient client, SessionRun.Place place, CommandContext context)
      throws FdtException, InterruptedException {
    DelayedListener listener = new DelayedListener();
    try (AttachedTransfer transfer = client.attach(session.digits(), listener)) {
      RemoteSession found = SessionRun.described(transfer);
      String start = JsonView.attached(found, place.server().toString());
      TransferView view =
          json()
              ? new JsonView(
                  start, Optional.empty(), Optional.empty(), false, false, context.screen())
              : new TextView(
                  found.request().isDryRun(), output, context.listsFiles(), context.screen());
      String name =
          session.server().isEmpty()
              ? found.shortId()
              : "fdt://" + place.server() + "/" + found.shortId();
      if (output.report().isEmpty()) {
        listener.target.complete(view);
        return follow(transfer, found, name, view, Optional.empty(), context);
      }
      try (ReportFile report = ReportFile.create(output.report().get(), start)) {
        listener.target.complete(
            new TeeListener(view, new FileEvents(report::add, Optional.empty(), Optional.empty())));
        return follow(transfer, found, name, view, Optional.of(report), context);
      }
    } finally {
      listener.target.complete(TransferListener.NONE);
    }
  }

  private int follow(
      AttachedTransfer transfer,
      RemoteSession found,
      String name,
      TransferView view,
      Optional<ReportFile> reportFile,
      CommandContext context)
      throws InterruptedException {
    view.started();
    TransferReport report;
    try (Interruption interruption =
        context.onInterruption(() -> interrupted(transfer, name, view, context.screen()))) {
      report = TransferRun.await(transfer, view.progressPeriod(), view::progress);
      if (interruption.hasHappened()) {
        return TransferRun.INTERRUPTED;
      }
    }
    if (json()) {
      view.progress(transfer.progress());
    }
    context.screen().endStatus();
    int status = finish(report, view, reportFile);
    if (isContinuable(report)) {
      view.notice(continuation(found));
    }
    view.ended(report, status);
    return status;
  }

  private static void interrupted(
      AttachedTransfer transfer, String name, TransferView view, Screen screen) {
    screen.endStatus();
    view.interrupted(transfer.progress());
    view.notice(
        "the transfer goes on: fdt attach %s shows it again, fdt cancel %s ends it"
            .formatted(name, name));
  }

  private static boolean isContinuable(TransferReport report) {
    return report.failure().filter(code -> code.retry() == ErrorCode.Retry.LATER).isPresent();
  }

  private static String continuation(RemoteSession session) {
    return session.request().command().isEmpty()
        ? "the same copy continues it"
        : "the same command continues it: " + session.request().command();
  }

  /** Returns the exit status: a report that cannot be written is a failure. */
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

  /** Blocks events until the view of the transfer is known. */
  private static final class DelayedListener implements TransferListener {
    final CompletableFuture<TransferListener> target = new CompletableFuture<>();

    @Override
    public void notice(String message) {
      target.join().notice(message);
    }

    @Override
    public void observed(Observation seen) {
      target.join().observed(seen);
    }

    @Override
    public void fileDone(DoneFile file) {
      target.join().fileDone(file);
    }

    @Override
    public void fileUnchanged(FoundFile file) {
      target.join().fileUnchanged(file);
    }

    @Override
    public void fileDue(FoundFile file) {
      target.join().fileDue(file);
    }

    @Override
    public void deleted(DeletedName name) {
      target.join().deleted(name);
    }

    @Override
    public void problem(FileProblem problem) {
      target.join().problem(problem);
    }
  }
}
