package io.fdt.cli.output.json;

import io.fdt.cli.output.Screen;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.Setting;
import io.fdt.core.model.LineText;
import io.fdt.core.model.PathText;
import io.fdt.json.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * One JSON object on one line, as docs/json-events.schema.json describes it. Not thread-safe.
 *
 * <p>JSON is text and a path is bytes. Where they are UTF-8, {@code path} is the path itself.
 * Otherwise {@code path} is for display, with \xNN for each byte that is not text, and {@code
 * path_bytes} has the bytes in base64.
 */
public final class JsonEvent {
  private final Map<String, Object> fields = new LinkedHashMap<>();

  /** An event of this kind at this moment. */
  public JsonEvent(String kind) {
    this();
    with("event", kind).with("time", Instant.now());
  }

  /** An object within an event. */
  JsonEvent() {}

  /** The last event of a command that follows no transfer. */
  public static void end(Screen screen, int exitStatus) {
    new JsonEvent("summary").with("exit_status", exitStatus).show(screen);
  }

  /** Adds a number, a boolean, a list or a map; any other value as text. */
  public JsonEvent with(String name, Object value) {
    fields.put(name, value);
    return this;
  }

  /** Adds a value if there is one. */
  public JsonEvent with(String name, Optional<?> value) {
    value.ifPresent(there -> with(name, there));
    return this;
  }

  /** Adds a length of time, in seconds to the millisecond. */
  public JsonEvent with(String name, Duration value) {
    return with(name, value.toMillis() / 1000.0);
  }

  /** Adds a constant, in lower case. */
  public JsonEvent with(String name, Enum<?> value) {
    return with(name, value.name().toLowerCase(Locale.ROOT));
  }

  /** Adds an object. */
  JsonEvent with(String name, JsonEvent object) {
    return with(name, object.fields);
  }

  /** Adds an object for each element of a list. */
  public <T> JsonEvent with(String name, List<T> all, Function<T, JsonEvent> object) {
    return with(name, all.stream().map(one -> object.apply(one).fields).toList());
  }

  /** Adds a fraction, 0 to 1 or more, rounded to thousandths. */
  JsonEvent withShare(String name, double value) {
    return with(name, Math.round(value * 1000) / 1000.0);
  }

  /**
   * Adds a path.
   *
   * @param escaped as {@link PathText#escape} writes it
   */
  public JsonEvent withPath(String escaped) {
    if (escaped.indexOf('\\') < 0) {
      return with("path", escaped);
    }
    byte[] bytes = PathText.unescape(escaped);
    try {
      return with("path", StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)));
    } catch (CharacterCodingException e) {
      return with("path", escaped).with("path_bytes", Base64.getEncoder().encodeToString(bytes));
    }
  }

  /** Adds another path, as an object. */
  public JsonEvent withPath(String name, String escaped) {
    return with(name, object(escaped));
  }

  /** Adds paths, each as an object. */
  JsonEvent withPaths(String name, List<String> escaped) {
    return with(name, escaped, JsonEvent::object);
  }

  /** An object with a path. */
  public static JsonEvent object(String escaped) {
    return new JsonEvent().withPath(escaped);
  }

  /** Adds a failure, and whether a retry may succeed. */
  public JsonEvent withError(ErrorCode code, String message) {
    return with("code", code.name())
        .with("retry", code.retry() == ErrorCode.Retry.LATER)
        .withMessage(message);
  }

  /** Adds a line of the library, in words of the command. */
  JsonEvent withMessage(String text) {
    return with("message", LineText.clean(Setting.asOptions(text)));
  }

  /** The object on one line. */
  public String line() {
    return Json.text(fields);
  }

  /** Prints the object. */
  public void show(Screen screen) {
    screen.text(line());
  }
}
