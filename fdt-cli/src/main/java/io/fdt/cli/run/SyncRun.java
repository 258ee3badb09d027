package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.output.Screen;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Mirrors a tree. */
public final class SyncRun {
  private SyncRun() {}

  /**
   * Copies and deletes; a person at the terminal sees the dry run first, and is asked. The result
   * is an exit status.
   *
   * @param listsFiles whether each file that was moved is named
   */
  public static int sync(Operation.Sync sync, boolean listsFiles, CommandContext context)
      throws FdtException, InterruptedException {
    Screen screen = context.screen();
    if (sync.asks() && screen.canAsk() && !sync.json()) {
      AtomicReference<TransferReport> rehearsed = new AtomicReference<>();
      int status = copy(sync.rehearsal(), listsFiles, context.with(rehearsed::set));
      if (status != 0) {
        return status;
      }
      if (rehearsed.get() != null && !changes(rehearsed.get())) {
        screen.note("nothing would change");
        return 0;
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
    return copy(sync.copy(), listsFiles, context);
  }

  /** Whether anything would be different after what was rehearsed. */
  private static boolean changes(TransferReport rehearsed) {
    return rehearsed.filesDue() > 0
        || rehearsed.directories() > 0
        || rehearsed.links() > 0
        || rehearsed.attributesChanged() > 0
        || rehearsed.deleted() > 0;
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

  private static int copy(Operation operation, boolean listsFiles, CommandContext context)
      throws FdtException, InterruptedException {
    return operation instanceof Operation.StartedCopy started
        ? StartedCopyRun.copy(started, listsFiles, context)
        : CopyRun.copy((Operation.Copy) operation, listsFiles, context);
  }
}
