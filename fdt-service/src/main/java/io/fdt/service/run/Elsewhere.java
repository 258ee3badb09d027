package io.fdt.service.run;

import io.fdt.service.store.ClaimStore;
import io.fdt.service.task.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Reports changes by other processes to the subscribers of this one. Confined to one thread. */
final class Elsewhere {
  /** The longest delay after which a commit becomes visible. */
  private static final long SLACK_MILLIS = 3000;

  private final ClaimStore claims;
  private final Live live;
  private Map<String, Object> reported = new HashMap<>();
  private long since;

  Elsewhere(ClaimStore claims, Live live) {
    this.claims = claims;
    this.live = live;
  }

  /** Reports new changes. */
  void tick() {
    ClaimStore.Changes changes = claims.changes(since);
    since = changes.now() - SLACK_MILLIS;
    Map<String, Object> seen = new HashMap<>();
    for (Task task : changes.tasks()) {
      Optional<Live.Progress> here = live.progress(task.id());
      Object state = List.of(task.version(), task.counts());
      seen.put(task.id(), state);
      if (here.isEmpty() && !Objects.equals(reported.get(task.id()), state)) {
        live.changed(task);
      }
    }
    reported = seen;
  }
}
