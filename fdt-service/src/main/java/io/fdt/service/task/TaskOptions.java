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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The options of a task, named as in {@code fdt copy}. Immutable.
 *
 * @param recursive directories with their contents
 * @param sync what makes an existing file count as unchanged
 * @param delete whether names that the source lacks are removed
 * @param maxDelete the most that may be removed; -1 for any number
 * @param verify whether files are read back from the device
 * @param fsync whether files are forced to the device
 * @param checksum the digest of whole files
 * @param streams data connections, 1 to 128; 0 for the default
 * @param encrypt whether data is encrypted
 * @param spec all options of {@code fdt copy} as the command encodes them, in Base64; empty when
 *     the ones above are all
 */
public record TaskOptions(
    boolean recursive,
    String sync,
    boolean delete,
    long maxDelete,
    boolean verify,
    boolean fsync,
    String checksum,
    int streams,
    boolean encrypt,
    String spec) {
  public static final List<String> SYNC_LEVELS = List.of("exists", "size", "mtime", "checksum");
  public static final List<String> CHECKSUMS =
      List.of("crc32c", "xxh3", "blake3", "sha256", "none");

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
    if (encoded.isPresent() && !encoded.get().isEmpty()) {
      boolean encrypt = fields.flag("encrypt");
      fields.finish(); // all others are in the spec
      return ofSpec(encoded.get(), encrypt);
    }
    TaskOptions options =
        new TaskOptions(
            fields.flag("recursive"),
            fields.word("sync", SYNC_LEVELS, "mtime"),
            fields.flag("delete"),
            fields.number("max_delete", 0, Integer.MAX_VALUE, -1),
            fields.flag("verify"),
            fields.flag("fsync"),
            fields.word("checksum", CHECKSUMS, "crc32c"),
            (int) fields.number("streams", 1, 128, 0),
            fields.flag("encrypt"),
            "");
    if (!CopyOptions.areIn(fields)) {
      fields.finish();
      return options;
    }
    TransferSpec spec = CopyOptions.spec(options, fields, now);
    fields.finish();
    return ofSpec(
        Base64.getEncoder().encodeToString(TransferSpecCoding.toBytes(spec)), options.encrypt());
  }

  /** The text by which a repeated request is recognised, also later. */
  public static String sameness(Map<String, Object> request, TaskOptions options) {
    return CopyOptions.haveAges(new Fields(request))
        ? Json.text(new TreeMap<>(request))
        : Json.text(options.toJson());
  }

  private static TaskOptions ofSpec(String encoded, boolean encrypt) throws ServiceException {
    try {
      TransferSpec spec = decode(encoded);
      if (spec.dryRun() || !spec.part().isWhole()) {
        throw Fault.INVALID.of("a task has no dry run and no part of a file");
      }
      return new TaskOptions(
          spec.recursive(),
          spec.sync().level().name().toLowerCase(Locale.ROOT),
          spec.delete(),
          spec.maxDelete() == Long.MAX_VALUE ? -1 : spec.maxDelete(),
          spec.assurance().verify(),
          spec.assurance().fsync(),
          spec.assurance().checksum().text(),
          spec.streamsChosen() ? spec.streams() : 0,
          encrypt,
          encoded);
    } catch (FdtException | IllegalArgumentException e) {
      throw Fault.INVALID.of("'spec': " + e.getMessage());
    }
  }

  private static TransferSpec decode(String encoded) throws FdtException {
    return TransferSpecCoding.ofBytes(Base64.getDecoder().decode(encoded));
  }

  /** All options, when the command encoded them. */
  public Optional<TransferSpec> whole() throws FdtException {
    return spec.isEmpty() ? Optional.empty() : Optional.of(decode(spec));
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
    return spec.isEmpty() ? shown() : Map.of("spec", spec, "encrypt", encrypt);
  }

  /** The options as fields: the most used ones, and others that are not at their default. */
  public Map<String, Object> shown() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("recursive", recursive);
    json.put("sync", sync);
    json.put("delete", delete);
    if (maxDelete >= 0) {
      json.put("max_delete", maxDelete);
    }
    json.put("verify", verify);
    json.put("fsync", fsync);
    json.put("checksum", checksum);
    if (streams > 0) {
      json.put("streams", (long) streams);
    }
    json.put("encrypt", encrypt);
    if (!spec.isEmpty()) {
      try {
        json.putAll(CopyOptions.shown(decode(spec)));
      } catch (FdtException e) {
        throw new IllegalStateException("a spec that was read before: " + e.getMessage(), e);
      }
      if (json.containsKey("tune_streams")) {
        json.remove("streams");
      }
    }
    return json;
  }
}
