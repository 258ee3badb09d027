package io.fdt.cli.run.plan;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.CopyOutput;
import io.fdt.cli.option.transfer.FilterNames;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.output.json.JsonView;
import io.fdt.cli.output.json.UnitEvents;
import io.fdt.cli.output.json.UnitJson;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TokenSource;
import io.fdt.cli.run.TransferRun;
import io.fdt.cli.run.Wildcards;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.RequiredStorage;
import io.fdt.client.SourceListing;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.unit.NumberText;
import io.fdt.plan.Plan;
import io.fdt.plan.PlanHeader;
import io.fdt.plan.PlanReport;
import io.fdt.plan.PlanStatus;
import io.fdt.plan.PlanTotals;
import io.fdt.plan.Planner;
import io.fdt.plan.UnitLimits;
import io.fdt.plan.work.Worker;
import io.fdt.plan.work.WorkerListener;
import io.fdt.plan.work.WorkerOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Plans and their workers. */
public final class PlanRun {
  /** Seconds for a stopped worker to return its unit. */
  private static final long FAREWELL_SECONDS = 10;

  private PlanRun() {}

  /**
   * Plans a copy.
   *
   * @param limits the limits of a unit
   * @param takeover the time after which a silent worker counts as dead
   */
  public record Make(Path directory, Copy copy, UnitLimits limits, Duration takeover)
      implements Command {
    @Override
    public boolean json() {
      return copy.output().json();
    }

    @Override
    public int run(CommandContext context) throws FdtException, InterruptedException {
      PlanTotals totals = make(this, context);
      int status = totals.failures() == 0 ? 0 : 1;
      if (json()) {
        context.screen().text(PlanStatus.of(Plan.open(directory)).json());
        return status;
      }
      context
          .screen()
          .line(
              "planned: %s, %s in %s; now: fdt worker --plan %s"
                  .formatted(
                      NumberText.count(totals.files(), "file"),
                      NumberText.bytes(totals.bytes()),
                      NumberText.count(totals.units(), "unit"),
                      directory));
      return status;
    }
  }

  /** Makes a plan; the screen shows directories that cannot be listed. */
  public static PlanTotals make(Make command, CommandContext context)
      throws FdtException, InterruptedException {
    Copy copy = VerifiedKeys.of(command.copy(), context);
    boolean isPush = copy.request().direction() == TransferRequest.Direction.PUSH;
    if (isPush) {
      return make(command, copy, null, context);
    }
    Copy.Server server = copy.source().orElse(new Copy.Server(copy.server(), copy.access()));
    Optional<AccessToken> given =
        copy.source().isPresent()
            ? TokenSource.givenForSource(server.access(), context.environment())
            : TokenSource.given(server.access(), context.environment());
    try (FdtClient client = Clients.open(server.address(), server.access(), given, context)) {
      return make(command, copy, client, context);
    }
  }

  /**
   * @param copy with the keys of its servers
   * @param client of the server that has the sources; null when they are here
   */
  private static PlanTotals make(Make command, Copy copy, FdtClient client, CommandContext context)
      throws FdtException, InterruptedException {
    Screen screen = context.screen();
    TransferRequest request =
        client == null ? copy.request() : Wildcards.expanded(copy.request(), client, screen::note);
    Path working = context.surroundings().workingDirectory();
    PlanHeader header =
        new PlanHeader(
            request.direction(),
            absolute(request, working),
            PlannedServers.encode(copy, working),
            command.limits(),
            command.takeover());
    try (Planner planner =
        Planner.start(command.directory(), header, problem -> report(problem, screen))) {
      TransferSpec spec = planner.header().spec();
      if (client == null) {
        SourceListing.ofThisMachine(spec, planner);
      } else {
        SourceListing.ofServer(client, spec, planner);
      }
      return planner.finish();
    }
  }

  private static void report(FileProblem problem, Screen screen) {
    if (problem.skipped()) {
      screen.note("skipped: " + problem.path() + ": " + problem.message());
    } else {
      screen.problem(problem.message());
    }
  }

  /** Makes paths absolute: workers may run in other directories. */
  private static TransferSpec absolute(TransferRequest request, Path workingDirectory) {
    TransferSpec spec = request.spec();
    BytePath base = BytePath.of(workingDirectory);
    return switch (request.direction()) {
      case BETWEEN -> spec;
      case PULL -> spec.toBuilder().destination(absolute(base, spec.destination())).build();
      case PUSH ->
          spec.toBuilder()
              .sources(
                  spec.sources().stream()
                      .map(one -> new Operand(absolute(base, one.path()), one.target()))
                      .toList())
              .build();
    };
  }

  private static BytePath absolute(BytePath base, BytePath path) {
    return RequiredStorage.isByScheme(path) ? path : base.resolve(path);
  }

  /** Shows the progress of a plan. */
  public record Status(Path directory, boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      Screen screen = context.screen();
      PlanStatus status = PlanStatus.of(Plan.open(directory));
      if (json) {
        screen.text(status.json());
        return 0;
      }
      screen.line(
          "%s: %s done, %s running, %s open, %s failed; %s of %s; last step %s; %s"
              .formatted(
                  NumberText.count(status.totals().units(), "unit"),
                  NumberText.count(status.done()),
                  NumberText.count(status.running()),
                  NumberText.count(status.open()),
                  NumberText.count(status.failed()),
                  NumberText.bytes(status.bytesDone()),
                  NumberText.bytes(status.totals().bytes()),
                  status.lastStep(),
                  NumberText.count(status.workers(), "worker")));
      return 0;
    }
  }

  /** Prints the outcome of each file. */
  public record Report(Path directory) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      Plan plan = Plan.open(directory);
      PlanReport.write(plan, JsonView.start(copyOf(plan)), context.screen()::text);
      return 0;
    }
  }

  private static Copy copyOf(Plan plan) throws FdtException {
    PlanHeader header = plan.header();
    Copy.Server server = PlannedServers.server(header.settings());
    return new Copy(
        server.address(),
        new TransferRequest(
            header.direction(),
            header.spec(),
            false,
            false,
            Optional.empty(),
            Optional.empty(),
            ""),
        server.access(),
        PlannedServers.source(header.settings()),
        new FilterNames(List.of(), List.of(), List.of()),
        CopyOutput.PLAIN,
        false);
  }

  /**
   * Copies units of a plan.
   *
   * @param tokenFile in place of that of the plan
   * @param sourceTokenFile in place of that of the plan
   */
  public record Work(
      Path directory,
      WorkerOptions options,
      Optional<Path> tokenFile,
      Optional<Path> sourceTokenFile,
      Optional<String> fingerprint,
      boolean acceptNew,
      boolean json)
      implements Command {
    @Override
    public int run(CommandContext context) throws FdtException, InterruptedException {
      return work(this, context);
    }
  }

  private static int work(Work command, CommandContext context)
      throws FdtException, InterruptedException {
    Plan plan = Plan.open(command.directory());
    Optional<Copy.Server> source = PlannedServers.source(plan.header().settings());
    if (source.isPresent()) {
      if (command.fingerprint().isPresent()) {
        throw new FdtException(
            ErrorCode.USAGE,
            "--fingerprint does not say which of the two servers it is for; the plan '%s' has their keys: leave it out"
                .formatted(plan.directory()));
      }
      source = Optional.of(with(source.get(), command.sourceTokenFile(), command));
    }
    Copy.Server server =
        with(PlannedServers.server(plan.header().settings()), command.tokenFile(), command);
    try (PlannedClients transfers = PlannedClients.open(server, source, context)) {
      WorkerListener listener =
          command.json() ? new UnitJson(context.screen()) : new UnitText(context.screen());
      Worker worker =
          new Worker(
              plan,
              command.options(),
              transfers,
              new UnitEvents(Optional.of(plan.header().spec().sync().level())),
              listener);
      int status = run(plan, worker, command.json(), context);
      if (command.json()) {
        JsonEvent.end(context.screen(), status);
      }
      return status;
    }
  }

  /** The server of a plan with the access of this worker. */
  private static Copy.Server with(Copy.Server server, Optional<Path> tokenFile, Work command) {
    ClientAccess access = server.access();
    if (tokenFile.isPresent()) {
      access = access.withTokenFile(tokenFile);
    }
    if (command.fingerprint().isPresent()) {
      access = access.withFingerprint(command.fingerprint());
    }
    if (command.acceptNew()) {
      access = access.acceptingNew();
    }
    return new Copy.Server(server.address(), access);
  }

  private static int run(Plan plan, Worker worker, boolean json, CommandContext context)
      throws FdtException, InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Runnable stop =
        () -> {
          worker.stop();
          try {
            boolean unused = ended.await(FAREWELL_SECONDS, TimeUnit.SECONDS);
            if (!json) {
              context.screen().note("interrupted; run the same command again to continue");
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    Worker.Result result;
    try (Interruption interruption = context.onInterruption(stop)) {
      try {
        result = worker.run();
      } finally {
        ended.countDown();
      }
      if (interruption.hasHappened()) {
        return TransferRun.INTERRUPTED;
      }
    }
    return switch (result) {
      case STOPPED -> TransferRun.INTERRUPTED;
      case NOTHING_LEFT -> 0;
      case ALL_ENDED -> end(plan, json, context.screen());
    };
  }

  private static int end(Plan plan, boolean json, Screen screen) throws FdtException {
    PlanStatus status = PlanStatus.of(plan);
    if (status.failed() > 0 && !json) {
      screen.problem(
          "%s failed after all attempts: fdt plan report %s shows why; a worker with more --attempts tries again"
              .formatted(NumberText.count(status.failed(), "unit"), plan.directory()));
    }
    return Math.max(0, status.exitStatus());
  }

  /** Shows each unit on the screen. */
  private record UnitText(Screen screen) implements WorkerListener {
    @Override
    public void ended(String unit, int attempt, TransferReport report) {
      if (report.failure().isPresent()) {
        if (report.failure().get() != ErrorCode.CANCELLED) {
          screen.problem("unit " + unit + ": " + report.failureMessage());
        }
        return;
      }
      report.problems().stream()
          .filter(problem -> !problem.skipped())
          .limit(3)
          .forEach(problem -> screen.problem("unit " + unit + ": " + problem.message()));
      screen.line(
          "unit %s: %s, %s in %s%s"
              .formatted(
                  unit,
                  NumberText.count(report.figures().files().done(), "file"),
                  NumberText.bytes(report.figures().bytesDone()),
                  NumberText.duration(report.elapsed()),
                  attempt == 1 ? "" : ", attempt " + attempt));
    }

    @Override
    public void unusable(String unit, int attempt, FdtException reason) {
      screen.problem("unit " + unit + ": " + reason.getMessage());
    }

    @Override
    public void busy(String unit, String reason) {
      screen.note("unit " + unit + " waits: " + reason);
    }

    @Override
    public void takenOver(String unit, String from) {
      screen.note("unit " + unit + " is taken over: " + from + " shows no sign of life");
    }

    @Override
    public void waiting() {
      screen.note("nothing is left to claim: waiting for the units of other workers");
    }
  }
}
