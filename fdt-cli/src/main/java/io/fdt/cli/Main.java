package io.fdt.cli;

import io.fdt.cli.command.Subcommands;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.output.Logging;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.JsonView;
import io.fdt.cli.process.ProcessSurroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.ExitHooks;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.Invocation;
import io.fdt.client.FdtClient;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ByteText;
import java.util.List;
import java.util.Locale;

/** The command {@code fdt}: server and client in one. */
public final class Main {
  /** The exit status of an interrupted command. */
  private static final int INTERRUPTED = 130;

  private Main() {}

  /** Runs the command and ends the process with its exit status. */
  public static void main(String[] arguments) {
    // Programs and the peer parse numbers, which must not depend on the locale.
    Locale.setDefault(Locale.Category.FORMAT, Locale.US);
    // Options keep text: picocli would load half of java.time for its converters.
    System.setProperty("picocli.converters.excludes", ".*");
    CommandContext context =
        new CommandContext(new ProcessSurroundings(), Screen.ofProcess(), ExitHooks.OF_PROCESS);
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
        JsonView.failed(screen, ErrorCode.USAGE, Help.named(e.getMessage()), 2);
      } else {
        screen.problem(Help.named(e.getMessage()));
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
      return execute(invocation, context);
    } catch (FdtException e) {
      screen.endStatus();
      report(invocation, e.code(), e.getMessage(), e.code().exitStatus(), screen);
      showStackTrace(e, invocation.verbosity(), screen);
      return e.code().exitStatus();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return INTERRUPTED;
    } catch (RuntimeException | Error e) { // the last line of defence: one line, and never a hang
      screen.endStatus();
      String hint = invocation.verbosity() >= 2 ? "" : " (a defect; -vv shows where)";
      report(invocation, ErrorCode.INTERNAL, "unexpected " + e + hint, 1, screen);
      showStackTrace(e, invocation.verbosity(), screen);
      return 1;
    }
  }

  private static void report(
      Invocation invocation, ErrorCode code, String message, int exitStatus, Screen screen) {
    if (invocation.command().json()) {
      JsonView.failed(screen, code, message, exitStatus);
    } else {
      screen.problem(message);
    }
  }

  private static int execute(Invocation invocation, CommandContext context)
      throws FdtException, InterruptedException {
    Command command = invocation.command();
    if (command.leastVerbosity() < 0) {
      return command.run(context);
    }
    int verbosity = Math.max(command.leastVerbosity(), invocation.verbosity());
    Logging logging = Logging.start(context.screen(), verbosity);
    try {
      FdtClient.placeThreads(invocation.affinity());
      return command.run(context.with(invocation.verbosity()));
    } finally {
      logging.close();
    }
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
