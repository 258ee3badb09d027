package io.fdt.plan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.SourceListing;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.spec.TransferSpec;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the logs of several attempts at one unit come to. */
class PlanReportTest {
  private static final String UNIT = "000000";

  @TempDir Path parent;
  private PlanFiles files;
  private Claims claims;

  @BeforeEach
  void planOneUnit() throws FdtException {
    TransferSpec spec = TransferSpec.builder().source("/data/a").destination("/out").build();
    PlanHeader header =
        new PlanHeader(
            TransferRequest.Direction.PULL,
            spec,
            Map.of(),
            UnitLimits.DEFAULT,
            Duration.ofMinutes(1));
    Path directory = parent.resolve("plan");
    try (Planner planner = Planner.start(directory, header, problem -> {})) {
      planner.file(
          new SourceListing.Directory(BytePath.of("/data"), BytePath.of("data")),
          FileName.of("a".getBytes(UTF_8)),
          EntryKind.FILE,
          1);
      PlanTotals unused = planner.finish();
    }
    files = new PlanFiles(directory);
    claims = new Claims(files, "me");
  }

  private void attempt(int number, UnitEnding ending, String... events) throws Exception {
    assertThat(claims.claim(UNIT, number)).isTrue();
    Path log = files.log(UNIT, number);
    Files.createDirectories(log.getParent());
    Files.write(log, List.of(events));
    if (ending != null) {
      claims.end(UNIT, number, ending);
    }
  }

  private static String file(String name, String fate) {
    return "{\"event\":\"file\",\"fate\":\"%s\",\"path\":\"%s\"}".formatted(fate, name);
  }

  private static String summary(int exitStatus, String more) {
    return "{\"event\":\"summary\",\"exit_status\":%d%s}".formatted(exitStatus, more);
  }

  private List<String> report() throws FdtException {
    List<String> lines = new ArrayList<>();
    PlanReport.write(Plan.open(parent.resolve("plan")), "{}", lines::add);
    return lines;
  }

  /** A worker that is only slow is taken over from; what it writes is in use for the other one. */
  @Test
  void whatASlowWorkerDidCountsWhateverTheOtherOneFound() throws Exception {
    attempt(1, null, file("a", "done"), file("b", "failed"), summary(1, ""));
    attempt(2, UnitEnding.FAILED, file("a", "failed"), file("b", "done"), summary(1, ""));
    claims.end(UNIT, 1, UnitEnding.OK);

    assertThat(report())
        .contains(file("a", "done") + ",", file("b", "done"))
        .last()
        .asString()
        .contains("\"exit_status\":0,", "\"files_done\":2,", "\"files_failed\":0,");
  }

  @Test
  void ofAUnitThatFailedTheLastOutcomeCounts() throws Exception {
    attempt(1, UnitEnding.FAILED, file("a", "done"), file("b", "failed"), summary(1, ""));
    attempt(2, UnitEnding.FAILED, file("a", "unchanged"), file("b", "failed"), summary(5, ""));

    assertThat(report())
        .contains(file("a", "done") + ",", file("b", "failed"))
        .last()
        .asString()
        .contains("\"exit_status\":5,", "\"files_done\":1,", "\"files_failed\":1,");
  }

  @Test
  void whyAWholeAttemptFailedIsTold() throws Exception {
    String why =
        ",\"time\":\"2026-01-01T00:00:00Z\",\"code\":\"IO\",\"retry\":true,\"message\":\"m\"";
    attempt(1, UnitEnding.FAILED, summary(1, why));

    assertThat(report()).contains("{\"event\":\"error\"" + why + "}");
  }

  /** A crash of the machine can end a log in the middle of a character, or with zeros. */
  @Test
  void aTornLogCountsAsFarAsItCame() throws Exception {
    attempt(1, null, file("a", "done"));
    ByteArrayOutputStream torn = new ByteArrayOutputStream();
    torn.writeBytes(Files.readAllBytes(files.log(UNIT, 1)));
    torn.write(0xc3); // the first half of an umlaut
    torn.writeBytes(new byte[3000]);
    Files.write(files.log(UNIT, 1), torn.toByteArray());

    assertThat(report()).contains(file("a", "done"));
    claims.end(UNIT, 1, UnitEnding.FAILED);
    assertThat(PlanStatus.of(Plan.open(parent.resolve("plan"))).exitStatus()).isEqualTo(1);
  }
}
