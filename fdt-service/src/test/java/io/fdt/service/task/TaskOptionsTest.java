package io.fdt.service.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.model.Preservation;
import io.fdt.core.spec.TransferSpec;
import io.fdt.json.Json;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskOptionsTest {
  private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");

  private static TaskOptions read(Map<String, Object> fields) throws ServiceException {
    return TaskOptions.of(new Fields(fields), NOW);
  }

  private static Map<String, Object> all() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("recursive", true);
    fields.put("sync", "size");
    fields.put("delete", true);
    fields.put("max_delete", 7L);
    fields.put("verify", true);
    fields.put("fsync", true);
    fields.put("checksum", "sha256");
    fields.put("streams", 6L);
    fields.put("encrypt", true);
    fields.put("update", true);
    fields.put("changing", "skip");
    fields.put("delta", "always");
    fields.put("delete_from_empty", true);
    fields.put("backup_dir", "old");
    fields.put("delta_from", "older");
    fields.put("filters", List.of("+ keep.tmp", "- *.tmp"));
    fields.put("min_size", 1L);
    fields.put("max_size", 1L << 40);
    fields.put("modified_after", "2026-11-17T12:00:00Z");
    fields.put("modified_before", "2026-11-24T10:00:00Z");
    fields.put("max_depth", 3L);
    fields.put("one_file_system", true);
    fields.put("preserve", List.of("mode", "hard-links"));
    fields.put("links", "skip");
    fields.put("names", "encode");
    fields.put("compress", "zstd:9");
    fields.put("readers", 5L);
    fields.put("writers", 9L);
    fields.put("block_size", 65536L);
    fields.put("socket_buffer", 1048576L);
    fields.put("direct_io", "on");
    fields.put("congestion", "cubic");
    fields.put("limit_schedule", "09:00-18:00=100MB/s,else=off");
    return fields;
  }

  /** An encoded spec, and options that stand for others in it. */
  private static final List<String> NOT_SHOWN =
      List.of("spec", "tune_streams", "min_age", "max_age");

  private static List<String> fields() {
    return TaskOptions.FIELDS.stream()
        .map(field -> field.substring(1, field.indexOf(' ')))
        .toList();
  }

  @Test
  void noOptionIsMissingInTheseTests() {
    assertThat(fields())
        .filteredOn(name -> !NOT_SHOWN.contains(name))
        .hasSameElementsAs(all().keySet());
  }

  @Test
  void thePageHasAFieldForEachOption() throws Exception {
    String sheet;
    try (InputStream in = TaskOptions.class.getResourceAsStream("/io/fdt/service/page/sheet.js")) {
      sheet = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertThat(fields())
        .filteredOn(name -> !name.equals("spec"))
        .allSatisfy(name -> assertThat(sheet).containsPattern("\\b" + name + "\\b"));
  }

  @Test
  void eachOptionIsShownAsItWasGivenAndReadAgain() throws Exception {
    TaskOptions options = read(all());

    assertThat(options.shown()).containsAllEntriesOf(all()).hasSameSizeAs(all());
    assertThat(read(options.shown())).isEqualTo(options);
    assertThat(TaskOptions.ofStored(Json.text(options.toJson()))).isEqualTo(options);
    TransferSpec spec = options.spec();
    assertThat(spec.selection().rules())
        .extracting(rule -> rule.take())
        .containsExactly(true, false);
    assertThat(spec.preservation().keeps(Preservation.Aspect.TIMES)).isFalse();
  }

  @Test
  void agesCountBackFromTheTimeOfTheRequestAndTheRequestStaysTheSame() throws Exception {
    Map<String, Object> fields = Map.of("max_age", "7d", "min_age", "2h");
    TaskOptions now = read(fields);
    TaskOptions later = TaskOptions.of(new Fields(fields), NOW.plusSeconds(60));

    assertThat(now.shown())
        .containsEntry("modified_after", "2026-11-17T12:00:00Z")
        .containsEntry("modified_before", "2026-11-24T10:00:00Z");
    assertThat(later).isNotEqualTo(now);
    assertThat(TaskOptions.sameness(fields, later)).isEqualTo(TaskOptions.sameness(fields, now));
  }

  @Test
  void withoutAnyOfThemOnlyTheMostUsedAreShown() throws Exception {
    assertThat(read(Map.of("recursive", true)).shown())
        .containsOnlyKeys("recursive", "sync", "delete", "verify", "fsync", "checksum", "encrypt");
    assertThat(read(Map.of("tune_streams", true)).shown())
        .containsEntry("tune_streams", true)
        .doesNotContainKeys("streams", "congestion");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "changing|perhaps|'perhaps' is none of fail, skip, copy",
        "max_age|soon|is not a duration; write for example 90s",
        "modified_after|yesterday|must be a time such as",
        "compress|gzip|write auto, off, zstd",
        "backup_dir|''|'backup_dir': an empty path",
        "congestion|RENO!|not the name of a congestion control",
        "limit_schedule|25:00-26:00=1M|'limit_schedule': ",
        "links|follow!|'follow!' is none of copy, follow, skip"
      })
  void whatMakesNoSenseIsRefusedInOneLine(String name, String value, String message) {
    assertThatThrownBy(() -> read(Map.of(name, value)))
        .isInstanceOf(ServiceException.class)
        .hasMessageContaining(message)
        .hasMessageMatching("[^\\n]+");
  }

  @Test
  void listsAndPairsThatContradictAreRefused() {
    assertThatThrownBy(() -> read(Map.of("filters", List.of("*.tmp"))))
        .hasMessageContaining("must begin with '+ ' (take) or '- ' (leave out)");
    assertThatThrownBy(() -> read(Map.of("preserve", List.of("colour"))))
        .hasMessageContaining("'colour' is none of mode, times");
    assertThatThrownBy(
            () -> read(Map.of("max_age", "7d", "modified_after", "2026-11-17T12:00:00Z")))
        .hasMessageContaining("leave one of them out");
    assertThatThrownBy(() -> read(Map.of("streams", 3L, "tune_streams", true)))
        .hasMessageContaining("contradict");
    assertThatThrownBy(() -> read(Map.of("delete", true, "links", "follow")))
        .hasMessageContaining("a deletion cannot be combined with links that are followed");
    assertThatThrownBy(() -> read(Map.of("max_size", -1L))).hasMessageContaining("'max_size'");
    assertThatThrownBy(() -> read(Map.of("update", true, "colour", "red")))
        .hasMessageContaining("unknown field 'colour'");
  }
}
