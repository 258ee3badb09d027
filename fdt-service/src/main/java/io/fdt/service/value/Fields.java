package io.fdt.service.value;

import io.fdt.json.Json;
import io.fdt.json.JsonException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The fields of one JSON object of a request. {@link #finish} refuses unknown fields, so that a
 * client cannot set internal fields. Not thread-safe.
 */
public final class Fields {
  private final Map<String, Object> object;
  private final Set<String> known = new HashSet<>();

  public Fields(Map<String, Object> object) {
    this.object = object;
  }

  /**
   * The fields of a text.
   *
   * @throws ServiceException INVALID when it is not a JSON object, with the position of the error
   */
  public static Fields ofJson(String text) throws ServiceException {
    try {
      return new Fields(Json.parseObject(text));
    } catch (JsonException e) {
      throw Fault.INVALID.of(e.getMessage());
    }
  }

  /**
   * A copy with a field whose value was sent elsewhere.
   *
   * @param where the value was sent, for the message
   * @throws ServiceException INVALID when the field has another value
   */
  public Fields with(String name, String value, String where) throws ServiceException {
    Object before = object.get(name);
    if (before != null && !before.equals(value)) {
      throw Fault.INVALID.of(
          "'%s' and the header %s differ; send one of them".formatted(name, where));
    }
    Map<String, Object> fields = new LinkedHashMap<>(object);
    fields.put(name, value);
    return new Fields(fields);
  }

  /** Whether the field exists and is not null. */
  public boolean has(String name) {
    known.add(name);
    return object.get(name) != null;
  }

  /** A text; required. */
  public String text(String name, int mostChars) throws ServiceException {
    return optionalText(name, mostChars)
        .orElseThrow(() -> Fault.INVALID.of("'" + name + "' is missing"));
  }

  /** A text without control characters. */
  public Optional<String> optionalText(String name, int mostChars) throws ServiceException {
    if (!has(name)) {
      return Optional.empty();
    }
    return Optional.of(checked(name, object.get(name), mostChars));
  }

  private static String checked(String name, Object value, int mostChars) throws ServiceException {
    if (!(value instanceof String text)) {
      throw Fault.INVALID.of("'" + name + "' is not a text");
    }
    if (text.length() > mostChars) {
      throw Fault.INVALID.of("'%s' is longer than %d characters".formatted(name, mostChars));
    }
    if (text.chars().anyMatch(c -> c == 0 || c == '\n' || c == '\r')) {
      throw Fault.INVALID.of("'" + name + "' has a control character");
    }
    // Databases store no unpaired surrogates.
    if (text.codePoints()
        .anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
      throw Fault.INVALID.of("'" + name + "' is not text");
    }
    return text;
  }

  /** One to {@code most} texts. */
  public List<String> texts(String name, int most, int mostChars) throws ServiceException {
    if (!has(name) || !(object.get(name) instanceof List<?> list) || list.isEmpty()) {
      throw Fault.INVALID.of("'" + name + "' must be a list, and not empty");
    }
    if (list.size() > most) {
      throw Fault.INVALID.of("'%s' has more than %d elements".formatted(name, most));
    }
    List<String> texts = new ArrayList<>();
    for (Object element : list) {
      texts.add(checked(name, element, mostChars));
    }
    return List.copyOf(texts);
  }

  /** A whole number within bounds. */
  public long number(String name, long least, long most, long otherwise) throws ServiceException {
    if (!has(name)) {
      return otherwise;
    }
    if (!(object.get(name) instanceof Long number) || number < least || number > most) {
      throw Fault.INVALID.of("'%s' must be a whole number, %d to %d".formatted(name, least, most));
    }
    return number;
  }

  public boolean flag(String name) throws ServiceException {
    if (!has(name)) {
      return false;
    }
    if (!(object.get(name) instanceof Boolean flag)) {
      throw Fault.INVALID.of("'" + name + "' must be true or false");
    }
    return flag;
  }

  /** One of a few words. */
  public String word(String name, List<String> words, String otherwise) throws ServiceException {
    String text = optionalText(name, 100).orElse(otherwise);
    if (!words.contains(text)) {
      throw Fault.INVALID.of(
          "'%s' is '%s', and must be one of %s".formatted(name, text, String.join(", ", words)));
    }
    return text;
  }

  /** The fields of a nested object; none when it is missing. */
  public Fields object(String name) throws ServiceException {
    return new Fields(map(name));
  }

  /** A nested object; empty when it is missing. */
  public Map<String, Object> map(String name) throws ServiceException {
    if (!has(name)) {
      return Map.of();
    }
    if (!(object.get(name) instanceof Map<?, ?> map)) {
      throw Fault.INVALID.of("'" + name + "' must be an object");
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    map.forEach((key, value) -> fields.put((String) key, value));
    return fields;
  }

  /**
   * Checks that all fields were read.
   *
   * @throws ServiceException INVALID when there is an unknown field
   */
  public void finish() throws ServiceException {
    for (String name : object.keySet()) {
      if (!known.contains(name)) {
        throw Fault.INVALID.of(
            "unknown field '%s'; known here: %s"
                .formatted(name, String.join(", ", known.stream().sorted().toList())));
      }
    }
  }
}
