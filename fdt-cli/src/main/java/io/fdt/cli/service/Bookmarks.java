package io.fdt.cli.service;

import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Table;
import io.fdt.cli.run.Command;
import java.util.List;
import java.util.Map;

/** The actions of {@code fdt endpoint} for bookmarks. Pure. */
final class Bookmarks {
  private static final List<String> ALL = Endpoints.ALL;

  private Bookmarks() {}

  static void add(Map<String, ServiceLine.Word> words) {
    words.put("bookmark", Bookmarks::add);
    words.put("bookmarks", Bookmarks::list);
    words.put("unbookmark", Bookmarks::remove);
  }

  private static Command add(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "bookmark", ALL);
    if (operands.size() != 2) {
      throw new UsageException("write: endpoint bookmark NAME ENDPOINT:PATH");
    }
    ServiceLine.Place place = ServiceLine.Place.parse(operands.get(1));
    return ServiceLine.asking(
        line,
        "POST",
        "bookmarks",
        Map.of("name", operands.get(0), "endpoint", place.endpoint(), "path", place.path()),
        ServiceOutput.row(table(), Bookmarks::cells));
  }

  private static Command list(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "bookmarks", ALL);
    ServiceLine.none(operands);
    return ServiceLine.asking(
        line, "GET", "bookmarks", null, ServiceOutput.rows(table(), "bookmarks", Bookmarks::cells));
  }

  private static Table table() {
    return new Table().left("NAME", "PATH").none("no bookmarks");
  }

  private static List<String> cells(Map<String, Object> bookmark) {
    return List.of(
        ServiceText.text(bookmark, "name"),
        ServiceText.text(bookmark, "endpoint") + ":" + ServiceText.text(bookmark, "path"));
  }

  private static Command remove(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "unbookmark", ALL);
    String name = ServiceLine.one(operands, "bookmark");
    return ServiceLine.asking(
        line,
        "DELETE",
        "bookmarks/" + RestClient.part(name),
        null,
        (answer, screen) -> screen.line("removed " + name));
  }
}
