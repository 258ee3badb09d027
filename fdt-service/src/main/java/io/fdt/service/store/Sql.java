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
  /** Makes a value of one row. */
  @FunctionalInterface
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private final Connection connection;

  Sql(Connection connection) {
    this.connection = connection;
  }

  /** Runs a statement; the result is the number of rows that it changed. */
  public int update(String statement, Object... values) throws SQLException {
    try (PreparedStatement prepared = prepare(statement, values)) {
      return prepared.executeUpdate();
    }
  }

  /** All rows of a query. */
  public <T> List<T> list(RowReader<T> reader, String query, Object... values) throws SQLException {
    try (PreparedStatement prepared = prepare(query, values);
        ResultSet rows = prepared.executeQuery()) {
      List<T> list = new ArrayList<>();
      while (rows.next()) {
        list.add(reader.read(rows));
      }
      return list;
    }
  }

  /** The first row of a query. */
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
