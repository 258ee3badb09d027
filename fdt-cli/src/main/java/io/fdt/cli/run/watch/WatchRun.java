package io.fdt.cli.run.watch;

import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.JsonView;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.copy.Copier;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Copies now and after each change of the source, until a signal ends it. The exit status is 0, or
 * that of a copy that cannot succeed.
 *
 * @param ofEmpty the copy of a source that has succeeded before and has become empty
 * @param sources on this machine, which are watched; empty if they are on a server
 * @param afterChange how long they must be quiet before a copy
 * @param every period of copies that need no change
 */
public record WatchRun(
    Copier copy, Copier ofEmpty, List<Path> sources, Duration afterChange, Optional<Duration> every)
    implements Command {
  /** The period of copies of sources that are not watched. */
  private static final Duration POLL = Duration.ofMinutes(1);

  /** The time for a cancelled copy to end. */
  private static final long FAREWELL_SECONDS = 10;

  private static final Duration LONG = Duration.ofDays(1);

  @Override
  public boolean json() {
    return copy.json();
  }

  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    return new Loop(this, context).run();
  }

  /** One watch. Confined to one thread, except {@link #stopAndExit}. */
  private static final class Loop {
    private final WatchRun watch;
    private final CommandContext context;
    private final Screen screen;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean isStopping;

    /** The source that is missing or replaced; empty if none is. */
    private Optional<Path> replaced = Optional.empty();

    /** Whether a copy has succeeded since a source was replaced. */
    private boolean hasSucceeded;

    Loop(WatchRun watch, CommandContext context) {
      this.watch = watch;
      this.context = context;
      this.screen = context.screen();
    }

    private int run() throws FdtException, InterruptedException {
      try (SourceWatch sources = SourceWatch.open(sources())) {
        Interruption interruption = context.onInterruption(() -> stopAndExit(sources));
        try {
          return loop(sources);
        } catch (IllegalStateException e) {
          if (isStopping) {
            return 0; // a copy could not begin, because the process ends
          }
          throw e;
        } finally {
          ended.countDown();
          interruption.close();
        }
      }
    }

    private List<Path> sources() {
      Path here = context.surroundings().workingDirectory();
      return watch.sources().stream().map(here::resolve).toList();
    }

    /** Exits with status 0: a signal is the normal end of a watch. */
    private void stopAndExit(SourceWatch sources) {
      isStopping = true;
      sources.close();
      try {
        if (!ended.await(FAREWELL_SECONDS, TimeUnit.SECONDS)) {
          screen.note("the copy does not end; the same command continues it");
        }
        screen.flush();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        context.ending().exit(0);
      }
    }

    private int loop(SourceWatch sources) throws InterruptedException {
      boolean isLocal = !watch.sources().isEmpty();
      Optional<String> gap = isLocal ? sources.register() : Optional.empty();
      WatchSchedule schedule =
          new WatchSchedule(watch.afterChange(), period(isLocal, gap), System.nanoTime());
      note(isLocal ? "copies after each change" : "copies " + every());
      gap.ifPresent(this::noteGap);
      while (!isStopping) {
        Optional<Long> wait = schedule.untilDue(System.nanoTime());
        if (wait.isPresent() && wait.get() == 0) {
          schedule.started();
          if (isLocal && isReplaced(sources)) {
            schedule.ended(System.nanoTime(), true);
            continue;
          }
          if (isLocal) {
            Optional<String> now = sources.register();
            if (now.isPresent() && !now.equals(gap)) {
              noteGap(now.get());
            }
            gap = now;
            schedule.every(period(true, now));
          }
          // An empty source that was not replaced may empty the destination.
          int status = copy(hasSucceeded && isLocal && sources.hasEmpty());
          if (isStopping) {
            return 0;
          }
          if (status == 2 || status == 4) {
            return status; // refused: the same line is refused again
          }
          schedule.ended(System.nanoTime(), status != 0);
          continue;
        }
        Duration most = isLocal ? POLL : LONG;
        boolean hasChanged =
            sources.await(
                wait.map(Duration::ofNanos).filter(w -> w.compareTo(most) < 0).orElse(most));
        // Mounts have no events.
        if (hasChanged || (isLocal && !sources.replaced().equals(replaced))) {
          schedule.changed(System.nanoTime());
        }
      }
      return 0;
    }

    /** Whether a source was replaced by another directory; then nothing is copied or deleted. */
    private boolean isReplaced(SourceWatch sources) {
      Optional<Path> now = sources.replaced();
      if (now.isPresent() && !now.equals(replaced)) {
        problem(
            ErrorCode.SOURCE_CHANGED,
            "'%s' is missing, or not what it was when the watch began (unmounted, mounted over, replaced): nothing is copied or deleted until it is the same again, or the watch is started anew"
                .formatted(now.get()));
      }
      replaced = now;
      hasSucceeded &= now.isEmpty();
      return now.isPresent();
    }

    private int problem(ErrorCode code, String message) {
      int status = code.exitStatus();
      if (watch.json()) {
        JsonView.failed(screen, code, message, status);
      } else {
        screen.problem(message);
      }
      return status;
    }

    /** The period of copies that need no change; sources that cannot be watched always have one. */
    private Optional<Duration> period(boolean isLocal, Optional<String> gap) {
      return watch
          .every()
          .or(() -> isLocal && gap.isEmpty() ? Optional.empty() : Optional.of(POLL));
    }

    private String every() {
      return "every " + watch.every().orElse(POLL).toSeconds() + " s";
    }

    private void noteGap(String reason) {
      note(reason + "; copies " + every() + " as well");
    }

    private void note(String what) {
      if (!watch.json() && !watch.copy().copy().output().quiet()) {
        screen.note("watching; " + what);
      }
    }

    /** One copy, which reports its failure; its exit status. */
    private int copy(boolean mayBeEmpty) throws InterruptedException {
      Copier copy = mayBeEmpty ? watch.ofEmpty() : watch.copy();
      try {
        int status = copy.run(context);
        hasSucceeded |= status == 0;
        return status;
      } catch (FdtException e) {
        screen.endStatus();
        return isStopping ? e.code().exitStatus() : problem(e.code(), e.getMessage());
      }
    }
  }
}
