package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.Screen;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Keeps a destination in step with its source until it is told to end. */
public final class WatchRun {
  /** What is not watched may have changed after this time. */
  private static final Duration POLL = Duration.ofMinutes(1);

  /** A copy that is cancelled has ended by then. */
  private static final long FAREWELL_SECONDS = 10;

  private static final Duration LONG = Duration.ofDays(1);

  private final Operation.Watch watch;
  private final boolean listsFiles;
  private final CommandContext context;
  private final Screen screen;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean isStopping;

  /** What stands in place of a source; empty when all are what they were. */
  private Optional<Path> replaced = Optional.empty();

  /** Whether a copy has succeeded since all sources are what they are. */
  private boolean hasSucceeded;

  private WatchRun(Operation.Watch watch, boolean listsFiles, CommandContext context) {
    this.watch = watch;
    this.listsFiles = listsFiles;
    this.context = context;
    this.screen = context.screen();
  }

  /**
   * Copies now, and whenever the source has changed. The result is an exit status: 0 when it was
   * told to end, otherwise that of a copy that cannot succeed.
   *
   * @param listsFiles whether each file that was moved is named
   */
  public static int watch(Operation.Watch watch, boolean listsFiles, CommandContext context)
      throws FdtException, InterruptedException {
    return new WatchRun(watch, listsFiles, context).run();
  }

  private int run() throws FdtException, InterruptedException {
    try (SourceWatch sources = SourceWatch.open(sources())) {
      Interruption interruption = context.onInterruption(() -> stopAndExit(sources));
      try {
        return loop(sources);
      } catch (IllegalStateException e) {
        if (isStopping) {
          return 0; // the copy that was about to begin heard that the process ends
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

  /** To be told to end is how a watch ends: exit status 0. */
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
    tell(isLocal ? "copies after each change" : "copies " + every());
    gap.ifPresent(this::tellGap);
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
            tellGap(now.get());
          }
          gap = now;
          schedule.every(period(true, now));
        }
        // A source that is the same, and is empty already, may empty the destination.
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
      // A mount is no event.
      if (hasChanged || (isLocal && !sources.replaced().equals(replaced))) {
        schedule.changed(System.nanoTime());
      }
    }
    return 0;
  }

  /**
   * Whether another directory is in place of a source: what it lacks says nothing of the source, so
   * that nothing is copied or deleted.
   */
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
      JsonView.tellFailure(screen, code, message, status);
    } else {
      screen.problem(message);
    }
    return status;
  }

  /** What is not seen is looked at now and then. */
  private Optional<Duration> period(boolean isLocal, Optional<String> gap) {
    return watch.every().or(() -> isLocal && gap.isEmpty() ? Optional.empty() : Optional.of(POLL));
  }

  private String every() {
    return "every " + watch.every().orElse(POLL).toSeconds() + " s";
  }

  private void tellGap(String reason) {
    tell(reason + "; copies " + every() + " as well");
  }

  private void tell(String what) {
    if (!watch.json() && !watch.quiet()) {
      screen.note("watching; " + what);
    }
  }

  /** One copy, which tells what went wrong; its exit status. */
  private int copy(boolean mayBeEmpty) throws InterruptedException {
    Operation copy = mayBeEmpty ? watch.ofEmpty() : watch.copy();
    try {
      int status =
          copy instanceof Operation.StartedCopy started
              ? StartedCopyRun.copy(started, listsFiles, context)
              : CopyRun.copy((Operation.Copy) copy, listsFiles, context);
      hasSucceeded |= status == 0;
      return status;
    } catch (FdtException e) {
      screen.endStatus();
      return isStopping ? e.code().exitStatus() : problem(e.code(), e.getMessage());
    }
  }
}
