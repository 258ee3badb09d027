package io.fdt.cli.run.copy;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.TransferView;
import io.fdt.cli.output.json.FileEvents;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.output.json.JsonView;
import io.fdt.cli.output.json.ReportFile;
import io.fdt.cli.output.text.Explanation;
import io.fdt.cli.run.AddressHint;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TransferRun;
import io.fdt.cli.run.Wildcards;
import io.fdt.cli.run.copy.CopyServers.Tokens;
import io.fdt.cli.ssh.StartedServers;
import io.fdt.client.DetachedSession;
import io.fdt.client.DetachedTransfer;
import io.fdt.client.Detachment;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.HandOver;
import io.fdt.client.RequiredStorage;
import io.fdt.client.SessionBook;
import io.fdt.client.TeeListener;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.Filters;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.unit.NumberText;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Runs one copy with its output. */
final class CopyRun {
  private final Copy copy;
  private final TransferView view;
  private final Explanation explanation;
  private final Optional<ReportFile> reportFile;
  private final CommandContext context;
  private final Screen screen;
  private final Filters filters;

  /** A notice after the summary; null for none. */
  private String lastNotice;

  private final CopyServers servers;
  private int sumsStatus;

  /** The rule for a dry run in text; otherwise null. */
  private SlashRule slashRule;

  private CopyRun(
      Copy copy,
      TransferView view,
      Explanation explanation,
      Optional<ReportFile> reportFile,
      Filters filters,
      CopyServers servers,
      CommandContext context) {
    this.servers = servers;
    this.copy = copy;
    this.filters = filters;
    this.view = view;
    this.explanation = explanation;
    this.reportFile = reportFile;
    this.context = context;
    this.screen = context.screen();
  }

  /**
   * Copies; the result is an exit status.
   *
   * @param started servers that were started for it
   */
  static int copy(Copy copy, CommandContext whole, Optional<StartedServers> started)
      throws InterruptedException, FdtException {
    RequiredStorage.load(copy.request());
    Screen screen = copy.usesStandardOutput() ? whole.screen().withoutOutput() : whole.screen();
    CommandContext context = whole.with(screen);
    Explanation explanation = new Explanation();
    TransferView view = CopyViews.of(copy, explanation, context);
    CopyServers servers = new CopyServers(copy, started, context);
    Tokens tokens = servers.givenTokens();
    if (copy.detach()) {
      return new CopyRun(copy, view, explanation, Optional.empty(), Filters.NONE, servers, context)
          .leave(tokens);
    }
    Filters filters = copy.filters().load();
    if (copy.output().report().isEmpty()) {
      return new CopyRun(copy, view, explanation, Optional.empty(), filters, servers, context)
          .run(tokens);
    }
    try (ReportFile report =
        ReportFile.create(copy.output().report().get(), JsonView.start(copy))) {
      return new CopyRun(copy, view, explanation, Optional.of(report), filters, servers, context)
          .run(tokens);
    }
  }

  /** Detaches the copy, which the servers continue, and shows its id. */
  private int leave(Tokens given) throws InterruptedException, FdtException {
    view.started();
    DetachedTransfer left;
    try {
      left = left(given);
    } catch (FdtException e) {
      Tokens all = e.code() == ErrorCode.UNAUTHENTICATED ? servers.asked(given) : given;
      if (all.equals(given)) {
        twoServersHint(e.code()).filter(hint -> !copy.output().json()).ifPresent(screen::note);
        throw e;
      }
      left = left(all);
    }
    if (left == null) {
      return TransferRun.INTERRUPTED;
    }
    Copy.Server server =
        left.atSource()
            ? copy.source().orElseThrow()
            : new Copy.Server(copy.server(), copy.access());
    remember(left, server);
    if (copy.output().json()) {
      screen.text(JsonView.detached(left.id(), server.address().toString()));
      JsonEvent.end(screen, 0);
    } else {
      screen.line(left.id());
      view.notice(
          "%s goes on with it: fdt attach %s shows how far it is; from elsewhere, fdt attach fdt://%s/%s"
              .formatted(
                  server.address(),
                  left.id().substring(0, 8),
                  server.address(),
                  left.id().substring(0, 8)));
    }
    return 0;
  }

  /** The transfer that continues without this command; null after an interruption. */
  private DetachedTransfer left(Tokens tokens) throws InterruptedException, FdtException {
    try (FdtClient client = servers.builder(tokens).build();
        FdtClient source = servers.openSource(tokens)) {
      TransferListener notices =
          new TransferListener() {
            @Override
            public void notice(String message) {
              view.notice(message);
            }

            @Override
            public void problem(FileProblem problem) {
              // The server keeps it.
            }
          };
      TransferRequest request = Wildcards.expanded(copy.request(), source, view::notice);
      Detachment detachment = source.startDetached(client, request, notices);
      try (Interruption interruption = context.onInterruption(detachment::cancel)) {
        DetachedTransfer left = SessionRun.result(detachment.completion());
        return interruption.hasHappened() ? null : left;
      }
    }
  }

  /** Remembers the id; a failure is only a notice. */
  private void remember(DetachedTransfer left, Copy.Server server) {
    Path workingDirectory = context.surroundings().workingDirectory();
    try {
      new SessionBook(context.home())
          .add(
              new DetachedSession(
                  left.id(),
                  context.surroundings().clock().instant(),
                  server.address().host(),
                  server.address().port(),
                  left.atSource(),
                  server.access().fingerprint(),
                  server.access().tokenFile().map(workingDirectory::resolve)));
    } catch (FdtException e) {
      view.notice("the id is not remembered: " + e.getMessage());
    }
  }

  private int run(Tokens given) throws InterruptedException, FdtException {
    view.started();
    TransferReport report;
    try {
      report = transfer(given);
      if (TransferRun.wantsToken(report)) {
        screen.status("");
        Tokens all = servers.asked(given);
        report = all.equals(given) ? report : transfer(all);
      }
    } catch (FdtException e) { // before the transfer
      Tokens all = e.code() == ErrorCode.UNAUTHENTICATED ? servers.asked(given) : given;
      if (all.equals(given)) {
        throw e;
      }
      report = transfer(all);
    }
    screen.endStatus();
    return report == null ? TransferRun.INTERRUPTED : end(report, exitStatus(report));
  }

  /** The status of the copy; if it has succeeded, that of the comparison of digests. */
  private int exitStatus(TransferReport report) {
    return report.exitStatus() == 0 ? sumsStatus : report.exitStatus();
  }

  /** Compares digests; a failure is one of the copy. */
  private void checkSums(SumsRun sums, TransferReport report, FdtClient client)
      throws InterruptedException {
    if (!copy.output().sums().hasLists() || report.failure().isPresent()) {
      return;
    }
    try {
      sumsStatus = sums.finish(client);
    } catch (FdtException e) {
      view.failed(e);
      sumsStatus = e.code().exitStatus();
    }
  }

  /** The report; null after an interruption. */
  private TransferReport transfer(Tokens tokens) throws InterruptedException, FdtException {
    if (copy.access().via().handOver().isPresent()) {
      return handOver(tokens);
    }
    if (!servers.chooseWay(tokens, view::notice)) {
      return null;
    }
    try (FdtClient client = servers.builder(tokens).filters(filters).build();
        FdtClient source = servers.openSource(tokens)) {
      TransferRequest request =
          servers.areSourcesHere()
              ? copy.request()
              : Wildcards.expanded(copy.request(), source == null ? client : source, view::notice);
      return transfer(client, source, request);
    }
  }

  /** Copies to the relay, which delivers later. Null after an interruption. */
  private TransferReport handOver(Tokens tokens) throws InterruptedException, FdtException {
    ViaOptions via = copy.access().via();
    try (FdtClient relay = servers.openRelay();
        FdtClient destination = servers.openDestination(tokens)) {
      HandOver left = CopyServers.begin(relay, destination, copy);
      if (left.isComplete()) {
        throw new FdtException(
            ErrorCode.IN_USE,
            "the relay has this already, and delivers it: fdt attach " + left.id());
      }
      TransferReport report = transfer(relay, null, left.toRelay());
      if (report != null && report.exitStatus() == 0) {
        long bytes = left.complete();
        ViaOptions.Relay at = via.relays().get(0);
        ClientAccess access =
            copy.access()
                .withoutVia()
                .withFingerprint(at.fingerprint())
                .withTokenFile(via.tokenFile());
        showLeft(
            new DetachedTransfer(left.id(), true), new Copy.Server(at.address(), access), bytes);
      }
      return report;
    }
  }

  private void showLeft(DetachedTransfer left, Copy.Server at, long bytes) {
    remember(left, at);
    if (copy.output().json()) {
      screen.text(JsonView.detached(left.id(), at.address().toString()));
    } else {
      lastNotice =
          "handed over to %s: %s; fdt attach %s shows whether %s has it"
              .formatted(
                  at.address(), NumberText.bytes(bytes), left.id().substring(0, 8), copy.server());
    }
  }

  /** The report; null after an interruption. */
  private TransferReport transfer(FdtClient client, FdtClient source, TransferRequest request)
      throws InterruptedException, FdtException {
    try (SumsRun sums = new SumsRun(copy.output().sums(), request, listener())) {
      return transfer(client, source, sums.with(request), sums);
    }
  }

  private TransferReport transfer(
      FdtClient client, FdtClient source, TransferRequest request, SumsRun sums)
      throws InterruptedException {
    TransferListener listener =
        copy.output().sums().hasLists() ? new TeeListener(listener(), sums) : listener();
    if (request.spec().dryRun() && !copy.output().json()) {
      slashRule = new SlashRule(copy.request());
      listener = new TeeListener(listener, slashRule);
    }
    Transfer transfer =
        source == null ? client.start(request, listener) : source.start(client, request, listener);
    servers.lost().thenRun(transfer::cancel);
    view.endedBy(transfer::cancel);
    try (Interruption interruption = context.onInterruption(() -> interrupt(transfer))) {
      TransferReport report =
          servers.explained(TransferRun.await(transfer, view.progressPeriod(), view::progress));
      if (interruption.hasHappened()) {
        return null;
      }
      checkSums(sums, report, client);
      if (copy.output().json()) {
        view.progress(transfer.progress());
      }
      if (copy.output().explain()) {
        new CopyExplanation(copy, explanation, screen).show(view, client, source);
      }
      return report;
    } finally {
      screen.uncover();
    }
  }

  private void interrupt(Transfer transfer) {
    screen.endQuestions();
    screen.endStatus();
    TransferProgress progress = transfer.progress();
    Optional<TransferReport> report = TransferRun.cancel(transfer);
    view.interrupted(progress);
    if (report.isPresent() && (copy.output().json() || reportFile.isPresent())) {
      endInterrupted(report.get());
    }
  }

  private void endInterrupted(TransferReport report) {
    try {
      int status = finishReport(report, TransferRun.INTERRUPTED);
      if (copy.output().json()) {
        view.ended(report, status);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int end(TransferReport report, int exitStatus) throws InterruptedException {
    context.reports().accept(report);
    int status = finishReport(report, exitStatus);
    if (slashRule != null && report.failure().isEmpty()) {
      slashRule.lines(report).forEach(view::notice);
    }
    view.ended(report, status);
    if (lastNotice != null) {
      view.notice(lastNotice);
    }
    if (!copy.output().json() && !servers.areStarted()) {
      addressHint(report).or(() -> twoServersHint(report)).ifPresent(screen::note);
    }
    return status;
  }

  /** Advice on tokens and keys of two servers. */
  private Optional<String> twoServersHint(TransferReport report) {
    return report.failure().flatMap(this::twoServersHint);
  }

  private Optional<String> twoServersHint(ErrorCode failure) {
    if (copy.source().isEmpty() || servers.isOneHere()) {
      return Optional.empty();
    }
    return switch (failure) {
      case UNAUTHENTICATED ->
          Optional.of(
              ("%s gets the token of --source-token-file or FDT_SOURCE_TOKEN, %s that of"
                      + " --token-file or FDT_TOKEN")
                  .formatted(copy.source().get().address(), copy.server()));
      case UNTRUSTED ->
          Optional.of(
              "with two servers, write each fingerprint behind its path:"
                  + " fdt://HOST/PATH?fingerprint=SHA256:...");
      default -> Optional.empty();
    };
  }

  private Optional<String> addressHint(TransferReport report) {
    List<BytePath> sources = copy.request().spec().sources().stream().map(Operand::path).toList();
    List<BytePath> destination = List.of(copy.request().spec().destination());
    boolean misses = report.problems().stream().anyMatch(p -> p.code() == ErrorCode.NOT_FOUND);
    ErrorCode failure = report.failure().orElse(misses ? ErrorCode.NOT_FOUND : ErrorCode.INTERNAL);
    if (copy.source().isPresent()) {
      return addressHint(failure, copy.source().get().address(), sources)
          .or(() -> addressHint(failure, copy.server(), destination));
    }
    boolean pulls = copy.request().direction() == TransferRequest.Direction.PULL;
    return addressHint(failure, copy.server(), pulls ? sources : destination);
  }

  private Optional<String> addressHint(
      ErrorCode failure, ServerAddress server, List<BytePath> paths) {
    return AddressHint.of(failure, server, paths, context.surroundings().workingDirectory());
  }

  /** Returns the exit status: a report that cannot be written is a failure. */
  private int finishReport(TransferReport report, int exitStatus) throws InterruptedException {
    if (reportFile.isPresent()) {
      try {
        reportFile.get().finish(JsonView.summary(report, exitStatus));
      } catch (FdtException e) {
        view.failed(e);
        return exitStatus == 0 ? e.code().exitStatus() : exitStatus;
      }
    }
    return exitStatus;
  }

  private TransferListener listener() {
    return reportFile.isEmpty()
        ? view
        : new TeeListener(
            view,
            new FileEvents(
                reportFile.get()::add,
                Optional.of(copy.request().spec().sync().level()),
                copy.request().spec().backups()));
  }
}
