package io.fdt.service.run;

import io.fdt.service.store.ClaimStore;
import io.fdt.service.task.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Tells those who watch here what other processes of the service do to tasks. Confined to one
 * thread.
 */
final class Elsewhere {
  /** A change is seen when it is committed, which may be so much later than its time. */
  private static final long SLACK_MILLIS = 3000;

  private final ClaimStore claims;
  private final Live live;
  private Map<String, Object> told = new HashMap<>();
  private long since;

  Elsewhere(ClaimStore claims, Live live) {
    this.claims = claims;
    this.live = live;
  }

  /** Looks what is new. */
  void tick() {
    ClaimStore.Changes changes = claims.changes(since);
    since = changes.now() - SLACK_MILLIS;
    Map<String, Object> seen = new HashMap<>();
    for (Task task : changes.tasks()) {
      Optional<Live.Progress> here = live.progress(task.id());
      Object state = List.of(task.version(), task.counts());
      seen.put(task.id(), state);
      if (here.isEmpty() && !Objects.equals(told.get(task.id()), state)) {
        live.changed(task);
      }
    }
    told = seen;
  }
}
