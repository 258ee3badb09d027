package io.fdt.plan;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * One line of JSON as maps, lists, strings, numbers (long or double) and booleans. Stateless; any
 * thread.
 */
final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  /** Deeper lines are none of ours. */
  private static final int MAX_DEPTH = 16;

  private Json() {}

  /** A line without its end. Accepts what {@link #parse} gives, and ints. */
  static String line(Map<String, ?> object) {
    StringWriter text = new StringWriter(200);
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      write(json, object);
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, Object value) {
    if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      map.forEach(
          (name, property) -> {
            json.writeName(String.valueOf(name));
            write(json, property);
          });
      json.writeEndObject();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      list.forEach(element -> write(json, element));
      json.writeEndArray();
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value instanceof Double number) {
      json.writeNumber(number);
    } else if (value instanceof Number number) {
      json.writeNumber(number.longValue());
    } else {
      json.writeString(String.valueOf(value));
    }
  }

  /**
   * The object of a line.
   *
   * @param where for the message
   * @throws FdtException IO when it is no such line
   */
  static Map<String, Object> parse(String line, String where) throws FdtException {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw damaged(where, "no JSON object", null);
      }
      Map<String, Object> object = object(json, 0, where);
      if (json.nextToken() != null) {
        throw damaged(where, "more than one JSON object", null);
      }
      return object;
    } catch (JacksonException e) {
      throw damaged(where, e.getOriginalMessage(), e);
    }
  }

  private static Map<String, Object> object(JsonParser json, int depth, String where)
      throws FdtException {
    Map<String, Object> object = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      object.put(name, value(json, depth + 1, where));
    }
    return object;
  }

  private static Object value(JsonParser json, int depth, String where) throws FdtException {
    if (depth > MAX_DEPTH) {
      throw damaged(where, "deeper than " + MAX_DEPTH, null);
    }
    return switch (json.currentToken()) {
      case START_OBJECT -> object(json, depth, where);
      case START_ARRAY -> {
        List<Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(json, depth + 1, where));
        }
        yield list;
      }
      case VALUE_NUMBER_INT -> json.getLongValue();
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_STRING -> json.getString();
      default -> throw damaged(where, "unexpected " + json.currentToken(), null);
    };
  }

  /** A string of an object. */
  static String text(Map<String, Object> object, String name, String where) throws FdtException {
    if (object.get(name) instanceof String text) {
      return text;
    }
    throw damaged(where, "'" + name + "' is missing", null);
  }

  /** A whole number of an object. */
  static long number(Map<String, Object> object, String name, String where) throws FdtException {
    if (object.get(name) instanceof Long number) {
      return number;
    }
    throw damaged(where, "'" + name + "' is missing", null);
  }

  /** A file of a plan that is not what it should be. */
  static FdtException damaged(String where, String reason, Throwable cause) {
    return new FdtException(
        ErrorCode.IO,
        where
            + " is damaged ("
            + reason
            + "): plan again in another directory; what is copied stays unchanged",
        cause);
  }
}
