package io.fdt.json;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON as maps, lists, strings, longs, doubles, booleans and null. There is no data binding: code
 * reads each field by name. Stateless; any thread.
 */
public final class Json {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(32).build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private Json() {}

  /**
   * Reads one value.
   *
   * @throws JsonException the text is not exactly one value, repeats a name within an object, or is
   *     nested deeper than 32
   */
  public static Object parse(String text) throws JsonException {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      parser.nextToken();
      Object value = value(parser);
      if (parser.nextToken() != null) {
        throw new JsonException("more than one JSON value");
      }
      return value;
    } catch (JacksonException e) {
      String first = e.getOriginalMessage().lines().findFirst().orElse("");
      throw new JsonException("not JSON: " + first, e);
    }
  }

  /**
   * Reads one object.
   *
   * @throws JsonException as {@link #parse}, or another value
   */
  public static Map<String, Object> parseObject(String text) throws JsonException {
    if (!(parse(text) instanceof Map<?, ?> map)) {
      throw new JsonException("a JSON object is needed");
    }
    Map<String, Object> object = new LinkedHashMap<>();
    map.forEach((name, value) -> object.put((String) name, value));
    return object;
  }

  private static Object value(JsonParser parser) throws JsonException {
    JsonToken token = parser.currentToken();
    if (token == null) {
      throw new JsonException("the JSON ends too early");
    }
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> finite(parser.getDoubleValue());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new JsonException("unexpected " + token);
    };
  }

  private static double finite(double number) throws JsonException {
    if (Double.isInfinite(number)) {
      throw new JsonException("not JSON: a number is out of range");
    }
    return number;
  }

  private static Map<String, Object> object(JsonParser parser) throws JsonException {
    Map<String, Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, value(parser));
    }
    return object;
  }

  private static List<Object> array(JsonParser parser) throws JsonException {
    List<Object> array = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser));
    }
    return array;
  }

  /**
   * The text of a value, on one line.
   *
   * @param value a result of {@link #parse}, or any {@code Collection} or {@code Number}; other
   *     values, such as paths, are written as strings
   */
  public static String text(Object value) {
    StringWriter out = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
      write(value, generator);
    }
    return out.toString();
  }

  /** Whether a long has the same value. */
  private static boolean isLong(double number) {
    return number == Math.rint(number) && Math.abs(number) < 0x1p63;
  }

  private static void write(Object value, JsonGenerator out) {
    if (value == null) {
      out.writeNull();
    } else if (value instanceof Map<?, ?> object) {
      out.writeStartObject();
      for (Map.Entry<?, ?> member : object.entrySet()) {
        out.writeName(String.valueOf(member.getKey()));
        write(member.getValue(), out);
      }
      out.writeEndObject();
    } else if (value instanceof Collection<?> array) {
      out.writeStartArray();
      for (Object element : array) {
        write(element, out);
      }
      out.writeEndArray();
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value instanceof Double number && !isLong(number)) {
      out.writeNumber(number);
    } else if (value instanceof Number number) {
      out.writeNumber(number.longValue()); // 3, and not 3.0: queries count in doubles
    } else {
      out.writeString(value.toString());
    }
  }
}
