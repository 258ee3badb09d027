package io.fdt.service.store;

import java.util.Optional;

/** Settings that all processes of a database share, by name. Any thread. */
public final class SettingStore {
  private final Database database;

  public SettingStore(Database database) {
    this.database = database;
  }

  /**
   * Writes a row.
   *
   * @throws StoreException the database cannot be written
   */
  public void touch() {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "INSERT INTO setting (name, value) VALUES ('touched', CAST("
                    + sql.now()
                    + " AS TEXT)) ON CONFLICT (name) DO UPDATE SET value = excluded.value"));
  }

  /**
   * Acquires or renews the lease of a name; false when another home has it.
   *
   * @param home at most one holds a name at a time
   */
  public boolean hold(String name, String home, long millis) {
    return database.transaction(
        sql -> {
          long now = sql.first(row -> row.number(), "SELECT " + sql.now()).orElseThrow();
          Optional<String> held =
              sql.first(
                  row -> row.text(),
                  "SELECT value FROM setting WHERE name = ?" + sql.forUpdate(),
                  name);
          if (held.isPresent()) {
            String[] parts = held.get().split(" ", 2);
            if (!parts[0].equals(home) && Long.parseLong(parts[1]) > now) {
              return false;
            }
          }
          sql.update(
              "INSERT INTO setting (name, value) VALUES (?, ?)"
                  + " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
              name,
              home + " " + (now + millis));
          return true;
        });
  }

  /** The value of a name; the first caller sets it. */
  public String agree(String name, String value) {
    return database.transaction(
        sql -> {
          sql.update(
              "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
              name,
              value);
          Optional<String> agreed =
              sql.first(row -> row.text(), "SELECT value FROM setting WHERE name = ?", name);
          return agreed.orElse(value);
        });
  }
}
