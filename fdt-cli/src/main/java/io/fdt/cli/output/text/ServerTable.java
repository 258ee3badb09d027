package io.fdt.cli.output.text;

import io.fdt.cli.output.Screen;
import io.fdt.cli.output.Table;
import io.fdt.cli.output.json.JsonEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Known servers as a table. Not thread-safe. */
public final class ServerTable {
  private final List<Row> rows = new ArrayList<>();

  /**
   * A server.
   *
   * @param name in the configuration
   * @param address HOST:PORT
   * @param fingerprint of its key, if known
   */
  private record Row(
      Optional<String> name, String address, Optional<String> fingerprint, boolean isLoggedIn) {}

  /** Adds a server. */
  public void add(
      Optional<String> name, String address, Optional<String> fingerprint, boolean isLoggedIn) {
    rows.add(new Row(name, address, fingerprint, isLoggedIn));
  }

  /** Prints the table. */
  public void show(boolean json, Screen screen) {
    Table table =
        new Table()
            .left("NAME", "ADDRESS", "TOKEN", "KEY")
            .none("no server is known yet; fdt login HOST remembers one");
    for (Row row : rows) {
      if (json) {
        new JsonEvent("server")
            .with("name", row.name())
            .with("address", row.address())
            .with("fingerprint", row.fingerprint())
            .with("token", row.isLoggedIn())
            .show(screen);
      } else {
        table.add(
            row.name().orElse(""),
            row.address(),
            row.isLoggedIn() ? "yes" : "",
            row.fingerprint().orElse(""));
      }
    }
    if (!json) {
      table.show(screen);
    }
  }
}
