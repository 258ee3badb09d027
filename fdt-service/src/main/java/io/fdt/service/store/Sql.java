package io.fdt.service.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Statements within one transaction. Every value is a parameter. Confined to one thread. */
public final class Sql {
  @FunctionalInterface
  public interface RowReader<T> {
    T read(Row row) throws SQLException;
  }

  /** A row of a query, whose columns are read in order or by name. */
  public static final class Row {
    private final ResultSet row;
    private int column;

    private Row(ResultSet row) {
      this.row = row;
    }

    public String text() throws SQLException {
      return row.getString(++column);
    }

    public long number() throws SQLException {
      return row.getLong(++column);
    }

    public int count() throws SQLException {
      return (int) number();
    }

    String text(String name) throws SQLException {
      return row.getString(name);
    }

    long number(String name) throws SQLException {
      return row.getLong(name);
    }
  }

  /** Milliseconds since 1970, by the clock of the database. */
  private static final String NOW_OF_POSTGRES =
      "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

  private static final String NOW_OF_SQLITE = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

  private final Connection connection;
  private final boolean isShared;
  private boolean writes;

  /**
   * Statements on a connection.
   *
   * @param isShared whether other processes use the database, which is PostgreSQL then
   */
  Sql(Connection connection, boolean isShared) {
    this.connection = connection;
    this.isShared = isShared;
  }

  /** The time of the database as a part of a statement: the same for all processes. */
  String now() {
    return isShared ? NOW_OF_POSTGRES : NOW_OF_SQLITE;
  }

  /** The suffix of a query whose rows are changed afterwards. */
  public String forUpdate() {
    return isShared ? " FOR UPDATE" : "";
  }

  /** Waits for an exclusive lock with this number, which the transaction holds to its end. */
  void exclude(long number) throws SQLException {
    if (isShared) {
      List<Integer> unused = list(row -> 0, "SELECT pg_advisory_xact_lock(?)", number);
    }
  }

  /** Runs a statement; returns the number of changed rows. */
  public int update(String statement, Object... values) throws SQLException {
    writes = true;
    try (PreparedStatement prepared = prepare(statement, values)) {
      return prepared.executeUpdate();
    }
  }

  /** Whether this transaction has run an update. */
  boolean writes() {
    return writes;
  }

  public <T> List<T> list(RowReader<T> reader, String query, Object... values) throws SQLException {
    try (PreparedStatement prepared = prepare(query, values);
        ResultSet rows = prepared.executeQuery()) {
      List<T> list = new ArrayList<>();
      while (rows.next()) {
        list.add(reader.read(new Row(rows)));
      }
      return list;
    }
  }

  public <T> Optional<T> first(RowReader<T> reader, String query, Object... values)
      throws SQLException {
    return list(reader, query, values).stream().findFirst();
  }

  private PreparedStatement prepare(String statement, Object... values) throws SQLException {
    PreparedStatement prepared = connection.prepareStatement(statement);
    boolean isGood = false;
    try {
      for (int i = 0; i < values.length; i++) {
        if (values[i] instanceof String text) {
          prepared.setString(i + 1, text);
        } else {
          prepared.setLong(i + 1, ((Number) values[i]).longValue());
        }
      }
      isGood = true;
      return prepared;
    } finally {
      if (!isGood) {
        prepared.close();
      }
    }
  }
}
