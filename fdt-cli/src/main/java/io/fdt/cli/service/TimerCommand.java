package io.fdt.cli.service;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Table;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of {@code fdt timer}. Reads the clock. */
public final class TimerCommand {
  private static final String INTERVAL = "--interval";
  private static final String START = "--start";
  private static final String END = "--end";
  private static final String WINDOW = "--window";
  private static final String KIND_DELETE = "--remove";

  private static final List<Map.Entry<String, Long>> UNITS =
      List.of(Map.entry("d", 86_400L), Map.entry("h", 3600L), Map.entry("m", 60L));

  private static final String[] OF_CREATE =
      Stream.concat(
              Stream.of(TaskBody.ALL)
                  .filter(o -> !List.of(TaskBody.SUBMISSION, TaskBody.DEADLINE).contains(o)),
              Stream.of(INTERVAL, START, END, WINDOW, KIND_DELETE))
          .toArray(String[]::new);

  private static final List<String> ALL = List.of(OF_CREATE);

  private TimerCommand() {}

  /** Reads a command line. */
  public static Invocation parse(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    Map<String, ServiceLine.Word> words = new HashMap<>();
    words.put("create", (line, operands) -> create(line, operands, surroundings.clock()));
    words.put("list", TimerCommand::list);
    words.put("show", TimerCommand::show);
    words.put("remove", TimerCommand::remove);
    for (String change : List.of("pause", "resume")) {
      words.put(
          change,
          (line, operands) ->
              ServiceLine.change(
                  line,
                  change,
                  ALL,
                  path(operands),
                  ServiceOutput.row(table(), TimerCommand::cells)));
    }
    return ServiceLine.parse(spec(), arguments, words);
  }

  private static Command create(ParsedLine line, List<String> operands, Clock clock)
      throws UsageException {
    ServiceLine.only(line, "create", ALL, OF_CREATE);
    boolean isTransfer = !line.has(KIND_DELETE);
    if (operands.size() < (isTransfer ? 3 : 2)) {
      throw new UsageException(
          "write: timer create NAME --interval 1d SRC_ENDPOINT:PATH... DST_ENDPOINT:PATH");
    }
    Optional<String> interval = line.value(INTERVAL);
    if (interval.isEmpty()) {
      throw new UsageException(INTERVAL + " is missing: write for example " + INTERVAL + " 1d");
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("name", operands.get(0));
    body.put("interval", seconds(interval.get()));
    for (String option : List.of(START, END)) {
      Optional<String> when = line.value(option);
      if (when.isPresent()) {
        body.put(option.substring(2), TaskBody.time(option, when.get(), clock.instant()));
      }
    }
    line.value(WINDOW).ifPresent(window -> body.put("window", window));
    body.put("task", TaskBody.of(line, operands.subList(1, operands.size()), isTransfer, clock));
    return ServiceLine.asking(
        line, "POST", "timers", body, ServiceOutput.row(table(), TimerCommand::cells));
  }

  /** The time between runs: at least a minute, so that a number without its unit is refused. */
  private static long seconds(String interval) throws UsageException {
    long seconds = OptionValue.duration(INTERVAL, interval).toSeconds();
    if (seconds < 60 || Character.isDigit(interval.charAt(interval.length() - 1))) {
      throw new UsageException(
          "%s: '%s' is not a time of at least one minute with its unit, such as 90m, 12h or 7d"
              .formatted(INTERVAL, interval));
    }
    return seconds;
  }

  /** A duration in the form of --interval. */
  private static String every(long seconds) {
    for (Map.Entry<String, Long> unit : UNITS) {
      if (seconds % unit.getValue() == 0) {
        return seconds / unit.getValue() + unit.getKey();
      }
    }
    return seconds + "s";
  }

  private static Table table() {
    return new Table()
        .left("NAME", "EVERY", "NEXT")
        .right("RUNS")
        .left("LAST TASK", "PROBLEM")
        .none("no timers");
  }

  private static String when(Map<String, Object> timer) {
    String window = ServiceText.text(timer, "window");
    return every(ServiceText.number(timer, "interval")) + (window.isEmpty() ? "" : " in " + window);
  }

  private static String next(Map<String, Object> timer) {
    String next = ServiceText.time(timer, "next");
    boolean isPaused = Boolean.TRUE.equals(timer.get("paused"));
    return next.isEmpty() ? "ended" : isPaused ? "paused" : next;
  }

  private static List<String> cells(Map<String, Object> timer) {
    return List.of(
        ServiceText.text(timer, "name"),
        when(timer),
        next(timer),
        Long.toString(ServiceText.number(timer, "runs")),
        ServiceText.text(timer, "last_task"),
        ServiceText.text(timer, "message"));
  }

  private static Command list(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "list", ALL);
    ServiceLine.none(operands);
    return ServiceLine.asking(
        line, "GET", "timers", null, ServiceOutput.rows(table(), "timers", TimerCommand::cells));
  }

  private static String path(List<String> operands) throws UsageException {
    return "timers/" + RestClient.part(ServiceLine.one(operands, "timer"));
  }

  private static Command show(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "show", ALL);
    return ServiceLine.asking(
        line, "GET", path(operands), null, (timer, screen) -> details(timer).forEach(screen::line));
  }

  private static List<String> details(Map<String, Object> timer) {
    List<String> lines = new ArrayList<>();
    lines.add("Timer:     " + ServiceText.text(timer, "name"));
    lines.add("Every:     " + when(timer));
    lines.add("Next:      " + next(timer));
    ServiceText.addIfThere(lines, "Until:     ", ServiceText.time(timer, "end"));
    lines.add("Runs:      " + ServiceText.number(timer, "runs"));
    ServiceText.addIfThere(lines, "Last task: ", ServiceText.text(timer, "last_task"));
    ServiceText.addIfThere(lines, "Problem:   ", ServiceText.text(timer, "message"));
    lines.addAll(ServiceText.work(ServiceText.object(timer.get("task"))));
    return lines;
  }

  private static Command remove(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "remove", ALL);
    String name = operands.isEmpty() ? "" : operands.get(0);
    return ServiceLine.asking(
        line, "DELETE", path(operands), null, (answer, screen) -> screen.line("removed " + name));
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt timer", "Manages recurring tasks of the transfer service.%n");
    Options.value(spec, "TIME", "create: time between runs, as 90m, 12h or 7d.", INTERVAL);
    Options.value(
        spec,
        "WHEN",
        "create: first run, as 90m or 7d from now, or 2027-01-31T01:30:00Z (default: now).",
        START);
    Options.value(spec, "WHEN", "create: no run after this time.", END);
    Options.value(
        spec,
        "HOURS",
        "create: hours of each day, as 22:00-06:00, by the clock of the service; runs outside"
            + " move to their next start.",
        WINDOW);
    Options.flag(spec, "create: remove the paths instead of transferring them.", KIND_DELETE);
    TaskBody.addOfTimer(spec);
    ServiceOutput.add(spec);
    Options.general(spec);
    Options.words(spec, List.of("create", "list", "show", "pause", "resume", "remove"));
    spec.usageMessage()
        .customSynopsis(
            "fdt timer create NAME --interval TIME [--window HOURS] [--start WHEN]",
            "                 [--end WHEN] [-r] SRC_ENDPOINT:PATH...",
            "                 DST_ENDPOINT:PATH",
            "       fdt timer list",
            "       fdt timer show|pause|resume|remove NAME")
        .footer("", "A run is skipped while the last task still runs.");
    return spec;
  }
}
