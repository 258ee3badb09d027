package io.fdt.cli.service;

import io.fdt.cli.command.Invocation;
import io.fdt.cli.option.OptionValue;
import io.fdt.cli.option.Options;
import io.fdt.cli.option.ParsedLine;
import io.fdt.cli.option.Surroundings;
import io.fdt.cli.option.UsageException;
import io.fdt.core.unit.BitRate;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of {@code fdt task}. Reads the clock. */
public final class TaskCommand {
  private static final String RECURSIVE = "-r";
  private static final String SYNC = "--sync";
  private static final String DELETE = "--delete";
  private static final String VERIFY = "--verify";
  private static final String FSYNC = "--fsync";
  private static final String CHECKSUM = "--checksum";
  private static final String STREAMS = "-P";
  private static final String ENCRYPT = "--encrypt";
  private static final String SUBMISSION = "--submission-id";
  private static final String LABEL = "--label";
  private static final String DEADLINE = "--deadline";
  private static final String PRIORITY = "--priority";
  private static final String LIMIT = "--limit";
  private static final String STATE = "--state";
  private static final String MOST = "--most";
  private static final String TIMEOUT = "--timeout";
  private static final String TIMEOUT_STATUS = "--timeout-exit-code";
  private static final String HEARTBEAT = "--heartbeat";

  private static final String[] OF_SUBMIT = {
    RECURSIVE,
    SYNC,
    DELETE,
    VERIFY,
    FSYNC,
    CHECKSUM,
    STREAMS,
    ENCRYPT,
    SUBMISSION,
    LABEL,
    DEADLINE,
    PRIORITY,
    LIMIT
  };
  private static final String[] OF_MODIFY = {LABEL, DEADLINE, PRIORITY, LIMIT};
  private static final String[] OF_WAIT = {TIMEOUT, TIMEOUT_STATUS, HEARTBEAT};

  private static final List<String> ALL =
      Stream.of(OF_SUBMIT, OF_WAIT, new String[] {STATE, MOST}).flatMap(Stream::of).toList();

  private TaskCommand() {}

  /** Reads a command line. */
  public static Invocation parse(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    Clock clock = surroundings.clock();
    Map<String, ServiceLine.Word> words = new HashMap<>();
    words.put("submit", (line, operands) -> submit(line, operands, "transfer", clock));
    words.put("delete", (line, operands) -> submit(line, operands, "delete", clock));
    words.put("list", TaskCommand::list);
    words.put("status", (line, operands) -> look(line, operands, "status"));
    words.put("show", (line, operands) -> look(line, operands, "show"));
    words.put("details", (line, operands) -> look(line, operands, "details"));
    words.put("events", TaskCommand::events);
    words.put("wait", TaskCommand::waiting);
    words.put("modify", (line, operands) -> modify(line, operands, clock));
    for (String change : List.of("cancel", "pause", "resume")) {
      words.put(change, (line, operands) -> change(line, operands, change));
    }
    return ServiceLine.parse(spec(), arguments, words);
  }

  private static ServiceRequest submit(
      ParsedLine line, List<String> operands, String kind, Clock clock) throws UsageException {
    boolean isTransfer = kind.equals("transfer");
    ServiceLine.only(line, kind.equals("transfer") ? "submit" : kind, ALL, OF_SUBMIT);
    if (operands.size() < (isTransfer ? 2 : 1)) {
      throw new UsageException(
          isTransfer
              ? "write: task submit SRC_ENDPOINT:PATH... DST_ENDPOINT:PATH"
              : "write: task delete ENDPOINT:PATH...");
    }
    List<ServiceLine.Place> places = new ArrayList<>();
    for (String operand : operands) {
      places.add(ServiceLine.Place.parse(operand));
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("kind", kind);
    if (isTransfer) {
      ServiceLine.Place destination = places.remove(places.size() - 1);
      body.put("destination_endpoint", destination.endpoint());
      body.put("destination_path", destination.path());
    }
    String source = places.get(0).endpoint();
    for (ServiceLine.Place place : places) {
      if (!place.endpoint().equals(source)) {
        throw new UsageException("all sources of a task are at one endpoint");
      }
    }
    body.put("source_endpoint", source);
    body.put("source_paths", places.stream().map(ServiceLine.Place::path).toList());
    body.put("options", options(line));
    line.value(SUBMISSION).ifPresent(id -> body.put("submission_id", id));
    body.putAll(wish(line, clock));
    return ServiceLine.asking(
        line,
        "POST",
        "tasks",
        body,
        (answer, context) -> context.screen().line(ServiceText.text(answer, "task_id")));
  }

  private static Map<String, Object> options(ParsedLine line) throws UsageException {
    Map<String, Object> options = new LinkedHashMap<>();
    for (Map.Entry<String, String> flag :
        Map.of(
                RECURSIVE,
                "recursive",
                DELETE,
                "delete",
                VERIFY,
                "verify",
                FSYNC,
                "fsync",
                ENCRYPT,
                "encrypt")
            .entrySet()) {
      if (line.has(flag.getKey())) {
        options.put(flag.getValue(), true);
      }
    }
    line.value(SYNC).ifPresent(level -> options.put("sync", level));
    line.value(CHECKSUM).ifPresent(name -> options.put("checksum", name));
    if (line.has(STREAMS)) {
      options.put("streams", (long) ServiceLine.count(line, STREAMS, 1, 128, 0));
    }
    return options;
  }

  /** What may be changed while a task runs. */
  private static Map<String, Object> wish(ParsedLine line, Clock clock) throws UsageException {
    Map<String, Object> wish = new LinkedHashMap<>();
    line.value(LABEL).ifPresent(label -> wish.put("label", label));
    Optional<String> deadline = line.value(DEADLINE);
    if (deadline.isPresent()) {
      wish.put("deadline", deadline(deadline.get(), clock.instant()));
    }
    Optional<String> priority = line.value(PRIORITY);
    if (priority.isPresent()) {
      if (!priority.get().matches("-?[0-9]{1,3}")) {
        throw new UsageException(
            PRIORITY + ": '" + priority.get() + "' is not a number from -100 to 100");
      }
      wish.put("priority", Long.parseLong(priority.get()));
    }
    Optional<String> limit = line.value(LIMIT);
    if (limit.isPresent()) {
      try {
        boolean isOff = limit.get().equals("off");
        wish.put("limit", isOff ? 0L : BitRate.parse(limit.get()).bytesPerSecond());
      } catch (IllegalArgumentException e) {
        throw new UsageException(LIMIT + ": " + e.getMessage());
      }
    }
    return wish;
  }

  private static String deadline(String text, Instant now) throws UsageException {
    if (text.matches("[0-9]+[smhdw]?")) {
      return now.truncatedTo(ChronoUnit.SECONDS)
          .plus(OptionValue.duration(DEADLINE, text))
          .toString();
    }
    try {
      return Instant.parse(text).toString();
    } catch (DateTimeException e) {
      throw new UsageException(
          DEADLINE + ": '" + text + "': write for example 90m, 12h, 7d or 2027-01-31T12:00:00Z");
    }
  }

  private static ServiceRequest list(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "list", ALL, STATE, MOST);
    ServiceLine.none(operands);
    boolean json = ServiceLine.wantsJson(line);
    int most = ServiceLine.count(line, MOST, 1, 1_000_000, 50);
    String path =
        "tasks" + line.value(STATE).map(state -> "?state=" + RestClient.part(state)).orElse("");
    return context -> {
      ServiceLine.pages(
          RestClient.open(context),
          path,
          most,
          json,
          (page, shown) ->
              ServiceText.list(page, "tasks")
                  .forEach(task -> shown.screen().line(ServiceText.line(task))),
          context);
      return 0;
    };
  }

  private static String path(List<String> operands) throws UsageException {
    return "tasks/" + RestClient.part(ServiceLine.one(operands, "task id"));
  }

  private static ServiceRequest look(ParsedLine line, List<String> operands, String word)
      throws UsageException {
    ServiceLine.only(line, word, ALL);
    return ServiceLine.asking(
        line,
        "GET",
        path(operands),
        null,
        (task, context) -> {
          List<String> lines =
              word.equals("status") ? ServiceText.status(task) : ServiceText.details(task);
          lines.forEach(context.screen()::line);
        });
  }

  private static ServiceRequest events(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "events", ALL, MOST);
    String path = path(operands) + "/events";
    boolean json = ServiceLine.wantsJson(line);
    int most = ServiceLine.count(line, MOST, 1, 1_000_000, 1000);
    return context -> {
      ServiceLine.pages(
          RestClient.open(context),
          path,
          most,
          json,
          (page, shown) ->
              ServiceText.list(page, "events")
                  .forEach(
                      event ->
                          shown
                              .screen()
                              .line(
                                  "%-24s  %-11s  %s"
                                      .formatted(
                                          ServiceText.text(event, "time"),
                                          ServiceText.text(event, "code"),
                                          ServiceText.text(event, "detail")))),
          context);
      return 0;
    };
  }

  private static ServiceRequest waiting(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "wait", ALL, OF_WAIT);
    String path = path(operands);
    int seconds = ServiceLine.count(line, TIMEOUT, 1, 999_999_999, 0);
    int late = ServiceLine.count(line, TIMEOUT_STATUS, 0, 99, 1);
    if (late > 1 && late < 50) {
      throw new UsageException(TIMEOUT_STATUS + " must be 0, 1 or 50 to 99");
    }
    return new TaskWait(path, seconds, late, line.has(HEARTBEAT), ServiceLine.wantsJson(line));
  }

  private static ServiceRequest change(ParsedLine line, List<String> operands, String word)
      throws UsageException {
    ServiceLine.only(line, word, ALL);
    return ServiceLine.asking(
        line,
        "POST",
        path(operands) + "/" + word,
        null,
        (task, context) -> context.screen().line(ServiceText.line(task)));
  }

  private static ServiceRequest modify(ParsedLine line, List<String> operands, Clock clock)
      throws UsageException {
    ServiceLine.only(line, "modify", ALL, OF_MODIFY);
    String path = path(operands);
    Map<String, Object> wish = wish(line, clock);
    if (wish.isEmpty()) {
      throw new UsageException("nothing to modify: " + String.join(", ", OF_MODIFY));
    }
    boolean json = ServiceLine.wantsJson(line);
    return context -> {
      RestClient client = RestClient.open(context);
      RestClient.Answer answer = client.send("PATCH", path, wish, "*");
      if (!answer.isGood()) {
        throw answer.refusal();
      }
      ServiceLine.show(
          answer,
          json,
          (task, shown) -> ServiceText.details(task).forEach(shown.screen()::line),
          context);
      return 0;
    };
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt task", "Submits tasks to the transfer service, and looks at them.%n");
    Options.flag(spec, "submit, delete: directories with their contents.", RECURSIVE);
    Options.value(spec, "LEVEL", "submit: exists, size, mtime (default) or checksum.", SYNC);
    Options.flag(spec, "submit: remove what the source lacks.", DELETE);
    Options.flag(spec, "submit: read each file back from its device.", VERIFY);
    Options.flag(spec, "submit: force each file to its device.", FSYNC);
    Options.value(spec, "NAME", "submit: crc32c, xxh3, blake3, sha256 or none.", CHECKSUM);
    Options.value(spec, "N", "submit: parallel data connections, 1 to 128.", STREAMS);
    Options.flag(spec, "submit: encrypt data.", ENCRYPT);
    Options.value(
        spec, "ID", "submit: the same ID gives the same task, however often.", SUBMISSION);
    Options.value(spec, "TEXT", "submit, modify: a text for people.", LABEL);
    Options.value(
        spec,
        "WHEN",
        "submit, modify: give up after 90m, 12h or 7d, or at a time (default: 3d).",
        DEADLINE);
    Options.value(
        spec, "N", "submit, modify: -100 to 100; higher ones of yours go first.", PRIORITY);
    Options.value(spec, "RATE", "submit, modify: upper bound, as 500Mbit/s, or off.", LIMIT);
    Options.value(spec, "STATE", "list: of this state only.", STATE);
    Options.value(spec, "N", "list, events: at most so many (default 50 and 1000).", MOST);
    Options.value(spec, "N", "wait: seconds (default: without end).", TIMEOUT);
    Options.value(
        spec, "N", "wait: exit status after that time: 0, 1 (default), 50 to 99.", TIMEOUT_STATUS);
    Options.flag(spec, "wait: print a dot to standard error every second.", HEARTBEAT);
    ServiceLine.format(spec);
    Options.general(spec);
    Options.operands(
        spec,
        List.of(
            "submit", "delete", "list", "show", "status", "details", "events", "wait", "cancel",
            "pause", "resume", "modify"),
        "WORD ...",
        "What to do.");
    spec.usageMessage()
        .customSynopsis(
            "fdt task submit [-r] SRC_ENDPOINT:PATH... DST_ENDPOINT:PATH",
            "       fdt task delete [-r] ENDPOINT:PATH...",
            "       fdt task list [--state STATE]",
            "       fdt task status|show|details|events|wait|cancel|pause|resume ID",
            "       fdt task modify ID [--label TEXT] [--deadline WHEN] [--priority N]",
            "                       [--limit RATE]")
        .footer(
            "",
            "wait ends with 0 when the task has succeeded, and with 1 when it has not.",
            "",
            "Example:",
            "  id=$(fdt task submit -r storage1:/data storage2:/in) && fdt task wait $id");
    return spec;
  }
}
