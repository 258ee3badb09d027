package io.fdt.cli.service;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Table;
import io.fdt.cli.run.Command;
import io.fdt.core.unit.NumberText;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/** The actions of {@code fdt endpoint} for files. Reads the clock. */
final class EndpointFiles {
  private static final List<String> ALL = Endpoints.ALL;
  private static final String EMPTY = "'%s' is empty";

  private EndpointFiles() {}

  static void add(Map<String, ServiceLine.Word> words, Clock clock) {
    words.put("ls", EndpointFiles::ls);
    words.put("stat", EndpointFiles::stat);
    words.put("mkdir", EndpointFiles::mkdir);
    words.put("rename", EndpointFiles::rename);
    words.put("rm", (line, operands) -> rm(line, operands, clock));
  }

  /** The name of a file; a slash follows that of a directory. */
  private static String name(Map<String, Object> file) {
    return ServiceText.text(file, "name")
        + (ServiceText.text(file, "kind").equals("directory") ? "/" : "");
  }

  private static List<String> cells(Map<String, Object> file) {
    return List.of(
        ServiceText.text(file, "kind"),
        ServiceText.text(file, "mode"),
        NumberText.bytes(ServiceText.number(file, "size")),
        ServiceText.time(file, "modified"),
        name(file));
  }

  private static Command ls(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "ls", ALL, Endpoints.MOST, Endpoints.LONG);
    String text = ServiceLine.one(operands, "ENDPOINT[:PATH]");
    ServiceLine.Place place = ServiceLine.Place.parse(text.indexOf(':') < 0 ? text + ":" : text);
    ServiceOutput output = ServiceOutput.of(line);
    int most = OptionValue.count(line, Endpoints.MOST, 1, 2_000_000, 2_000_000);
    boolean isLong = line.has(Endpoints.LONG);
    return context -> {
      ServiceLine.pages(
          RestClient.open(context),
          Endpoints.path(place.endpoint()) + "/files?path=" + RestClient.part(place.path()),
          most,
          output,
          isLong
              ? ServiceOutput.rows(
                  new Table()
                      .left("KIND", "MODE")
                      .right("SIZE")
                      .left("MODIFIED", "NAME")
                      .none(EMPTY.formatted(text)),
                  "files",
                  EndpointFiles::cells)
              : names(EMPTY.formatted(text)),
          context.screen());
      return 0;
    };
  }

  /** Shows the names of a directory, or a note if it is empty. */
  private static ServiceOutput.View names(String none) {
    return (page, screen) -> {
      List<Map<String, Object>> files = ServiceText.list(page, "files");
      files.forEach(file -> screen.line(name(file)));
      if (files.isEmpty()) {
        screen.note(none);
      }
    };
  }

  private static Command mkdir(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "mkdir", ALL);
    ServiceLine.Place place = ServiceLine.Place.parse(ServiceLine.one(operands, "ENDPOINT:PATH"));
    return ServiceLine.asking(
        line,
        "POST",
        Endpoints.path(place.endpoint()) + "/directories",
        Map.of("path", place.path()),
        (answer, screen) -> screen.line("made " + ServiceText.text(answer, "path")));
  }

  private static Command rename(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "rename", ALL);
    if (operands.size() != 2) {
      throw new UsageException("write: endpoint rename ENDPOINT:FROM TO");
    }
    ServiceLine.Place from = ServiceLine.Place.parse(operands.get(0));
    String to = operands.get(1);
    if (to.startsWith(from.endpoint() + ":")) {
      throw new UsageException(
          "'%s' is at the same endpoint: write the path only, %s"
              .formatted(to, to.substring(from.endpoint().length() + 1)));
    }
    return ServiceLine.asking(
        line,
        "POST",
        Endpoints.path(from.endpoint()) + "/renames",
        Map.of("from", from.path(), "to", to),
        (answer, screen) -> screen.line("now " + ServiceText.text(answer, "path")));
  }

  private static Command stat(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "stat", ALL);
    ServiceLine.Place place = ServiceLine.Place.parse(ServiceLine.one(operands, "ENDPOINT:PATH"));
    return ServiceLine.asking(
        line,
        "GET",
        Endpoints.path(place.endpoint()) + "/file?path=" + RestClient.part(place.path()),
        null,
        (file, screen) -> {
          screen.line("Name:      " + ServiceText.text(file, "name"));
          screen.line("Kind:      " + ServiceText.text(file, "kind"));
          long size = ServiceText.number(file, "size");
          screen.line("Size:      %s (%d bytes)".formatted(NumberText.bytes(size), size));
          screen.line("Mode:      " + ServiceText.text(file, "mode"));
          screen.line("Modified:  " + ServiceText.time(file, "modified"));
        });
  }

  /** Submits a task that removes files, and waits for its end, like Globus. */
  private static Command rm(ParsedLine line, List<String> operands, Clock clock)
      throws UsageException {
    ServiceLine.only(line, "rm", ALL, Options.RECURSIVE);
    if (operands.isEmpty()) {
      throw new UsageException("write: endpoint rm [-r] ENDPOINT:PATH...");
    }
    Map<String, Object> body = TaskBody.of(line, operands, false, clock);
    ServiceOutput output = ServiceOutput.of(line);
    return context -> {
      RestClient.Answer task = RestClient.open(context).ask("POST", "tasks", body);
      String path = "tasks/" + RestClient.part(ServiceText.text(task.json(), "task_id"));
      return new TaskWait(path, 0, 1, false, output).run(context);
    };
  }
}
