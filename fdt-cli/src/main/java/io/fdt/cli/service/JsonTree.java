package io.fdt.cli.service;

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

/** JSON as maps, lists, strings, longs, doubles, booleans and null. Stateless. */
final class JsonTree {
  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonTree() {}

  /**
   * Reads an object; an empty one where the text is none.
   *
   * @param text an answer of the service, or of whatever else answers at its port
   */
  static Map<String, Object> parse(String text) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      return parser.nextToken() == JsonToken.START_OBJECT ? object(parser) : Map.of();
    } catch (JacksonException e) {
      return Map.of();
    }
  }

  private static Object value(JsonParser parser) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> {
        List<Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          array.add(value(parser));
        }
        yield array;
      }
      case VALUE_NUMBER_INT -> parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> parser.getString();
    };
  }

  private static Map<String, Object> object(JsonParser parser) {
    Map<String, Object> object = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, value(parser));
    }
    return object;
  }

  /** The text of a value, on one line. */
  static String text(Object object) {
    StringWriter out = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
      write(object, generator);
    }
    return out.toString();
  }

  private static void write(Object value, JsonGenerator out) {
    if (value instanceof Map<?, ?> object) {
      out.writeStartObject();
      for (Map.Entry<?, ?> member : object.entrySet()) {
        out.writeName((String) member.getKey());
        write(member.getValue(), out);
      }
      out.writeEndObject();
    } else if (value instanceof List<?> array) {
      out.writeStartArray();
      for (Object element : array) {
        write(element, out);
      }
      out.writeEndArray();
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value instanceof Double number && number != Math.rint(number)) {
      out.writeNumber(number);
    } else if (value instanceof Number number) {
      out.writeNumber(number.longValue());
    } else if (value == null) {
      out.writeNull();
    } else {
      out.writeString(value.toString());
    }
  }
}
