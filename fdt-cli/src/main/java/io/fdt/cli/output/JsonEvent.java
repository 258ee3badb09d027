package io.fdt.cli.output;

import io.fdt.core.model.PathText;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * One JSON object on one line, as docs/json-events.schema.json describes it. Not thread-safe.
 *
 * <p>JSON is text and a path is bytes. Where they are UTF-8, {@code path} is the path itself.
 * Otherwise {@code path} is for people, with \xNN for each byte that is no text, and {@code
 * path_bytes} has the bytes in base64.
 */
final class JsonEvent {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final StringWriter text = new StringWriter(200);
  private final JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text);

  /** An event of this kind that happens now. */
  JsonEvent(String kind) {
    json.writeStartObject();
    json.writeStringProperty("event", kind);
    json.writeStringProperty("time", Instant.now().toString());
  }

  JsonEvent with(String name, String value) {
    json.writeStringProperty(name, value);
    return this;
  }

  JsonEvent with(String name, long value) {
    json.writeNumberProperty(name, value);
    return this;
  }

  JsonEvent with(String name, boolean value) {
    json.writeBooleanProperty(name, value);
    return this;
  }

  JsonEvent with(String name, double value) {
    json.writeNumberProperty(name, value);
    return this;
  }

  /** A length of time, in seconds to the millisecond. */
  JsonEvent with(String name, Duration value) {
    json.writeNumberProperty(name, value.toMillis() / 1000.0);
    return this;
  }

  /** A part of a whole, 0 to 1 and more, in thousandths. */
  JsonEvent withShare(String name, double value) {
    json.writeNumberProperty(name, Math.round(value * 1000) / 1000.0);
    return this;
  }

  /**
   * A path.
   *
   * @param escaped as {@link PathText#escape} writes it
   */
  JsonEvent withPath(String escaped) {
    writePath(escaped);
    return this;
  }

  /** Another path, as an object. */
  JsonEvent withPath(String name, String escaped) {
    json.writeObjectPropertyStart(name);
    writePath(escaped);
    json.writeEndObject();
    return this;
  }

  /** Paths, each as an object. */
  JsonEvent withPaths(String name, List<String> escaped) {
    json.writeArrayPropertyStart(name);
    for (String path : escaped) {
      json.writeStartObject();
      writePath(path);
      json.writeEndObject();
    }
    json.writeEndArray();
    return this;
  }

  /** Texts, as an array. */
  JsonEvent withTexts(String name, List<String> texts) {
    json.writeArrayPropertyStart(name);
    texts.forEach(json::writeString);
    json.writeEndArray();
    return this;
  }

  /** Texts by their names, as an object. */
  JsonEvent withTexts(String name, Map<String, String> texts) {
    json.writeObjectPropertyStart(name);
    texts.forEach(json::writeStringProperty);
    json.writeEndObject();
    return this;
  }

  /**
   * An object.
   *
   * @param fields adds its fields to this event
   */
  JsonEvent withObject(String name, Runnable fields) {
    json.writeObjectPropertyStart(name);
    fields.run();
    json.writeEndObject();
    return this;
  }

  /**
   * Objects, as an array.
   *
   * @param fields adds the fields of one to this event
   */
  <T> JsonEvent withObjects(String name, List<T> all, Consumer<T> fields) {
    json.writeArrayPropertyStart(name);
    for (T one : all) {
      json.writeStartObject();
      fields.accept(one);
      json.writeEndObject();
    }
    json.writeEndArray();
    return this;
  }

  private void writePath(String escaped) {
    if (escaped.indexOf('\\') < 0) {
      json.writeStringProperty("path", escaped);
      return;
    }
    byte[] bytes = PathText.unescape(escaped);
    try {
      json.writeStringProperty(
          "path", StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      json.writeStringProperty("path", escaped);
      json.writeStringProperty("path_bytes", Base64.getEncoder().encodeToString(bytes));
    }
  }

  /** The whole object. To be called once, at the end. */
  String line() {
    json.writeEndObject();
    json.close();
    return text.toString();
  }
}
