package io.fdt.spark;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;

/**
 * The result of one unit, sent to the driver. Immutable. A class with fields and arrays, so that
 * every serializer of Spark can carry it. Memory: that of the names of one unit.
 */
final class UnitResult implements Serializable {
  private static final long serialVersionUID = 1;

  private final int unit;
  private final int attempt;
  private final String node;
  private final int exitStatus;
  private final UnitFigures figures;
  private final FileRow[] files;
  private final String[] events;

  /**
   * The result of a unit.
   *
   * @param unit its number; {@link UnitsRdd#LAST_STEP} for the last step
   * @param attempt of Spark at the task, from 1
   * @param node the host that copied it
   * @param events lines of JSON for the report, the summary last
   */
  UnitResult(
      int unit,
      int attempt,
      String node,
      int exitStatus,
      UnitFigures figures,
      List<FileRow> files,
      List<String> events) {
    this.unit = unit;
    this.attempt = attempt;
    this.node = node;
    this.exitStatus = exitStatus;
    this.figures = figures;
    this.files = files.toArray(FileRow[]::new);
    this.events = events.toArray(String[]::new);
  }

  int unit() {
    return unit;
  }

  int exitStatus() {
    return exitStatus;
  }

  UnitFigures figures() {
    return figures;
  }

  List<String> events() {
    return List.of(events);
  }

  Iterator<Row> rows() {
    return Arrays.stream(files).map(file -> file.row(attempt, node)).iterator();
  }
}
