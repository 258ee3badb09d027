package io.fdt.plan;

import io.fdt.client.RequiredStorage;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The copy of a plan. Immutable.
 *
 * @param direction which end has the data
 * @param spec the whole copy
 * @param settings how workers reach the servers; no secrets
 * @param limits the limits of units
 * @param takeover a worker without a heartbeat for this time counts as dead; 6 s or more
 */
public record PlanHeader(
    Direction direction,
    TransferSpec spec,
    Map<String, String> settings,
    UnitLimits limits,
    Duration takeover) {
  private static final long VERSION = 1;

  /** The shortest takeover time: six heartbeats, one per second. */
  public static final Duration LEAST_TAKEOVER = Duration.ofSeconds(6);

  /** The default takeover time: longer than a node is usually busy with other work. */
  public static final Duration DEFAULT_TAKEOVER = Duration.ofMinutes(2);

  /**
   * Checks the takeover time.
   *
   * @throws IllegalArgumentException it is too short
   */
  public PlanHeader {
    settings = Map.copyOf(settings);
    if (takeover.compareTo(LEAST_TAKEOVER) < 0) {
      throw new IllegalArgumentException(
          "takeover " + takeover.toSeconds() + " s is less than " + LEAST_TAKEOVER.toSeconds());
    }
  }

  /** The interval of heartbeats. */
  public Duration heartbeat() {
    return takeover.dividedBy(6);
  }

  /** Whether both plan the same copy, regardless of their time. */
  boolean isSameCopy(PlanHeader other) {
    return direction == other.direction
        && (spec.selection().notBefore() == null) == (other.spec.selection().notBefore() == null)
        && (spec.selection().notAfter() == null) == (other.spec.selection().notAfter() == null)
        && timeless(spec).equals(timeless(other.spec))
        && settings.equals(other.settings)
        && limits.equals(other.limits);
  }

  /** The spec without the time of the command, from which ages count. */
  private static TransferSpec timeless(TransferSpec spec) {
    Selection selection = spec.selection();
    return spec.toBuilder()
        .selection(
            new Selection(
                selection.rules(),
                selection.leastBytes(),
                selection.mostBytes(),
                null,
                null,
                selection.maxDepth(),
                selection.oneFileSystem()))
        .build();
  }

  public PlanHeader withSettings(Map<String, String> others) {
    return new PlanHeader(direction, spec, others, limits, takeover);
  }

  /** Whether a last step follows the units: directories, links, deletions. */
  public boolean hasLastStep() {
    return spec.recursive();
  }

  /** Whether files that are larger than a unit are cut into ranges, which a bucket cannot keep. */
  boolean mayCut() {
    return !spec.dryRun()
        && !RequiredStorage.isByScheme(spec.destination())
        && spec.changing() == Changing.FAIL
        && spec.sync().level() != SyncRule.Level.CHECKSUM;
  }

  /** The header as text, for another process. */
  public byte[] toBytes() {
    return encode(null);
  }

  /**
   * Reads {@link #toBytes}.
   *
   * @throws FdtException USAGE for another version, IO for invalid text
   */
  public static PlanHeader ofBytes(byte[] bytes) throws FdtException {
    return decode(bytes, "the plan");
  }

  /** The text of a file of a plan. */
  byte[] encode(PlanTotals totals) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("fdt_plan", VERSION);
    json.put("direction", direction.name());
    json.put("spec", Base64.getEncoder().encodeToString(TransferSpecCoding.toBytes(spec)));
    json.put("settings", new TreeMap<>(settings));
    json.put("unit_bytes", limits.bytes());
    json.put("unit_files", limits.files());
    json.put("takeover_seconds", takeover.toSeconds());
    if (totals != null) {
      json.put("units", totals.units());
      json.put("files", totals.files());
      json.put("bytes", totals.bytes());
      json.put("problems", totals.problems());
      json.put("failures", totals.failures());
    }
    return (Json.text(json) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads the header of a file.
   *
   * @throws FdtException USAGE for another version, IO for a damaged one
   */
  static PlanHeader decode(byte[] bytes, String where) throws FdtException {
    Map<String, Object> json = PlanLine.parse(new String(bytes, StandardCharsets.UTF_8), where);
    long version = PlanLine.number(json, "fdt_plan", where);
    if (version != VERSION) {
      throw new FdtException(
          ErrorCode.USAGE,
          "%s has version %d, this release knows version %d: use the release that made it"
              .formatted(where, version, VERSION));
    }
    Map<String, String> settings = new TreeMap<>();
    if (json.get("settings") instanceof Map<?, ?> all) {
      all.forEach((name, value) -> settings.put(String.valueOf(name), String.valueOf(value)));
    }
    try {
      return new PlanHeader(
          Direction.valueOf(PlanLine.text(json, "direction", where)),
          TransferSpecCoding.ofBytes(
              Base64.getDecoder().decode(PlanLine.text(json, "spec", where))),
          settings,
          new UnitLimits(
              PlanLine.number(json, "unit_bytes", where),
              Math.toIntExact(PlanLine.number(json, "unit_files", where))),
          Duration.ofSeconds(PlanLine.number(json, "takeover_seconds", where)));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw PlanLine.damaged(where, e.getMessage(), e);
    }
  }
}
