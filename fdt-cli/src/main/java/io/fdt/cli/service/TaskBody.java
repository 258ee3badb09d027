package io.fdt.cli.service;

import io.fdt.cli.option.OptionValue;
import io.fdt.cli.option.Options;
import io.fdt.cli.option.ParsedLine;
import io.fdt.cli.option.UsageException;
import io.fdt.core.unit.BitRate;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options that describe a task, and the fields that the service wants for it. Pure. */
final class TaskBody {
  static final String RECURSIVE = "-r";
  static final String SYNC = "--sync";
  static final String DELETE = "--delete";
  static final String VERIFY = "--verify";
  static final String FSYNC = "--fsync";
  static final String CHECKSUM = "--checksum";
  static final String STREAMS = "-P";
  static final String ENCRYPT = "--encrypt";
  static final String SUBMISSION = "--submission-id";
  static final String LABEL = "--label";
  static final String DEADLINE = "--deadline";
  static final String PRIORITY = "--priority";
  static final String LIMIT = "--limit";

  /** All of them. */
  static final String[] ALL = {
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

  private TaskBody() {}

  /** Adds them to a command line. */
  static void add(CommandSpec spec) {
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
    body.put("options", options(line));
    line.value(SUBMISSION).ifPresent(id -> body.put("submission_id", id));
    body.putAll(wish(line, clock));
    return body;
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

  /** A time: from now, or as it is written. */
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
