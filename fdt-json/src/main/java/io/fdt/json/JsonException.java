package io.fdt.json;

/** Thrown for text that is not the expected JSON. */
public final class JsonException extends Exception {
  private static final long serialVersionUID = 1;

  JsonException(String message) {
    super(message);
  }

  JsonException(String message, Throwable cause) {
    super(message, cause);
  }
}
