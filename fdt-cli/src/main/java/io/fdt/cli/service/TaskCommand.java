package io.fdt.cli.service;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Table;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.core.error.FdtException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of {@code fdt task}. Reads the clock. */
public final class TaskCommand {
  private static final String STATE = "--state";
  private static final String MOST = "--most";
  private static final String TIMEOUT = "--timeout";
  private static final String TIMEOUT_STATUS = "--timeout-exit-code";
  private static final String HEARTBEAT = "--heartbeat";

  private static final String[] OF_MODIFY = {
    TaskBody.LABEL, TaskBody.DEADLINE, TaskBody.PRIORITY, TaskBody.LIMIT
  };
  private static final String[] OF_WAIT = {TIMEOUT, TIMEOUT_STATUS, HEARTBEAT};

  private static final List<String> ALL =
      Stream.of(TaskBody.ALL, OF_WAIT, new String[] {STATE, MOST}).flatMap(Stream::of).toList();

  private TaskCommand() {}

  /** Reads a command line. */
  public static Invocation parse(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    Clock clock = surroundings.clock();
    Map<String, ServiceLine.Word> words = new HashMap<>();
    words.put("submit", (line, operands) -> submit(line, operands, "transfer", clock));
    words.put("delete", (line, operands) -> submit(line, operands, "delete", clock));
    words.put("list", (line, operands) -> list(line, operands, clock));
    words.put("status", TaskCommand::status);
    words.put("show", TaskCommand::show);
    words.put("events", TaskCommand::events);
    words.put("wait", TaskCommand::waiting);
    words.put("modify", (line, operands) -> modify(line, operands, clock));
    for (String change : List.of("cancel", "pause", "resume")) {
      words.put(
          change,
          (line, operands) ->
              ServiceLine.change(
                  line,
                  change,
                  ALL,
                  path(operands),
                  ServiceOutput.row(
                      ServiceText.tasks(), task -> ServiceText.task(task, clock.instant()))));
    }
    return ServiceLine.parse(spec(), arguments, words);
  }

  private static Command submit(ParsedLine line, List<String> operands, String kind, Clock clock)
      throws UsageException {
    boolean isTransfer = kind.equals("transfer");
    ServiceLine.only(
        line, isTransfer ? "submit" : kind, ALL, isTransfer ? TaskBody.ALL : TaskBody.OF_DELETE);
    if (operands.size() < (isTransfer ? 2 : 1)) {
      throw new UsageException(
          isTransfer
              ? "write: task submit SRC_ENDPOINT:PATH... DST_ENDPOINT:PATH"
              : "write: task delete ENDPOINT:PATH...");
    }
    Map<String, Object> body = TaskBody.of(line, operands, isTransfer, clock);
    return ServiceLine.asking(
        line,
        "POST",
        "tasks",
        body,
        (answer, screen) -> screen.line(ServiceText.text(answer, "task_id")));
  }

  private static Command list(ParsedLine line, List<String> operands, Clock clock)
      throws UsageException {
    ServiceLine.only(line, "list", ALL, STATE, MOST);
    ServiceLine.none(operands);
    ServiceOutput output = ServiceOutput.of(line);
    int most = OptionValue.count(line, MOST, 1, 1_000_000, 50);
    String path =
        "tasks" + line.value(STATE).map(state -> "?state=" + RestClient.part(state)).orElse("");
    return context -> {
      ServiceLine.pages(
          RestClient.open(context),
          path,
          most,
          output,
          ServiceOutput.rows(
              ServiceText.tasks().none("no tasks"),
              "tasks",
              task -> ServiceText.task(task, clock.instant())),
          context.screen());
      return 0;
    };
  }

  private static String path(List<String> operands) throws UsageException {
    return "tasks/" + RestClient.part(ServiceLine.one(operands, "task id"));
  }

  private static Command status(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "status", ALL);
    return ServiceLine.asking(
        line,
        "GET",
        path(operands),
        null,
        (task, screen) -> ServiceText.status(task).forEach(screen::line));
  }

  private static Command show(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "show", ALL);
    String path = path(operands);
    ServiceOutput output = ServiceOutput.of(line);
    return context -> {
      RestClient client = RestClient.open(context);
      RestClient.Answer answer = client.get(path);
      String state = ServiceText.text(answer.json(), "state");
      boolean isBad = output.isText() && List.of("failed", "retrying").contains(state);
      String advice = isBad ? lastAdvice(client, path) : "";
      output.show(
          answer,
          (task, screen) -> ServiceText.details(task, advice).forEach(screen::line),
          context.screen());
      return 0;
    };
  }

  /** The advice about the last error of a task; empty for none. */
  private static String lastAdvice(RestClient client, String path)
      throws FdtException, InterruptedException {
    String advice = "";
    String cursor = "";
    do {
      Map<String, Object> page =
          client
              .get(path + "/events?limit=1000" + (cursor.isEmpty() ? "" : "&cursor=" + cursor))
              .json();
      for (Map<String, Object> event : ServiceText.list(page, "events")) {
        String own = ServiceText.text(event, "advice");
        advice = own.isEmpty() ? advice : own;
      }
      cursor = ServiceText.text(page, "next_cursor");
    } while (!cursor.isEmpty());
    return advice;
  }

  private static Command events(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "events", ALL, MOST);
    String path = path(operands) + "/events";
    ServiceOutput output = ServiceOutput.of(line);
    int most = OptionValue.count(line, MOST, 1, 1_000_000, 1000);
    return context -> {
      ServiceLine.pages(
          RestClient.open(context),
          path,
          most,
          output,
          ServiceOutput.rows(
              new Table().left("TIME", "EVENT", "DETAIL").none("no events"),
              "events",
              event ->
                  List.of(
                      ServiceText.time(event, "time"),
                      ServiceText.text(event, "code"),
                      ServiceText.text(event, "detail"))),
          context.screen());
      return 0;
    };
  }

  private static Command waiting(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "wait", ALL, OF_WAIT);
    String path = path(operands);
    int seconds = OptionValue.count(line, TIMEOUT, 1, 999_999_999, 0);
    int late = OptionValue.count(line, TIMEOUT_STATUS, 0, 99, 1);
    if (late > 1 && late < 50) {
      throw new UsageException(TIMEOUT_STATUS + " must be 0, 1 or 50 to 99");
    }
    return new TaskWait(path, seconds, late, line.has(HEARTBEAT), ServiceOutput.of(line));
  }

  private static Command modify(ParsedLine line, List<String> operands, Clock clock)
      throws UsageException {
    ServiceLine.only(line, "modify", ALL, OF_MODIFY);
    String path = path(operands);
    if (TaskBody.hasSchedule(line)) {
      throw new UsageException(
          line.typed(TaskBody.LIMIT) + ": a task takes a schedule from submit only; write a rate");
    }
    Map<String, Object> wish = TaskBody.wish(line, clock);
    if (wish.isEmpty()) {
      throw new UsageException("nothing to modify: " + String.join(", ", OF_MODIFY));
    }
    ServiceOutput output = ServiceOutput.of(line);
    return context -> {
      RestClient client = RestClient.open(context);
      RestClient.Answer answer = client.send("PATCH", path, wish, "*");
      if (!answer.isGood()) {
        throw answer.refusal();
      }
      output.show(
          answer,
          (task, screen) -> ServiceText.details(task, "").forEach(screen::line),
          context.screen());
      return 0;
    };
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt task", "Submits tasks to the transfer service, and looks at them.%n");
    TaskBody.add(spec);
    Options.value(spec, "STATE", "list: tasks in this state only.", STATE);
    Options.value(spec, "N", "list, events: most rows (default 50 and 1000).", MOST);
    Options.value(spec, "N", "wait: seconds to wait (default: until it ends).", TIMEOUT);
    Options.value(
        spec, "N", "wait: exit status after that time: 0, 1 (default), 50 to 99.", TIMEOUT_STATUS);
    Options.flag(spec, "wait: print a dot to standard error every second.", HEARTBEAT);
    ServiceOutput.add(spec);
    Options.general(spec);
    Options.words(
        spec,
        List.of(
            "submit", "delete", "list", "show", "status", "events", "wait", "cancel", "pause",
            "resume", "modify"));
    spec.usageMessage()
        .customSynopsis(
            "fdt task submit [-r] SRC_ENDPOINT:PATH... DST_ENDPOINT:PATH",
            "       fdt task delete [-r] ENDPOINT:PATH...",
            "       fdt task list [--state STATE]",
            "       fdt task status|show|events|wait|cancel|pause|resume ID",
            "       fdt task modify ID [--label TEXT] [--deadline WHEN] [--priority N]",
            "                       [--limit RATE]")
        .footer(
            "",
            "The first eight digits of an ID are enough. wait ends with 0 when the task has",
            "succeeded, and with 1 when it has not. resume also retries at once what waits",
            "for its next attempt.",
            "",
            "Example:",
            "  id=$(fdt task submit -r storage1:/data storage2:/in) && fdt task wait $id");
    return spec;
  }
}
