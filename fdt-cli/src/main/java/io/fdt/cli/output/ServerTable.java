package io.fdt.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Servers that a user knows, one line for each. Not thread-safe. */
public final class ServerTable {
  private static final String FORMAT = "%-16s %-32s %-8s %s";

  private final List<Row> rows = new ArrayList<>();

  /** A server. */
  private record Row(
      Optional<String> name, String address, Optional<String> fingerprint, boolean isLoggedIn) {}

  /**
   * Adds one.
   *
   * @param name that the user has given it
   * @param address HOST:PORT
   * @param fingerprint of its key; empty when the user has never met it
   */
  public void add(
      Optional<String> name, String address, Optional<String> fingerprint, boolean isLoggedIn) {
    rows.add(new Row(name, address, fingerprint, isLoggedIn));
  }

  /** Writes all of them; nothing when there are none. */
  public void show(boolean json, Screen screen) {
    if (!json && !rows.isEmpty()) {
      screen.line(FORMAT.formatted("NAME", "ADDRESS", "TOKEN", "KEY"));
    }
    for (Row row : rows) {
      if (json) {
        screen.text(json(row));
      } else {
        screen.line(
            FORMAT.formatted(
                row.name().orElse("-"),
                row.address(),
                row.isLoggedIn() ? "yes" : "-",
                row.fingerprint().orElse("-")));
      }
    }
  }

  private static String json(Row row) {
    return new JsonEvent("server")
        .with("name", row.name())
        .with("address", row.address())
        .with("fingerprint", row.fingerprint())
        .with("token", row.isLoggedIn())
        .line();
  }
}
