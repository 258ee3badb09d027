package io.fdt.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.client.FileProblem;
import io.fdt.client.SourceListing;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of a listing become units. */
class PlannerTest {
  private static final TransferSpec SPEC =
      TransferSpec.builder().source("/data").destination("/out").recursive(true).build();

  @TempDir Path parent;

  private static PlanHeader header(TransferSpec spec, long unitBytes, int unitFiles) {
    return new PlanHeader(
        TransferRequest.Direction.PULL,
        spec,
        Map.of("server", "h:1"),
        new UnitLimits(unitBytes, unitFiles),
        Duration.ofMinutes(1));
  }

  private static FileName name(String text) {
    return FileName.of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Files of these sizes, ten in a directory. */
  private static void feed(Planner planner, long... sizes) throws FdtException {
    for (int i = 0; i < sizes.length; i++) {
      SourceListing.Directory directory =
          new SourceListing.Directory(
              BytePath.of("/data/" + i / 10), BytePath.of("data/" + i / 10));
      planner.file(directory, name("f" + i), EntryKind.FILE, sizes[i]);
    }
  }

  private Path planned(PlanHeader header, long... sizes) throws FdtException {
    Path directory = parent.resolve("plan");
    try (Planner planner = Planner.start(directory, header, problem -> {})) {
      feed(planner, sizes);
      PlanTotals unused = planner.finish();
    }
    return directory;
  }

  private static List<List<String>> units(Path directory) throws FdtException {
    Plan plan = Plan.open(directory);
    List<List<String>> units = new ArrayList<>();
    for (int unit = 0; unit < plan.totals().units(); unit++) {
      units.add(
          plan.transfer(unit).spec().sources().stream()
              .map(operand -> operand.path() + ">" + operand.target().orElseThrow())
              .toList());
    }
    return units;
  }

  @Test
  void unitsHaveAtMostSoManyFilesAndBytes() throws FdtException {
    Path directory = planned(header(SPEC, 100, 3), 1, 1, 1, 1, 60, 60, 99);

    assertThat(units(directory))
        .containsExactly(
            List.of("/data/0/f0>data/0/f0", "/data/0/f1>data/0/f1", "/data/0/f2>data/0/f2"),
            List.of("/data/0/f3>data/0/f3", "/data/0/f4>data/0/f4"),
            List.of("/data/0/f5>data/0/f5"),
            List.of("/data/0/f6>data/0/f6"));
    assertThat(Plan.open(directory).totals()).isEqualTo(new PlanTotals(4, 7, 223, 0, 0));
    assertThat(Plan.open(directory).unitBytes()).containsExactly(3, 61, 60, 99);
  }

  @Test
  void aLargeFileIsAUnitOfItsOwnAndDoesNotEndTheOneBefore() throws FdtException {
    Path directory = planned(header(SPEC, 100, 10), 1, 500, 2);

    assertThat(units(directory))
        .containsExactly(
            List.of("/data/0/f1>data/0/f1"),
            List.of("/data/0/f0>data/0/f0", "/data/0/f2>data/0/f2"));
  }

  @Test
  void aLargeFileIsCutIntoRangesAndTheWholeComesAfterThem() throws FdtException {
    long mib = 1 << 20;
    Path directory = planned(header(SPEC, 2 * mib, 10), 1, 5 * mib + 3, 3 * mib, 2);

    Plan plan = Plan.open(directory);
    assertThat(units(directory))
        .containsExactly(
            List.of("/data/0/f1>data/0/f1"),
            List.of("/data/0/f1>data/0/f1"),
            List.of("/data/0/f1>data/0/f1"),
            List.of("/data/0/f1>data/0/f1"),
            List.of("/data/0/f2>data/0/f2"),
            List.of("/data/0/f0>data/0/f0", "/data/0/f3>data/0/f3"));
    assertThat(plan.unitBytes()).containsExactly(2 * mib, 2 * mib, mib + 3, 0, 3 * mib, 3);
    assertThat(plan.totals()).isEqualTo(new PlanTotals(6, 4, 8 * mib + 6, 0, 0));
    FileCut cut = new FileCut(5 * mib + 3, 2 * mib);
    for (int unit = 0; unit < 3; unit++) {
      TransferSpec spec = plan.transfer(unit).spec();
      assertThat(spec.part()).isEqualTo(cut.part(unit));
      assertThat(spec.assurance().fsync()).as("before its record").isTrue();
    }
    assertThat(plan.transfer(3).spec().part().isWhole()).isTrue();
    assertThat(plan.rangesBefore(3)).isEqualTo(3);
    assertThat(plan.rangeUnits().stream()).containsExactly(0, 1, 2);
    assertThat(plan.unitsBySize()).containsExactly(4, 0, 1, 2, 5);
    assertThat(plan.wholesOfRanges()).containsExactly(3);
  }

  @Test
  void whatNeedsTheWholeFileIsNotCut() throws FdtException {
    for (TransferSpec spec :
        List.of(
            SPEC.toBuilder().dryRun(true).build(),
            SPEC.toBuilder().changing(Changing.COPY).build(),
            SPEC.toBuilder().sync(new SyncRule(SyncRule.Level.CHECKSUM, false)).build())) {
      Path directory = parent.resolve("plan" + spec.hashCode());
      try (Planner planner = Planner.start(directory, header(spec, 1, 10), problem -> {})) {
        feed(planner, 10 << 20);
        assertThat(planner.finish().units()).isEqualTo(1);
      }
    }
  }

  @Test
  void thePathsOfAUnitFitIntoOneMessage() throws FdtException {
    PlanHeader header = header(SPEC, Long.MAX_VALUE, UnitLimits.MAX_FILES);
    BytePath longPath = BytePath.of("x".repeat(250) + "/" + "y".repeat(250));
    Path directory = parent.resolve("plan");
    try (Planner planner = Planner.start(directory, header, problem -> {})) {
      for (int i = 0; i < 2000; i++) {
        planner.file(
            new SourceListing.Directory(longPath, longPath), name("f" + i), EntryKind.FILE, 1);
      }
      PlanTotals unused = planner.finish();
    }
    Plan plan = Plan.open(directory);
    assertThat(plan.totals().units()).isGreaterThan(2);
    for (int unit = 0; unit < plan.totals().units(); unit++) {
      long bytes =
          plan.transfer(unit).spec().sources().stream()
              .mapToLong(one -> one.path().length() + one.target().orElseThrow().length())
              .sum();
      assertThat(bytes).isLessThanOrEqualTo(UnitLimits.MAX_PATH_BYTES);
    }
  }

  /** Whatever a planner had written when it died, the plan becomes the same. */
  @Test
  void aPlannerThatDiesAnywhereIsContinued() throws Exception {
    long[] sizes = new long[40];
    Arrays.fill(sizes, 1);
    PlanHeader header = header(SPEC, 100, 5);
    Path whole = planned(header, sizes);
    List<List<String>> expected = units(whole);
    for (int death = 0; death <= sizes.length; death++) {
      Path directory = parent.resolve("died-" + death);
      Planner dead = Planner.start(directory, header, problem -> {});
      feed(dead, Arrays.copyOf(sizes, death));
      dead.close();
      PlanFiles files = new PlanFiles(directory);
      int written = (death - 1) / 5;
      if (written > 0) { // the last one is torn, as by a crash of the machine
        byte[] text = Files.readAllBytes(files.unit(written - 1));
        Files.write(files.unit(written - 1), Arrays.copyOf(text, text.length / 2));
      }
      assertThatThrownBy(() -> Plan.open(directory)).hasMessageContaining("is not finished");

      try (Planner next = Planner.start(directory, header, problem -> {})) {
        feed(next, sizes);
        PlanTotals unused = next.finish();
        assertThat(next.unitsKept()).as("after %d", death).isEqualTo(Math.max(0, written - 1));
      }

      assertThat(units(directory)).isEqualTo(expected);
    }
  }

  @Test
  void unitsOfASourceThatBecameSmallerGoAway() throws FdtException {
    PlanHeader header = header(SPEC, 100, 1);
    Path directory = parent.resolve("plan");
    try (Planner dead = Planner.start(directory, header, problem -> {})) {
      feed(dead, 1, 1, 1, 1);
    }
    try (Planner next = Planner.start(directory, header, problem -> {})) {
      feed(next, 1);
      PlanTotals unused = next.finish();
    }
    assertThat(new PlanFiles(directory).unit(0)).exists();
    assertThat(new PlanFiles(directory).unit(1)).doesNotExist();
  }

  @Test
  void ofTwoPlannersAtOnceTheSecondIsRefused() throws FdtException {
    PlanHeader header = header(SPEC, 100, 1);
    Path directory = parent.resolve("plan");
    try (Planner first = Planner.start(directory, header, problem -> {})) {
      feed(first, 1, 1);

      assertThatThrownBy(() -> Planner.start(directory, header, problem -> {}).close())
          .isInstanceOfSatisfying(
              FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE))
          .hasMessageContaining("another planner works in '" + directory + "'");
      assertThat(first.finish().units()).isEqualTo(2);
    }

    assertThat(new PlanFiles(directory).plannerLock()).doesNotExist();
  }

  /** As when the server's address was wrong, and is corrected. */
  @Test
  void aPlanThatCameToNoUnitIsInNoOtherCopysWay() throws Exception {
    PlanHeader header = header(SPEC, 100, 1);
    PlanHeader wrong =
        new PlanHeader(
            TransferRequest.Direction.PULL,
            SPEC,
            Map.of("server", "wrong:1"),
            new UnitLimits(100, 1),
            Duration.ofMinutes(1));
    Path directory = parent.resolve("plan");
    Planner.start(directory, wrong, problem -> {}).close();

    assertThat(planned(header, 1)).isEqualTo(directory);
    assertThat(Plan.open(directory).header().settings()).containsEntry("server", "h:1");
  }

  /** As when the disk was full, or the planner killed, at its very first file. */
  @Test
  void whatAnInterruptedWriteLeftIsInNobodysWay() throws Exception {
    Path directory = Files.createDirectory(parent.resolve("plan"));
    Files.writeString(directory.resolve(".planning.json.0123456789abcdef.part"), "{\"fdt");

    assertThat(planned(header(SPEC, 100, 1), 1)).isEqualTo(directory);
  }

  @Test
  void aWriteThatFailsLeavesNothing() throws Exception {
    Path inTheWay = Files.createDirectories(parent.resolve("plan.json/full"));

    assertThatThrownBy(() -> PlanFiles.write(parent.resolve("plan.json"), new byte[9]))
        .isInstanceOf(FdtException.class);

    try (var names = Files.list(parent)) {
      assertThat(names).containsExactly(inTheWay.getParent());
    }
  }

  @Test
  void aUnitOfAnotherListingIsNotUsed() throws Exception {
    PlanHeader header = header(SPEC, 100, 1);
    Path plan = planned(header, 1, 1);
    UnitText other = new UnitText();
    other.add(
        new SourceListing.Directory(BytePath.of("/data/x"), BytePath.of("x")), name("other"), 1);
    Files.write(new PlanFiles(plan).unit(1), other.end(1));

    assertThat(Plan.open(plan).transfer(0).spec().sources()).hasSize(1);
    assertThatThrownBy(() -> Plan.open(plan).transfer(1))
        .hasMessageContaining("its checksum differs from that of the index")
        .hasMessageContaining("plan again in another directory");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"units\":-1",
        "\"units\":3",
        "\"units\":1",
        "\"units\":2000000000",
        "\"units\":9000000000",
        "\"units\":1e9",
        "\"units\":99999999999999999999999999",
        "\"units\":null",
        "\"other\":2"
      })
  void aDamagedNumberOfUnitsIsTold(String units) throws Exception {
    Path plan = planned(header(SPEC, 100, 1), 1, 1);
    Path file = new PlanFiles(plan).header();
    Files.writeString(file, Files.readString(file).replace("\"units\":2", units));

    assertThatThrownBy(() -> Plan.open(plan))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("is damaged");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSourceThatCouldNotBeListedIsAFailureOfThePlan(boolean isSkipped) throws FdtException {
    TransferSpec spec = TransferSpec.builder().source("/data/x").destination("/out/y").build();
    Path directory = parent.resolve("plan");
    try (Planner planner = Planner.start(directory, header(spec, 100, 9), problem -> {})) {
      planner.problem(new FileProblem("/data/x", isSkipped, ErrorCode.NOT_FOUND, "no such file"));
      PlanTotals unused = planner.finish();
    }

    List<String> report = new ArrayList<>();
    PlanReport.write(Plan.open(directory), "{}", report::add);

    assertThat(PlanStatus.of(Plan.open(directory)).exitStatus()).isEqualTo(isSkipped ? 0 : 1);
    assertThat(report.get(report.size() - 1)).contains("\"exit_status\":" + (isSkipped ? 0 : 1));
  }

  @Test
  void aPlanWithoutAnAgeIsNotContinuedWithOne() throws FdtException {
    Path directory = parent.resolve("plan");
    beginPlan(directory);

    assertThatThrownBy(
            () -> Planner.start(directory, header(olderThan(5), 100, 1), problem -> {}).close())
        .hasMessageContaining("holds the unfinished plan of another copy");
  }

  @Test
  void thePlanOfAnotherCopyIsLeftAlone() throws FdtException {
    Path directory = parent.resolve("plan");
    beginPlan(directory);
    TransferSpec other = SPEC.toBuilder().destination("/elsewhere").build();

    assertThatThrownBy(() -> Planner.start(directory, header(other, 100, 1), problem -> {}).close())
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("holds the unfinished plan of another copy");
  }

  @Test
  void agesAreCountedFromWhenThePlanWasBegun() throws FdtException {
    Path directory = parent.resolve("plan");
    Planner.start(directory, header(olderThan(1000), 100, 1), problem -> {}).close();

    try (Planner next = Planner.start(directory, header(olderThan(2000), 100, 1), problem -> {})) {
      assertThat(next.header().spec()).isEqualTo(olderThan(1000));
    }
  }

  /** A planner that ends after its first unit. */
  private static void beginPlan(Path directory) throws FdtException {
    try (Planner planner = Planner.start(directory, header(SPEC, 100, 1), problem -> {})) {
      feed(planner, 1, 1);
    }
  }

  private static TransferSpec olderThan(long seconds) {
    Selection all = Selection.ALL;
    return SPEC.toBuilder()
        .selection(
            new Selection(
                all.rules(),
                0,
                Long.MAX_VALUE,
                null,
                new Timestamp(seconds, 0),
                all.maxDepth(),
                false))
        .build();
  }

  @Test
  void aWholePlanAndAForeignDirectoryAreRefused() throws Exception {
    Path plan = planned(header(SPEC, 100, 1), 1);
    Path foreign = Files.createDirectory(parent.resolve("foreign"));
    Files.writeString(foreign.resolve("file"), "precious");

    assertThatThrownBy(() -> Planner.start(plan, header(SPEC, 100, 1), problem -> {}).close())
        .hasMessageContaining("holds a plan already");
    assertThatThrownBy(() -> Planner.start(foreign, header(SPEC, 100, 1), problem -> {}).close())
        .hasMessageContaining("is not empty");
    assertThatThrownBy(() -> Plan.open(foreign))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }

  @Test
  void aPlanOfALaterReleaseIsRefused() throws Exception {
    Path plan = planned(header(SPEC, 100, 1), 1);
    Path file = new PlanFiles(plan).header();
    Files.writeString(file, Files.readString(file).replace("\"fdt_plan\":1", "\"fdt_plan\":2"));

    assertThatThrownBy(() -> Plan.open(plan))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.USAGE))
        .hasMessageContaining("version 2");
  }

  @Test
  void theOnlySourceMayGetTheNameOfTheDestinationAndOthersMayNot() throws FdtException {
    TransferSpec one = TransferSpec.builder().source("/data/x").destination("/out/y").build();
    TransferSpec two =
        TransferSpec.builder().source("/data/x").source("/z").destination("/out").build();
    Map<TransferSpec, Boolean> isDirectory = new HashMap<>();
    for (TransferSpec spec : List.of(one, two)) {
      Path directory = parent.resolve("plan-" + spec.sources().size());
      try (Planner planner = Planner.start(directory, header(spec, 100, 9), problem -> {})) {
        for (Operand operand : spec.sources()) {
          planner.operand(operand, EntryKind.FILE, 1);
        }
        PlanTotals unused = planner.finish();
      }
      isDirectory.put(spec, Plan.open(directory).transfer(0).spec().destinationIsDirectory());
    }

    assertThat(isDirectory).containsEntry(one, false).containsEntry(two, true);
  }

  @Test
  void theUnitsOfATreeNeitherChooseNorDelete() throws FdtException {
    TransferSpec spec = SPEC.toBuilder().delete(true).selection(olderThan(5).selection()).build();
    Plan plan = Plan.open(planned(header(spec, 100, 9), 1));

    TransferSpec unit = plan.transfer(0).spec();
    TransferSpec last = Units.lastStep(plan.header(), true).spec();

    assertThat(unit.delete()).isFalse();
    assertThat(unit.recursive()).isFalse();
    assertThat(unit.selection()).isEqualTo(Selection.ALL);
    assertThat(last.delete()).isTrue();
    assertThat(last.sources()).isEqualTo(spec.sources());
    assertThat(last.selection().takesFile(Long.MAX_VALUE - 1, new Timestamp(0, 0))).isFalse();
    assertThat(Units.lastStep(plan.header(), false).spec().delete()).isFalse();
  }
}
