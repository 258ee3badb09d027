package io.fdt.service.store;

import java.util.Optional;

/** What all processes of one database have to agree on, by name. Any thread. */
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
   * Takes a name for a while, or keeps it; whether it is this home's.
   *
   * @param home not two of which hold a name at once
   */
  public boolean hold(String name, String home, long millis) {
    return database.transaction(
        sql -> {
          long now = sql.first(row -> row.getLong(1), "SELECT " + sql.now()).orElseThrow();
          Optional<String> held =
              sql.first(
                  row -> row.getString(1),
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

  /** The value of a name, which the first one who asks has set. */
  public String agree(String name, String value) {
    return database.transaction(
        sql -> {
          sql.update(
              "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
              name,
              value);
          Optional<String> agreed =
              sql.first(row -> row.getString(1), "SELECT value FROM setting WHERE name = ?", name);
          return agreed.orElse(value);
        });
  }
}
