package io.fdt.service.store;

import io.fdt.service.task.TaskState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Selects tasks of a list. Immutable.
 *
 * @param owner only tasks of this user; empty for all
 * @param state only tasks in this state; empty for all
 * @param text in the label, the id, a path or the name of an endpoint, ignoring case; empty for all
 */
public record TaskFilter(String owner, Optional<TaskState> state, String text) {
  /** All tasks of a user; of all users when that is empty. */
  public static TaskFilter of(String owner) {
    return new TaskFilter(owner, Optional.empty(), "");
  }

  /** WHERE and its conditions, with AND after each; the values go to the list. */
  String where(List<Object> values) {
    StringBuilder where = new StringBuilder("WHERE");
    if (!owner.isEmpty()) {
      where.append(" owner = ? AND");
      values.add(owner);
    }
    if (state.isPresent()) {
      where.append(" state = ? AND");
      values.add(state.get().name());
    }
    if (!text.isEmpty()) {
      where.append(
          " LOWER(label || ' ' || id || ' ' || source_name || ':' || paths || ' ' ||"
              + " destination_name || ':' || destination_path) LIKE ? ESCAPE '!' AND");
      String escaped = text.toLowerCase(Locale.ROOT).replaceAll("([!%_])", "!$1");
      values.add("%" + escaped + "%");
    }
    return where.toString();
  }
}
