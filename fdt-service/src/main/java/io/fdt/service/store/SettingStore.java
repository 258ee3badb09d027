package io.fdt.service.store;

import java.util.Optional;

/** What all processes of one database have to agree on, by name. Any thread. */
public final class SettingStore {
  private final Database database;

  public SettingStore(Database database) {
    this.database = database;
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
