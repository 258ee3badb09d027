package io.fdt.json;

/** A text that is not the JSON that was expected. */
public final class JsonException extends Exception {
  private static final long serialVersionUID = 1;

  JsonException(String message) {
    super(message);
  }

  JsonException(String message, Throwable cause) {
    super(message, cause);
  }
}
