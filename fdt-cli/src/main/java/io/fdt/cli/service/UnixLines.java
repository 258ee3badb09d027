package io.fdt.cli.service;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An answer as lines for {@code cut}, {@code awk} and {@code read}: for each object, its plain
 * values in the order of their names, separated by tabs. Nested values follow on lines of their
 * own, which begin with their name in capitals. All objects of a list have the same columns; a
 * missing value gives an empty column. The format is that of globus-cli and the AWS command. Pure.
 *
 * <pre>
 *   {"tasks":[{"task_id":"1","state":"active"},{"task_id":"2"}]}
 *
 *   TASKS   active  1
 *   TASKS           2
 * </pre>
 */
final class UnixLines {
  private final List<String> lines = new ArrayList<>();

  private UnixLines() {}

  static List<String> of(Object value) {
    UnixLines all = new UnixLines();
    all.add(value, "", null);
    return all.lines;
  }

  private void add(Object value, String name, Set<String> columns) {
    if (value instanceof Map<?, ?> object) {
      addObject(object, name, columns);
    } else if (value instanceof Collection<?> list) {
      addList(list, name);
    } else {
      line(name, List.of(plain(value)));
    }
  }

  private void addObject(Map<?, ?> object, String name, Set<String> columns) {
    Map<String, Object> sorted = new TreeMap<>();
    object.forEach((key, value) -> sorted.put(String.valueOf(key), value));
    List<String> values = new ArrayList<>();
    for (String column : columns == null ? sorted.keySet() : columns) {
      if (isPlain(sorted.get(column))) {
        values.add(plain(sorted.get(column)));
      } else if (columns != null) {
        values.add("");
      }
    }
    if (!values.isEmpty()) {
      line(name, values);
    }
    sorted.forEach(
        (key, value) -> {
          if (!isPlain(value)) {
            add(value, key, null);
          }
        });
  }

  private void addList(Collection<?> list, String name) {
    if (list.stream().allMatch(UnixLines::isPlain)) {
      if (!list.isEmpty()) {
        line(name, list.stream().map(UnixLines::plain).toList());
      }
      return;
    }
    Set<String> columns = new TreeSet<>();
    for (Object element : list) {
      if (element instanceof Map<?, ?> object) {
        object.forEach(
            (key, value) -> {
              if (isPlain(value)) {
                columns.add(String.valueOf(key));
              }
            });
      }
    }
    list.forEach(element -> add(element, name, element instanceof Map ? columns : null));
  }

  private void line(String name, List<String> values) {
    String joined = String.join("\t", values);
    lines.add(
        name.isEmpty() ? joined : ServiceText.shown(name).toUpperCase(Locale.ROOT) + "\t" + joined);
  }

  private static boolean isPlain(Object value) {
    return !(value instanceof Map) && !(value instanceof Collection);
  }

  /** A value with its tabs and newlines replaced. */
  private static String plain(Object value) {
    return value == null ? "" : ServiceText.shown(String.valueOf(value));
  }
}
