package io.fdt.cli.service;

import io.fdt.cli.output.Table;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Answers of the service as lines of text; times are local. */
final class ServiceText {
  private ServiceText() {}

  /** A field of an object as text, a list with commas in between; empty if missing. */
  static String text(Map<String, Object> object, String name) {
    Object value = object.get(name);
    if (value instanceof List<?> values) {
      return values.stream().map(one -> shown("" + one)).collect(Collectors.joining(", "));
    }
    return value == null ? "" : shown(value.toString());
  }

  /** A text without control characters. */
  static String shown(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                safe.append("\\u%04x".formatted(c));
              } else {
                safe.appendCodePoint(c);
              }
            });
    return safe.toString();
  }

  static long number(Map<String, Object> object, String name) {
    return object.get(name) instanceof Long number ? number : 0;
  }

  /** The objects of a list. */
  static List<Map<String, Object>> list(Map<String, Object> object, String name) {
    List<Map<String, Object>> list = new ArrayList<>();
    if (object.get(name) instanceof List<?> elements) {
      for (Object element : elements) {
        if (element instanceof Map) {
          list.add(object(element));
        }
      }
    }
    return list;
  }

  /** The fields of an object within another; empty if there is none. */
  static Map<String, Object> object(Object value) {
    Map<String, Object> object = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, field) -> object.put((String) key, field));
    }
    return object;
  }

  /** A table of tasks. */
  static Table tasks() {
    return new Table().left("ID", "STATE").right("BYTES", "RATE", "AGE").left("LABEL", "COPY");
  }

  /** The row of a task. */
  static List<String> task(Map<String, Object> task, Instant now) {
    String ended = text(task, "ended");
    Duration age = Duration.between(instant(ended.isEmpty() ? text(task, "created") : ended), now);
    return List.of(
        text(task, "task_id"),
        text(task, "state") + intent(task),
        NumberText.bytes(number(task, "bytes_done")),
        task.containsKey("bytes_per_second")
            ? NumberText.rate(number(task, "bytes_per_second"))
            : "",
        NumberText.age(age.isNegative() ? Duration.ZERO : age, !ended.isEmpty()),
        text(task, "label"),
        what(task));
  }

  /** A time of an object by the clock here; empty when it lacks it. */
  static String time(Map<String, Object> object, String name) {
    String text = text(object, name);
    return text.isEmpty() ? "" : NumberText.time(instant(text), ZoneId.systemDefault());
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH; // no time of the service
    }
  }

  private static String what(Map<String, Object> task) {
    Object paths = task.get("source_paths");
    String first = paths instanceof List<?> list && !list.isEmpty() ? shown("" + list.get(0)) : "";
    String more = paths instanceof List<?> list && list.size() > 1 ? " +" + (list.size() - 1) : "";
    String source = text(task, "source_endpoint") + ":" + first + more;
    return text(task, "kind").equals("delete")
        ? "delete " + source
        : source
            + " -> "
            + text(task, "destination_endpoint")
            + ":"
            + text(task, "destination_path");
  }

  /** The progress of a task. */
  static List<String> status(Map<String, Object> task) {
    List<String> lines = new ArrayList<>();
    lines.add("Task:      " + text(task, "task_id"));
    lines.add("Status:    " + text(task, "state") + intent(task));
    lines.add("What:      " + what(task));
    lines.add(
        "Bytes:     %s of %s%s"
            .formatted(
                NumberText.bytes(number(task, "bytes_done")),
                NumberText.bytes(number(task, "bytes_total")),
                task.containsKey("bytes_per_second")
                    ? ", " + NumberText.rate(number(task, "bytes_per_second"))
                    : ""));
    lines.add(
        "Files:     %d of %d, %d failed, %d deleted"
            .formatted(
                number(task, "files_done"),
                number(task, "files_total"),
                number(task, "files_failed"),
                number(task, "files_deleted")));
    lines.add("Faults:    " + number(task, "faults"));
    addIfThere(lines, "Message:   ", text(task, "message"));
    return lines;
  }

  private static String intent(Map<String, Object> task) {
    String intent = text(task, "intent");
    return intent.isEmpty() ? "" : ", " + intent + " asked for";
  }

  static void addIfThere(List<String> lines, String name, String value) {
    if (!value.isEmpty()) {
      lines.add(name + value);
    }
  }

  /** The options that are set. */
  private static String options(Map<String, Object> options) {
    return options.entrySet().stream()
        .filter(option -> !Boolean.FALSE.equals(option.getValue()))
        .map(
            option ->
                Boolean.TRUE.equals(option.getValue())
                    ? shown(option.getKey())
                    : shown(option.getKey()) + "=" + text(options, option.getKey()))
        .collect(Collectors.joining("; "));
  }

  /** The work of each task of a timer. */
  static List<String> work(Map<String, Object> task) {
    List<String> lines = new ArrayList<>();
    lines.add("What:      " + what(task));
    lines.addAll(wishes(task));
    return lines;
  }

  private static List<String> wishes(Map<String, Object> task) {
    List<String> lines = new ArrayList<>();
    addIfThere(lines, "Label:     ", text(task, "label"));
    lines.add("Priority:  " + number(task, "priority"));
    long limit = number(task, "limit");
    lines.add("Limit:     " + (limit == 0 ? "none" : BitRate.ofBytesPerSecond(limit)));
    addIfThere(lines, "Options:   ", options(object(task.get("options"))));
    return lines;
  }

  /**
   * All details of a task.
   *
   * @param advice about its last error; empty for none
   */
  static List<String> details(Map<String, Object> task, String advice) {
    List<String> lines = new ArrayList<>(status(task));
    lines.addAll(wishes(task));
    lines.add("Deadline:  " + time(task, "deadline"));
    lines.add("Submitted: " + time(task, "created") + " as " + text(task, "submission_id"));
    addIfThere(lines, "Started:   ", time(task, "started"));
    addIfThere(lines, "Ended:     ", time(task, "ended"));
    lines.add("Attempts:  " + number(task, "attempts"));
    addIfThere(lines, "What to do: ", advice);
    return lines;
  }
}
