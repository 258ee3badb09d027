package io.fdt.cli.service;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.RequestOptions;
import io.fdt.client.TransferRequest;
import io.fdt.core.spec.TransferOptions;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.RateSchedule;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The options that describe a task, and its fields in the REST interface. Pure. */
final class TaskBody {
  static final String ENCRYPT = "--encrypt";
  static final String SUBMISSION = "--submission-id";
  static final String LABEL = "--label";
  static final String DEADLINE = "--deadline";
  static final String PRIORITY = "--priority";
  static final String LIMIT = "--limit";

  /** Options of a task besides those of a copy. */
  private static final List<String> OF_TASK =
      List.of(SUBMISSION, LABEL, DEADLINE, PRIORITY, LIMIT, ENCRYPT, Options.RECURSIVE);

  /** All options, with those of {@code fdt copy} between two servers. */
  static final String[] ALL = all();

  /** Options of a task that removes files. */
  static final String[] OF_DELETE = {SUBMISSION, LABEL, DEADLINE, PRIORITY, Options.RECURSIVE};

  private TaskBody() {}

  private static String[] all() {
    CommandSpec spec = CommandSpec.create();
    addCopy(spec);
    return Stream.concat(spec.options().stream().map(option -> option.names()[0]), OF_TASK.stream())
        .distinct()
        .toArray(String[]::new);
  }

  /** The options of a copy between two servers, as in {@code fdt copy}. */
  private static void addCopy(CommandSpec spec) {
    Options.transfer(spec, TransferOptions.ALL);
  }

  /** Adds the options to a command that submits a task. */
  static void add(CommandSpec spec) {
    add(spec, "submit: ", "submit, modify: ", "a label.");
    Options.value(spec, "ID", "submit: a repeated ID returns the same task.", SUBMISSION);
    Options.value(
        spec,
        "WHEN",
        "submit, modify: give up after 90m, 12h or 7d, or at a time (default: 3d).",
        DEADLINE);
  }

  /** Adds the options that all tasks of a timer share. */
  static void addOfTimer(CommandSpec spec) {
    add(spec, "create: ", "create: ", "a label (default: the timer's name).");
  }

  private static void add(CommandSpec spec, String submit, String modify, String label) {
    addCopy(spec);
    Options.flag(spec, submit + "encrypt data.", ENCRYPT);
    Options.value(spec, "TEXT", modify + label, LABEL);
    Options.value(
        spec, "N", modify + "-100 to 100; your tasks of higher priority run first.", PRIORITY);
  }

  /**
   * The fields of a submission.
   *
   * @param operands ENDPOINT:PATH each; the last one of a transfer is its destination
   */
  static Map<String, Object> of(
      ParsedLine line, List<String> operands, boolean isTransfer, Clock clock)
      throws UsageException {
    List<ServiceLine.Place> places = new ArrayList<>();
    for (String operand : operands) {
      places.add(ServiceLine.Place.parse(operand));
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("kind", isTransfer ? "transfer" : "delete");
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
    body.put("options", isTransfer ? options(line, places, clock) : removal(line));
    line.value(SUBMISSION).ifPresent(id -> body.put("submission_id", id));
    body.putAll(wish(line, clock));
    return body;
  }

  private static Map<String, Object> removal(ParsedLine line) {
    return Map.of("recursive", line.has(Options.RECURSIVE));
  }

  /** The options of a copy, encoded as a transfer specification. */
  private static Map<String, Object> options(
      ParsedLine line, List<ServiceLine.Place> places, Clock clock) throws UsageException {
    TransferRequest.Builder request = TransferRequest.between().destination("/");
    places.forEach(place -> request.source("/"));
    RequestOptions.apply(line, clock.instant(), request);
    if (plainLimit(line).isPresent()) {
      request.rateLimit(RateSchedule.NONE); // the task has it, and may change it
    }
    try {
      byte[] spec = TransferSpecCoding.toBytes(request.build().spec());
      Map<String, Object> options = new LinkedHashMap<>();
      options.put("spec", Base64.getEncoder().encodeToString(spec));
      options.put("encrypt", line.has(ENCRYPT));
      return options;
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /** Whether the limit depends on the time of day. */
  static boolean hasSchedule(ParsedLine line) {
    return line.value(LIMIT).filter(text -> text.contains("=")).isPresent();
  }

  /** The limit in bytes per second, 0 for none, unless it is a schedule. */
  private static Optional<Long> plainLimit(ParsedLine line) {
    Optional<String> limit = hasSchedule(line) ? Optional.empty() : line.value(LIMIT);
    return limit.map(text -> text.equals("off") ? 0L : BitRate.parse(text).bytesPerSecond());
  }

  /** The settings that can change while a task runs. */
  static Map<String, Object> wish(ParsedLine line, Clock clock) throws UsageException {
    Map<String, Object> wish = new LinkedHashMap<>();
    line.value(LABEL).ifPresent(label -> wish.put("label", label));
    Optional<String> deadline = line.value(DEADLINE);
    if (deadline.isPresent()) {
      wish.put("deadline", time(DEADLINE, deadline.get(), clock.instant()));
    }
    Optional<String> priority = line.value(PRIORITY);
    if (priority.isPresent()) {
      if (!priority.get().matches("-?[0-9]{1,3}")) {
        throw new UsageException(
            PRIORITY + ": '" + priority.get() + "' is not a number from -100 to 100");
      }
      wish.put("priority", Long.parseLong(priority.get()));
    }
    try {
      plainLimit(line).ifPresent(limit -> wish.put("limit", limit));
    } catch (IllegalArgumentException e) {
      throw new UsageException(line.typed(LIMIT) + ": " + e.getMessage());
    }
    return wish;
  }

  /** A time: a duration from now, or an absolute time as it is. */
  static String time(String option, String text, Instant now) throws UsageException {
    if (text.matches("[0-9]+[smhdw]?")) {
      return now.truncatedTo(ChronoUnit.SECONDS)
          .plus(OptionValue.duration(option, text))
          .toString();
    }
    try {
      return Instant.parse(text).toString();
    } catch (DateTimeException e) {
      throw new UsageException(
          option + ": '" + text + "': write for example 90m, 12h, 7d or 2027-01-31T12:00:00Z");
    }
  }
}
