package io.fdt.service.store;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.util.List;

/** Names that users give to directories of endpoints. Any thread. */
public final class BookmarkStore {
  private static final int MOST = 1000;

  private final Database database;

  public BookmarkStore(Database database) {
    this.database = database;
  }

  /**
   * A bookmark. Immutable.
   *
   * @param endpoint the id of an endpoint
   * @param endpointName its current name; empty if it was removed
   */
  public record Bookmark(
      String owner, String name, String endpoint, String endpointName, String path, long created) {}

  public void add(Bookmark bookmark) throws ServiceException {
    database.<Integer, ServiceException>transaction(
        sql -> {
          List<String> names =
              sql.list(
                  row -> row.text(), "SELECT name FROM bookmark WHERE owner = ?", bookmark.owner());
          if (names.contains(bookmark.name())) {
            throw Fault.CONFLICT.of(
                "there is a bookmark '%s' already; choose another name, or remove it first"
                    .formatted(bookmark.name()));
          }
          if (names.size() >= MOST) {
            throw Fault.TOO_MANY.of("there are %d bookmarks; remove one first".formatted(MOST));
          }
          return sql.update(
              "INSERT INTO bookmark (owner, name, endpoint, path, created) VALUES (?, ?, ?, ?, ?)",
              bookmark.owner(),
              bookmark.name(),
              bookmark.endpoint(),
              bookmark.path(),
              bookmark.created());
        });
  }

  /** The bookmarks of a user, by name. */
  public List<Bookmark> list(String owner) {
    return database.list(
        row ->
            new Bookmark(row.text(), row.text(), row.text(), row.text(), row.text(), row.number()),
        "SELECT b.owner, b.name, b.endpoint, COALESCE(e.name, ''), b.path, b.created FROM bookmark"
            + " b LEFT JOIN endpoint e ON e.id = b.endpoint AND e.owner = b.owner WHERE b.owner = ?"
            + " ORDER BY b.name",
        owner);
  }

  /** Removes a bookmark; whether there was one. */
  public boolean remove(String owner, String name) {
    return database.update("DELETE FROM bookmark WHERE owner = ? AND name = ?", owner, name) > 0;
  }
}
