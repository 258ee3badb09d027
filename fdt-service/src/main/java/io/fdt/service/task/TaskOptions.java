package io.fdt.service.task;

import io.fdt.core.error.FdtException;
import io.fdt.core.spec.TransferOption;
import io.fdt.core.spec.TransferOptions;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.json.Json;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The options of a task. Immutable.
 *
 * @param spec the options of {@code fdt copy}, without paths
 * @param encrypt whether data is encrypted
 */
public record TaskOptions(TransferSpec spec, boolean encrypt) {
  private static final List<TransferOption<?>> OPTIONS =
      TransferOptions.ALL.stream().filter(option -> !option.field().isEmpty()).toList();

  /** All fields of the options of a request, as {@code -NAME TYPE}: none is required. */
  public static final List<String> FIELDS =
      Stream.concat(
              OPTIONS.stream().map(option -> "-" + option.field() + " " + option.kind().schema()),
              Stream.of("-encrypt boolean", "-spec string"))
          .toList();

  /** Options that are shown first, and even if they have their default. */
  private static final List<TransferOption<?>> MOST_USED =
      List.of(
          TransferOptions.RECURSIVE,
          TransferOptions.SYNC,
          TransferOptions.DELETE,
          TransferOptions.VERIFY,
          TransferOptions.FSYNC,
          TransferOptions.CHECKSUM);

  private static final TransferSpec DEFAULT = TransferSpec.builder().build();

  private static final int MOST_ELEMENTS = 1000;
  private static final int MOST_TEXT = 4096;

  /** The longest spec, with room for 64 KiB of patterns. */
  private static final int MOST_SPEC = 90_000;

  /** Reads the options of a request without ages. */
  public static TaskOptions of(Fields fields) throws ServiceException {
    return of(fields, Instant.EPOCH);
  }

  /**
   * Reads the options of a request.
   *
   * @param now the time from which ages are counted back
   */
  public static TaskOptions of(Fields fields, Instant now) throws ServiceException {
    Optional<String> encoded = fields.optionalText("spec", MOST_SPEC);
    boolean encrypt = fields.flag("encrypt");
    TransferSpec spec =
        encoded.isPresent() && !encoded.get().isEmpty() ? decode(encoded.get()) : spec(fields, now);
    fields.finish(); // an encoded spec has all other options
    return new TaskOptions(spec, encrypt);
  }

  /** The text by which a repeated request is recognised, also later. */
  public static String sameness(Map<String, Object> request, TaskOptions options) {
    boolean hasAge =
        request.get(TransferOptions.MIN_AGE.field()) != null
            || request.get(TransferOptions.MAX_AGE.field()) != null;
    return hasAge ? Json.text(new TreeMap<>(request)) : Json.text(options.toJson());
  }

  private static TransferSpec spec(Fields fields, Instant now) throws ServiceException {
    checkOne(fields, TransferOptions.STREAMS, TransferOptions.TUNE_STREAMS);
    checkOne(fields, TransferOptions.MIN_AGE, TransferOptions.MODIFIED_BEFORE);
    checkOne(fields, TransferOptions.MAX_AGE, TransferOptions.MODIFIED_AFTER);
    TransferSpec.Builder spec = TransferSpec.builder();
    String where = "options";
    try {
      for (TransferOption<?> option : OPTIONS) {
        Optional<String> text = text(fields, option);
        if (text.isPresent()) {
          where = option.field();
          option.set(spec, text.get(), now);
        }
      }
      where = "options";
      return spec.build();
    } catch (IllegalArgumentException e) {
      throw Fault.INVALID.of("'" + where + "': " + e.getMessage());
    }
  }

  private static void checkOne(Fields fields, TransferOption<?> one, TransferOption<?> other)
      throws ServiceException {
    if (fields.has(one.field()) && fields.has(other.field())) {
      throw Fault.INVALID.of(
          "'%s' and '%s' contradict: leave one of them out".formatted(one.field(), other.field()));
    }
  }

  /** The value in the form that the option reads; empty for none, and for a flag that is false. */
  private static Optional<String> text(Fields fields, TransferOption<?> option)
      throws ServiceException {
    String name = option.field();
    if (!fields.has(name)) {
      return Optional.empty();
    }
    return switch (option.kind()) {
      case FLAG -> fields.flag(name) ? Optional.of("true") : Optional.empty();
      case NUMBER -> Optional.of(Long.toString(fields.number(name, 0, Long.MAX_VALUE, 0)));
      case LIST ->
          Optional.of(
              String.join(TransferOption.SEPARATOR, fields.texts(name, MOST_ELEMENTS, MOST_TEXT)));
      case TEXT, PATTERN -> fields.optionalText(name, MOST_TEXT);
    };
  }

  private static TransferSpec decode(String encoded) throws ServiceException {
    try {
      TransferSpec spec = TransferSpecCoding.ofBytes(Base64.getDecoder().decode(encoded));
      if (spec.dryRun() || !spec.part().isWhole()) {
        throw Fault.INVALID.of("a task has no dry run and no part of a file");
      }
      return spec;
    } catch (FdtException | IllegalArgumentException e) {
      throw Fault.INVALID.of("'spec': " + e.getMessage());
    }
  }

  public static TaskOptions ofStored(String json) {
    try {
      return of(Fields.ofJson(json));
    } catch (ServiceException e) {
      throw new IllegalStateException("the database holds bad options: " + e.getMessage(), e);
    }
  }

  /** The fields that {@link #ofStored} reads. */
  public Map<String, Object> toJson() {
    String encoded = Base64.getEncoder().encodeToString(TransferSpecCoding.toBytes(spec));
    return new TreeMap<>(Map.of("spec", encoded, "encrypt", encrypt));
  }

  /** The options as fields: the most used ones, and others that differ from their default. */
  public Map<String, Object> shown() {
    Map<String, Object> json = new LinkedHashMap<>();
    for (TransferOption<?> option :
        Stream.concat(MOST_USED.stream(), OPTIONS.stream()).distinct().toList()) {
      Object value = option.value(spec);
      boolean isUsual = Objects.equals(value, option.value(DEFAULT));
      if (value != null && (!isUsual || MOST_USED.contains(option))) {
        json.put(option.field(), value);
      }
    }
    json.put("encrypt", encrypt);
    return json;
  }
}
