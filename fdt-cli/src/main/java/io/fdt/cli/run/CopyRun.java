package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.monitor.MonitorView;
import io.fdt.cli.option.ClientAccess;
import io.fdt.cli.option.ServerAddress;
import io.fdt.cli.option.TokenSource;
import io.fdt.cli.output.ExplainedAdvice;
import io.fdt.cli.output.Explanation;
import io.fdt.cli.output.FileEvents;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.ReportFile;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.TextView;
import io.fdt.cli.output.TransferView;
import io.fdt.cli.ssh.SshServers;
import io.fdt.client.AccessToken;
import io.fdt.client.Departure;
import io.fdt.client.DetachedTransfer;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.LeftSession;
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
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.HostLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** One transfer of files, told as it was asked for. */
public final class CopyRun {
  private final Operation.Copy copy;
  private final TransferView view;
  private final Explanation explanation;
  private final Optional<ReportFile> reportFile;
  private final CommandContext context;
  private final Screen screen;
  private final Filters filters;
  private final Optional<SshServers> ssh;

  private CopyRun(
      Operation.Copy copy,
      TransferView view,
      Explanation explanation,
      Optional<ReportFile> reportFile,
      Filters filters,
      Optional<SshServers> ssh,
      CommandContext context) {
    this.ssh = ssh;
    this.copy = copy;
    this.filters = filters;
    this.view = view;
    this.explanation = explanation;
    this.reportFile = reportFile;
    this.context = context;
    this.screen = context.screen();
  }

  /**
   * Moves a dataset; the result is an exit status.
   *
   * @param listsFiles whether each file that was moved is named, with its digest
   */
  public static int copy(Operation.Copy copy, boolean listsFiles, CommandContext context)
      throws InterruptedException, FdtException {
    return copy(copy, listsFiles, context, Optional.empty());
  }

  /** The same between servers that SSH has started. */
  static int copy(
      Operation.Copy copy, boolean listsFiles, CommandContext context, SshServers servers)
      throws InterruptedException, FdtException {
    return copy(copy, listsFiles, context, Optional.of(servers));
  }

  private static int copy(
      Operation.Copy copy, boolean listsFiles, CommandContext whole, Optional<SshServers> ssh)
      throws InterruptedException, FdtException {
    Screen screen =
        copy.request().output().isPresent() ? whole.screen().withoutOutput() : whole.screen();
    CommandContext context = whole.with(screen);
    Explanation explanation = new Explanation();
    TransferView view = view(copy, listsFiles, explanation, context);
    Tokens tokens = Tokens.given(copy, context, ssh);
    if (copy.detach()) {
      return new CopyRun(copy, view, explanation, Optional.empty(), Filters.NONE, ssh, context)
          .leave(tokens);
    }
    Filters filters = copy.filters().load();
    if (copy.output().report().isEmpty()) {
      return new CopyRun(copy, view, explanation, Optional.empty(), filters, ssh, context)
          .run(tokens);
    }
    try (ReportFile report =
        ReportFile.create(copy.output().report().get(), JsonView.start(copy))) {
      return new CopyRun(copy, view, explanation, Optional.of(report), filters, ssh, context)
          .run(tokens);
    }
  }

  private static TransferView view(
      Operation.Copy copy, boolean listsFiles, Explanation explanation, CommandContext context) {
    Screen screen = context.screen();
    boolean monitor = copy.output().monitor();
    if (copy.output().json()) {
      return new JsonView(JsonView.start(copy), copy.output().explain(), monitor, screen);
    }
    TransferView text = new TextView(copy, listsFiles, explanation, screen);
    if (monitor && !screen.canAsk()) {
      screen.note(
          "--monitor needs a terminal at standard input and standard error: lines in place of a"
              + " page");
      return text;
    }
    return monitor ? new MonitorView(text, copy, context.environment(), screen) : text;
  }

  /**
   * What is shown to the servers.
   *
   * @param source for that of the source, when there are two
   */
  private record Tokens(Optional<AccessToken> server, Optional<AccessToken> source) {
    static Tokens given(Operation.Copy copy, CommandContext context, Optional<SshServers> ssh)
        throws FdtException {
      Optional<AccessToken> source = Optional.empty();
      if (copy.source().isPresent()) {
        Operation.Server server = copy.source().get();
        source = ssh.flatMap(servers -> servers.token(server.address()));
        if (source.isEmpty()) {
          source = TokenSource.givenForSource(server.access(), context.environment());
        }
      }
      Optional<AccessToken> token = ssh.flatMap(servers -> servers.token(copy.server()));
      return new Tokens(
          token.isPresent() ? token : TokenSource.given(copy.access(), context.environment()),
          source);
    }

    /** These, with those that a person types in place of missing ones. */
    Tokens asked(Operation.Copy copy, Screen screen) throws FdtException {
      if (copy.source().isEmpty()) {
        return server.isPresent() ? this : new Tokens(TokenSource.asked(screen), source);
      }
      return new Tokens(
          server.isPresent() ? server : asked(copy.server(), screen),
          source.isPresent() ? source : asked(copy.source().get().address(), screen));
    }

    private static Optional<AccessToken> asked(ServerAddress server, Screen screen)
        throws FdtException {
      return TokenSource.asked(screen, "Token for " + server + ": ");
    }
  }

  /** Has the servers take it over, and tells by what it is found again. */
  private int leave(Tokens given) throws InterruptedException, FdtException {
    view.started();
    DetachedTransfer left;
    try {
      left = left(given);
    } catch (FdtException e) {
      Tokens all = e.code() == ErrorCode.UNAUTHENTICATED ? given.asked(copy, screen) : given;
      if (all.equals(given)) {
        twoServersHint(e.code()).filter(hint -> !copy.output().json()).ifPresent(screen::note);
        throw e;
      }
      left = left(all);
    }
    if (left == null) {
      return TransferRun.INTERRUPTED;
    }
    Operation.Server server =
        left.atSource()
            ? copy.source().orElseThrow()
            : new Operation.Server(copy.server(), copy.access());
    remember(left, server);
    if (copy.output().json()) {
      screen.text(JsonView.detached(left.id(), server.address().toString()));
      JsonView.tellEnd(screen, 0);
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

  /** Null when it was interrupted. */
  private DetachedTransfer left(Tokens tokens) throws InterruptedException, FdtException {
    try (FdtClient client = Clients.open(copy.server(), copy.access(), tokens.server(), context);
        FdtClient source = openSource(tokens)) {
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
      Departure departure = source.startDetached(client, request, notices);
      try (Interruption interruption = context.onInterruption(departure::cancel)) {
        DetachedTransfer left = SessionRun.result(departure.completion());
        return interruption.hasHappened() ? null : left;
      }
    }
  }

  /** That it is remembered is a help and no more: its name says where it is, too. */
  private void remember(DetachedTransfer left, Operation.Server server) {
    Path workingDirectory = context.surroundings().workingDirectory();
    try {
      new SessionBook(context.home())
          .add(
              new LeftSession(
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
        Tokens all = given.asked(copy, screen);
        report = all.equals(given) ? report : transfer(all);
      }
    } catch (FdtException e) { // before the transfer
      Tokens all = e.code() == ErrorCode.UNAUTHENTICATED ? given.asked(copy, screen) : given;
      if (all.equals(given)) {
        throw e;
      }
      report = transfer(all);
    }
    screen.endStatus();
    return report == null ? TransferRun.INTERRUPTED : end(report, report.exitStatus());
  }

  /** Null when it was interrupted. */
  private TransferReport transfer(Tokens tokens) throws InterruptedException, FdtException {
    try (FdtClient client =
            builder(copy.server(), copy.access(), tokens.server()).filters(filters).build();
        FdtClient source = openSource(tokens)) {
      TransferRequest request =
          Wildcards.expanded(copy.request(), source == null ? client : source, view::notice);
      Transfer transfer =
          source == null
              ? client.start(request, listener())
              : source.start(client, request, listener());
      ssh.ifPresent(servers -> servers.lost().thenRun(transfer::cancel));
      view.endedBy(transfer::cancel);
      try (Interruption interruption = context.onInterruption(() -> interrupt(transfer))) {
        TransferReport report =
            explained(TransferRun.await(transfer, view.progressPeriod(), view::progress));
        if (interruption.hasHappened()) {
          return null;
        }
        if (copy.output().json()) {
          view.progress(transfer.progress());
        } else if (copy.output().explain()) {
          view.advice(advice(client, source));
        }
        return report;
      }
    } finally {
      screen.uncover();
    }
  }

  /** A transfer whose SSH connection was lost was cancelled, or has failed, for that reason. */
  private TransferReport explained(TransferReport report) {
    if (ssh.isEmpty() || report.failure().isEmpty()) {
      return report;
    }
    FdtException lost = ssh.get().lost().getNow(null);
    return lost == null ? report : report.withFailure(lost);
  }

  private FdtClient.Builder builder(
      ServerAddress server, ClientAccess access, Optional<AccessToken> token) throws FdtException {
    if (ssh.isEmpty() || ssh.get().token(server).isEmpty()) {
      return Clients.builder(server, access, token, context);
    }
    FdtClient.Builder builder = Clients.builderForOnce(server, access, token, context);
    ssh.get().configure(server, builder);
    return builder;
  }

  /** Null when there is no second server. */
  private FdtClient openSource(Tokens tokens) throws FdtException {
    if (copy.source().isEmpty()) {
      return null;
    }
    Operation.Server server = copy.source().get();
    return builder(server.address(), server.access(), tokens.source()).build();
  }

  /** What would help; of a server's host only when that matters and it says so. */
  private List<String> advice(FdtClient client, FdtClient source) throws InterruptedException {
    if (explanation.most().isEmpty()) {
      return List.of();
    }
    Bottleneck limit = explanation.most().get();
    Optional<HostLimits> here = Optional.empty();
    Optional<HostLimits> there = Optional.empty();
    if (ExplainedAdvice.isOfHosts(limit, explanation.whole().orElseThrow())) {
      here = source == null ? Optional.of(FdtClient.describeThisHost()) : hostOf(source);
      there = hostOf(client);
    }
    return ExplainedAdvice.lines(
        limit, explanation.whole().orElseThrow(), copy.request().direction(), here, there);
  }

  private Optional<HostLimits> hostOf(FdtClient client) throws InterruptedException {
    try {
      return Optional.of(client.describeServer().limits());
    } catch (FdtException e) {
      screen.note("the server says nothing of its host: " + e.getMessage());
      return Optional.empty();
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
    int status = finishReport(report, exitStatus);
    view.ended(report, status);
    if (!copy.output().json() && ssh.isEmpty()) {
      portHint(report).or(() -> twoServersHint(report)).ifPresent(screen::note);
    }
    return status;
  }

  /** What is said of one server leaves open how it is said of two. */
  private Optional<String> twoServersHint(TransferReport report) {
    return report.failure().flatMap(this::twoServersHint);
  }

  private Optional<String> twoServersHint(ErrorCode failure) {
    if (copy.source().isEmpty()) {
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

  private Optional<String> portHint(TransferReport report) {
    List<BytePath> sources = copy.request().spec().sources().stream().map(Operand::path).toList();
    List<BytePath> destination = List.of(copy.request().spec().destination());
    boolean misses = report.problems().stream().anyMatch(p -> p.code() == ErrorCode.NOT_FOUND);
    ErrorCode failure = report.failure().orElse(misses ? ErrorCode.NOT_FOUND : ErrorCode.INTERNAL);
    if (copy.source().isPresent()) {
      return PortHint.of(failure, copy.source().get().address(), sources)
          .or(() -> PortHint.of(failure, copy.server(), destination));
    }
    boolean pulls = copy.request().direction() == TransferRequest.Direction.PULL;
    return PortHint.of(failure, copy.server(), pulls ? sources : destination);
  }

  /** Returns the exit status: a report that is not there is a failure. */
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
        : new TeeListener(view, new FileEvents(reportFile.get()::add));
  }
}
