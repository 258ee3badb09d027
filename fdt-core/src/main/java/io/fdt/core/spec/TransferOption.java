package io.fdt.core.spec;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A row of {@link TransferOptions}: an option as users write it, on a command line and in a request
 * to a transfer service. Immutable.
 *
 * @param field of a request; empty for an option of command lines only
 * @param label of its value in the help; empty for a flag
 * @param words that a shell completes; empty for all other values
 * @param parser of a value; its time argument is the end of ages
 * @param getter of the value; null for none
 * @param names on a command line; none for an option of requests only
 * @param help of the command line, in one or more lines
 */
public record TransferOption<T>(
    String field,
    Kind kind,
    String label,
    List<String> words,
    BiFunction<String, Instant, T> parser,
    BiConsumer<TransferSpecBuilder<?>, T> setter,
    Function<TransferSpec, ?> getter,
    List<String> names,
    String help) {
  /**
   * Separates the elements of a list; arguments of a command and texts of a request cannot contain
   * it.
   */
  public static final String SEPARATOR = "\0";

  /** Kinds of values, each with its name in JSON Schema. */
  public enum Kind {
    FLAG("boolean"),
    /** A count, or an amount of data in bytes. */
    NUMBER("integer"),
    TEXT("string"),
    LIST("string[]"),
    /**
     * A pattern: all patterns of a line together are the value of {@link TransferOptions#FILTERS}.
     */
    PATTERN("");

    private final String schema;

    Kind(String schema) {
      this.schema = schema;
    }

    public String schema() {
      return schema;
    }
  }

  /** A row that still lacks setter, getter, names and help. */
  TransferOption(
      String field,
      Kind kind,
      String label,
      List<String> words,
      BiFunction<String, Instant, T> parser) {
    this(field, kind, label, words, parser, (spec, value) -> {}, spec -> null, List.of(), "");
  }

  TransferOption<T> named(String... all) {
    return new TransferOption<>(
        field, kind, label, words, parser, setter, getter, List.of(all), help);
  }

  TransferOption<T> does(BiConsumer<TransferSpecBuilder<?>, T> set, Function<TransferSpec, ?> get) {
    return new TransferOption<>(field, kind, label, words, parser, set, get, names, help);
  }

  TransferOption<T> does(BiConsumer<TransferSpecBuilder<?>, T> set) {
    return does(set, spec -> null);
  }

  TransferOption<T> helps(String text) {
    return new TransferOption<>(field, kind, label, words, parser, setter, getter, names, text);
  }

  /** The first name on a command line, such as -P of -P and --streams. */
  public String name() {
    return names.get(0);
  }

  /**
   * Sets the value in a spec, and returns it.
   *
   * @param text ignored for a flag, which is set; elements of a list are separated by {@link
   *     #SEPARATOR}
   * @param now the end of ages
   * @throws IllegalArgumentException the text is not a value of the option; the message is for the
   *     user
   */
  public T set(TransferSpecBuilder<?> spec, String text, Instant now) {
    T value = parser.apply(text, now);
    setter.accept(spec, value);
    return value;
  }

  /** The value in JSON: a Boolean, a Long, a text or a list of texts; null for none. */
  public Object value(TransferSpec spec) {
    Object value = getter.apply(spec);
    if (value == null || value instanceof Boolean || value instanceof List<?>) {
      return value;
    }
    if (value instanceof Number number) {
      return number.longValue();
    }
    return value instanceof Enum<?> constant
        ? constant.name().toLowerCase(Locale.ROOT)
        : value.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TransferOption<?> option
        && option.field.equals(field)
        && option.kind == kind
        && option.label.equals(label)
        && option.words.equals(words)
        && option.parser.equals(parser)
        && option.setter.equals(setter)
        && option.getter.equals(getter)
        && option.names.equals(names)
        && option.help.equals(help);
  }

  @Override
  public int hashCode() {
    return Objects.hash(field, kind, label, words, parser, setter, getter, names, help);
  }
}
