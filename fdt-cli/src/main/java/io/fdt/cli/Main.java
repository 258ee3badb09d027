package io.fdt.cli;

import io.fdt.cli.command.Invocation;
import io.fdt.cli.command.Operation;
import io.fdt.cli.command.Subcommands;
import io.fdt.cli.option.OutputOptions;
import io.fdt.cli.option.UsageException;
import io.fdt.cli.output.CommandJson;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.Logging;
import io.fdt.cli.output.Screen;
import io.fdt.cli.run.AttachRun;
import io.fdt.cli.run.CheckRun;
import io.fdt.cli.run.CleanupRun;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.CompleteRun;
import io.fdt.cli.run.CopyRun;
import io.fdt.cli.run.DoctorRun;
import io.fdt.cli.run.Ending;
import io.fdt.cli.run.ExplainRun;
import io.fdt.cli.run.FilesRun;
import io.fdt.cli.run.LoginRun;
import io.fdt.cli.run.PlanRun;
import io.fdt.cli.run.ServeRun;
import io.fdt.cli.run.SessionRun;
import io.fdt.cli.run.SshEndRun;
import io.fdt.cli.run.StartedCopyRun;
import io.fdt.cli.run.SyncRun;
import io.fdt.cli.run.TokenRun;
import io.fdt.cli.run.TransferRun;
import io.fdt.cli.run.WatchRun;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ByteText;
import java.util.List;
import java.util.Locale;

/** The command {@code fdt}: server and client in one. */
public final class Main {
  private Main() {}

  /** Runs the command and ends the process with its exit status. */
  public static void main(String[] arguments) {
    // Numbers are for programs and for the other end, too, wherever this one is.
    Locale.setDefault(Locale.Category.FORMAT, Locale.US);
    CommandContext context =
        new CommandContext(new ProcessSurroundings(), Screen.ofProcess(), Ending.OF_PROCESS);
    System.exit(run(ProgramArguments.of(arguments), context));
  }

  /**
   * Runs the command; the result is its exit status. Several may run at once.
   *
   * @param arguments as {@link ByteText}
   */
  public static int run(List<String> arguments, CommandContext context) {
    Screen screen = context.screen();
    Invocation invocation;
    try {
      invocation = Subcommands.parse(arguments, context.surroundings());
    } catch (UsageException e) {
      if (OutputOptions.wantsJson(arguments)) {
        JsonView.tellFailure(screen, ErrorCode.USAGE, e.getMessage(), 2);
      } else {
        screen.problem(About.named(e.getMessage()));
      }
      return 2;
    }
    int status = run(invocation, context);
    if (!screen.flush() && status == 0) {
      if (!screen.isReaderGone()) {
        screen.problem("standard output cannot be written");
      }
      return 1;
    }
    return status;
  }

  private static int run(Invocation invocation, CommandContext context) {
    Screen screen = context.screen();
    try {
      return run(invocation.command(), invocation.verbosity(), context);
    } catch (FdtException e) {
      screen.endStatus();
      tell(invocation, e.code(), e.getMessage(), e.code().exitStatus(), screen);
      showStackTrace(e, invocation.verbosity(), screen);
      return e.code().exitStatus();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return TransferRun.INTERRUPTED;
    } catch (RuntimeException | Error e) { // the last line of defence: one line, and never a hang
      screen.endStatus();
      String hint = invocation.verbosity() >= 2 ? "" : " (a defect; -vv shows where)";
      tell(invocation, ErrorCode.INTERNAL, "unexpected " + e + hint, 1, screen);
      showStackTrace(e, invocation.verbosity(), screen);
      return 1;
    }
  }

  private static void tell(
      Invocation invocation, ErrorCode code, String message, int exitStatus, Screen screen) {
    if (invocation.command().json()) {
      JsonView.tellFailure(screen, code, message, exitStatus);
    } else {
      screen.problem(message);
    }
  }

  private static int run(Operation command, int verbosity, CommandContext context)
      throws FdtException, InterruptedException {
    Screen screen = context.screen();
    if (command instanceof Operation.Help help) {
      String text = About.named(help.text());
      screen.text(help.json() ? CommandJson.text(text) : text);
      if (help.json()) {
        JsonView.tellEnd(screen, 0);
      }
      return 0;
    }
    if (command instanceof Operation.Explain explain) {
      return ExplainRun.run(explain, About.named(explain.text()), screen);
    }
    // A server tells of each transfer, also when it is not asked to.
    int least = command instanceof Operation.Serve ? 1 : 0;
    Logging logging = Logging.start(screen, Math.max(least, verbosity));
    try {
      return execute(command, verbosity, context);
    } finally {
      logging.close();
    }
  }

  private static int execute(Operation command, int verbosity, CommandContext context)
      throws FdtException, InterruptedException {
    if (command instanceof Operation.Serve serve) {
      return ServeRun.serve(serve, context);
    }
    if (command instanceof Operation.StartedCopy copy) {
      return StartedCopyRun.copy(copy, verbosity > 0, context);
    }
    if (command instanceof Operation.Sync sync) {
      return SyncRun.sync(sync, verbosity > 0, context);
    }
    if (command instanceof Operation.Watch watch) {
      return WatchRun.watch(watch, verbosity > 0, context);
    }
    if (command instanceof Operation.ServeSsh serve) {
      return SshEndRun.serve(serve, context);
    }
    if (command instanceof Operation.CompleteToken complete) {
      return CompleteRun.tokens(complete, context);
    }
    if (command instanceof Operation.CompleteServer complete) {
      return CompleteRun.servers(complete, context);
    }
    if (command instanceof Operation.CompletePath complete) {
      return CompleteRun.paths(complete, context);
    }
    if (command instanceof Operation.Version) {
      context.screen().line(About.line());
      return 0;
    }
    if (command instanceof Operation.CreateToken create) {
      return TokenRun.create(create, context);
    }
    if (command instanceof Operation.RevokeToken revoke) {
      return TokenRun.revoke(revoke, context);
    }
    if (command instanceof Operation.ListTokens list) {
      return TokenRun.list(list, context);
    }
    if (command instanceof Operation.CleanUp cleanUp) {
      return CleanupRun.cleanUp(cleanUp, context.screen());
    }
    if (command instanceof Operation.Files files) {
      return FilesRun.run(files, context);
    }
    if (command instanceof Operation.LocalDigests local) {
      return FilesRun.digests(local, context.screen());
    }
    if (command instanceof Operation.Check check) {
      return CheckRun.check(check, context);
    }
    if (command instanceof Operation.Doctor doctor) {
      return DoctorRun.run(doctor, context);
    }
    if (command instanceof Operation.Attach attach) {
      return AttachRun.attach(attach, verbosity > 0, context);
    }
    if (command instanceof Operation.Cancel cancel) {
      return SessionRun.cancel(cancel, context);
    }
    if (command instanceof Operation.Sessions sessions) {
      return SessionRun.list(sessions, context);
    }
    if (command instanceof Operation.Plan plan) {
      return PlanRun.plan(plan, context);
    }
    if (command instanceof Operation.PlanStatus status) {
      return PlanRun.status(status, context.screen());
    }
    if (command instanceof Operation.PlanReport report) {
      return PlanRun.report(report, context);
    }
    if (command instanceof Operation.Work work) {
      return PlanRun.work(work, context);
    }
    if (command instanceof Operation.Service service) {
      return service.request().run(context);
    }
    if (command instanceof Operation.StartService start) {
      return ServiceImage.start(start.words(), context);
    }
    if (command instanceof Operation.Login login) {
      return LoginRun.login(login, context);
    }
    if (command instanceof Operation.Logout logout) {
      return LoginRun.logout(logout, context);
    }
    if (command instanceof Operation.Servers servers) {
      return LoginRun.list(servers, context);
    }
    return command instanceof Operation.Nettest nettest
        ? TransferRun.nettest(nettest, context)
        : CopyRun.copy((Operation.Copy) command, verbosity > 0, context);
  }

  private static void showStackTrace(Throwable thrown, int verbosity, Screen screen) {
    if (verbosity < 2) {
      return;
    }
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      screen.note("    " + t);
      for (StackTraceElement element : t.getStackTrace()) {
        screen.note("        at " + element);
      }
    }
  }
}
