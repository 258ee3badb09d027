package io.fdt.service.run;

import io.fdt.service.store.TaskStore;
import io.fdt.service.store.TimerStore;
import io.fdt.service.store.access.AccountStore;
import io.fdt.service.store.access.Scope;
import io.fdt.service.task.Task;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/**
 * Submits recurring tasks when they are due. Each time has its own submission id, so that a crash
 * between submission and record gives only one task. A time is skipped while the last task still
 * runs. Confined to one thread.
 */
record Timers(
    TimerStore store,
    TaskStore tasks,
    AccountStore accounts,
    Submission submission,
    Dispatcher dispatcher,
    Clock clock) {

  /** Submits the due tasks. */
  void tick() {
    long now = clock.millis();
    for (TimerStore.Timer timer : store.due(now)) {
      long next = timer.plan().next(timer.nextAt(), now);
      try {
        if (!accounts.role(timer.owner()).scopes().contains(Scope.TASKS)) {
          store.fired(timer, next, "", "left out: its user may not submit tasks any more");
          continue;
        }
        if (!timer.plan().window().map(window -> window.contains(now)).orElse(true)) {
          store.fired(timer, next, "", "left out: its window has ended");
          continue;
        }
        if (runsStill(timer)) {
          store.fired(timer, next, "", "left out: the last task had not ended");
          continue;
        }
        Map<String, Object> fields = timer.fields();
        fields.put("submission_id", submissionId(timer));
        if ("".equals(fields.getOrDefault("label", ""))) {
          fields.put("label", timer.name());
        }
        Task task = submission.submit(timer.owner(), new Fields(fields)).task();
        store.fired(timer, next, task.id(), "");
        dispatcher.changed(task);
      } catch (ServiceException e) {
        store.fired(timer, next, "", e.getMessage());
      }
    }
  }

  /** A name of the due time; the id tells it from a timer of the same name that was removed. */
  private static String submissionId(TimerStore.Timer timer) {
    Instant due = Instant.ofEpochMilli(timer.nextAt()).truncatedTo(ChronoUnit.SECONDS);
    return "timer:%s:%s:%s".formatted(timer.name(), due, timer.id().substring(0, 8));
  }

  private boolean runsStill(TimerStore.Timer timer) {
    try {
      return !timer.lastTask().isEmpty()
          && !tasks.get(timer.owner(), timer.lastTask()).state().hasEnded();
    } catch (ServiceException e) {
      return false; // it ended so long ago that it is not kept any more
    }
  }
}
