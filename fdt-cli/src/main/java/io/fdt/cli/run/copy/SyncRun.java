package io.fdt.cli.run.copy;

import io.fdt.cli.output.Screen;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TransferRun;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Mirrors a tree. At a terminal it shows the totals of a dry run first, and asks.
 *
 * @param rehearsal the dry run of the copy
 * @param asks whether to ask at a terminal
 */
public record SyncRun(Copier rehearsal, Copier copy, boolean asks) implements Command {
  @Override
  public boolean json() {
    return copy.json();
  }

  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    Screen screen = context.screen();
    if (asks && screen.canAsk() && !json()) {
      AtomicReference<TransferReport> rehearsed = new AtomicReference<>();
      int status = rehearsal.run(context.with(rehearsed::set));
      if (status != 0) {
        return status;
      }
      if (rehearsed.get() != null && !changes(rehearsed.get())) {
        screen.note("nothing would change");
        return 0;
      }
      if (!context.listsFiles()) {
        screen.note("-v names what would be copied and removed");
      }
      Interruption interruption = context.onInterruption(screen::endQuestions);
      boolean isWanted;
      try {
        isWanted = asked(screen);
      } finally {
        interruption.close();
      }
      if (!isWanted) {
        screen.note("nothing was changed");
        return interruption.hasHappened() ? TransferRun.INTERRUPTED : 0;
      }
      screen.restartStatus();
    }
    return copy.run(context);
  }

  /** Whether the rehearsed copy would change anything. */
  private static boolean changes(TransferReport rehearsed) {
    return rehearsed.figures().files().due() > 0
        || rehearsed.figures().directories() > 0
        || rehearsed.figures().links() > 0
        || rehearsed.figures().attributesChanged() > 0
        || rehearsed.figures().deleted() > 0;
  }

  private static boolean asked(Screen screen) {
    Optional<String> answer = screen.ask("Do this (yes/no)? ");
    while (answer.isPresent()) {
      if (answer.get().equalsIgnoreCase("yes") || answer.get().equalsIgnoreCase("y")) {
        return true;
      }
      if (answer.get().equalsIgnoreCase("no") || answer.get().equalsIgnoreCase("n")) {
        return false;
      }
      answer = screen.ask("Please type yes or no: ");
    }
    return false;
  }
}
