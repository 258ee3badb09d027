package io.fdt.service.task;

import io.fdt.core.error.FdtException;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.json.Json;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The options of a task. Immutable.
 *
 * @param spec the options of {@code fdt copy}, without paths
 * @param encrypt whether data is encrypted
 */
public record TaskOptions(TransferSpec spec, boolean encrypt) {
  /** All fields of the options of a request, as {@code -NAME TYPE}: none must be there. */
  public static final List<String> FIELDS =
      List.of(
          """
          -recursive boolean, -sync string, -delete boolean, -max_delete integer,
          -verify boolean, -fsync boolean, -checksum string, -streams integer,
          -encrypt boolean, -spec string, -update boolean, -changing string,
          -delete_from_empty boolean, -backup_dir string, -filters string[],
          -min_size integer, -max_size integer, -min_age string, -max_age string,
          -modified_after string, -modified_before string, -max_depth integer,
          -one_file_system boolean, -preserve string[], -links string, -compress string,
          -tune_streams boolean, -readers integer, -writers integer, -block_size integer,
          -socket_buffer integer, -congestion string, -limit_schedule string
          """
              .strip()
              .split(",\\s+"));

  /** Room for 64 KiB of patterns. */
  private static final int MOST_SPEC = 90_000;

  /** Reads the options of a request that counts no ages. */
  public static TaskOptions of(Fields fields) throws ServiceException {
    return of(fields, Instant.EPOCH);
  }

  /**
   * Reads the options of a request.
   *
   * @param now what ages are counted back from
   */
  public static TaskOptions of(Fields fields, Instant now) throws ServiceException {
    Optional<String> encoded = fields.optionalText("spec", MOST_SPEC);
    boolean encrypt = fields.flag("encrypt");
    TransferSpec spec =
        encoded.isPresent() && !encoded.get().isEmpty()
            ? decode(encoded.get())
            : CopyOptions.spec(fields, now);
    fields.finish(); // an encoded spec has all other options
    return new TaskOptions(spec, encrypt);
  }

  /** The text by which a repeated request is recognised, also later. */
  public static String sameness(Map<String, Object> request, TaskOptions options) {
    return CopyOptions.haveAges(new Fields(request))
        ? Json.text(new TreeMap<>(request))
        : Json.text(options.toJson());
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

  /** The options as fields: the most used ones, and others that are not at their default. */
  public Map<String, Object> shown() {
    Map<String, Object> json = CopyOptions.shown(spec);
    json.put("encrypt", encrypt);
    return json;
  }
}
