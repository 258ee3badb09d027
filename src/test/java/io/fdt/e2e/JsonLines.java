package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the command tells programs, each object checked against the documented schema. */
public final class JsonLines {
  private static final Path JAR =
      Path.of(System.getProperty("fdt.jar")).toAbsolutePath().normalize();
  private static final Path PROJECT = JAR.getParent().getParent().getParent();
  private static final String TEXT = read(PROJECT.resolve("docs/json-events.schema.json"));

  /** Of one line of standard output. */
  public static final Schema EVENT = schema(TEXT);

  /** Of one line of what shows and changes files of a server. */
  public static final Schema FILES = schema(read(PROJECT.resolve("docs/json-files.schema.json")));

  /** Of one line of the commands that neither copy nor look at files. */
  public static final Schema COMMANDS =
      schema(read(PROJECT.resolve("docs/json-commands.schema.json")));

  /** Of one line of what a doctor finds. */
  public static final Schema DOCTOR = schema(read(PROJECT.resolve("docs/json-doctor.schema.json")));

  /** Of a report. */
  public static final Schema REPORT =
      schema(TEXT.replaceFirst("\"oneOf\": \\[[^]]*]", "\"\\$ref\": \"#/\\$defs/report\""));

  private static final JsonMapper MAPPER = new JsonMapper();

  private JsonLines() {}

  private static Schema schema(String text) {
    return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(text);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The events of a run: from first to last as the schema says. */
  public static List<JsonNode> events(Outcome outcome) {
    return lines(EVENT, outcome);
  }

  /** The lines of a run: from first to last as a schema says. */
  public static List<JsonNode> lines(Schema schema, Outcome outcome) {
    List<JsonNode> events = outcome.out().lines().map(line -> valid(schema, line)).toList();
    assertThat(of(events, "summary")).as("%s", outcome).hasSize(1);
    JsonNode last = events.get(events.size() - 1);
    assertThat(last.get("event").asString()).isEqualTo("summary");
    assertThat(last.get("exit_status").asInt()).isEqualTo(outcome.status());
    return events;
  }

  /** A report, which is as the schema says. */
  public static JsonNode report(Path file) {
    return valid(REPORT, read(file));
  }

  public static JsonNode valid(Schema schema, String text) {
    assertThat(schema.validate(text, InputFormat.JSON)).as("%s", text).isEmpty();
    return MAPPER.readTree(text);
  }

  /** The events of one kind. */
  public static List<JsonNode> of(List<JsonNode> events, String kind) {
    return events.stream().filter(e -> e.get("event").asString().equals(kind)).toList();
  }

  /** "fate path" of each file, sorted; paths as bytes, in ISO 8859-1. */
  public static List<String> outcomes(Iterable<JsonNode> files) {
    return StreamSupport.stream(files.spliterator(), false)
        .map(file -> file.get("fate").asString() + " " + path(file))
        .sorted()
        .toList();
  }

  private static String path(JsonNode file) {
    byte[] bytes =
        file.has("path_bytes")
            ? Base64.getDecoder().decode(file.get("path_bytes").asString())
            : file.get("path").asString().getBytes(StandardCharsets.UTF_8);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
