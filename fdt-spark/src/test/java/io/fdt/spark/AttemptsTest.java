package io.fdt.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.plan.Plan;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.ServerLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts of Spark at one unit: two at the same time, and one after the other. */
@Timeout(100)
class AttemptsTest {
  private static final int SIZE = 12 << 20;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir Path root;
  private Path source;
  private Path target;
  private FdtServer server;
  private SparkCopy copy;
  private Plan plan;

  @BeforeEach
  void serve() throws Exception {
    source = Files.createDirectory(root.resolve("source"));
    target = Files.createDirectory(root.resolve("target"));
    ByteBuffer content = ByteBuffer.allocate(SIZE);
    while (content.hasRemaining()) {
      content.putLong(content.position()); // its bytes say where they belong
    }
    Files.write(source.resolve("large"), content.array());
    Files.writeString(source.resolve("small"), "s");
    server =
        TestSpark.serve(
            root.resolve("server"),
            Export.readOnly("data", source),
            Export.readWrite("in", target));
  }

  @AfterEach
  void close() throws Exception {
    spark().setLocalProperty(CopyTask.MAY_COPY, null);
    copy.close();
    server.close();
  }

  private static SparkContext spark() {
    return TestSpark.session().sparkContext();
  }

  /** One unit with both files, at 8 MB/s. */
  private void plan(boolean isPush) throws Exception {
    plan(isPush, "4G");
    assertThat(plan.totals().units()).isEqualTo(1);
  }

  private void plan(boolean isPush, String unitBytes) throws Exception {
    plan(isPush, unitBytes, "8M");
  }

  private void plan(boolean isPush, String unitBytes, String limit) throws Exception {
    String from = isPush ? source + "/" : TestSpark.url(server, "/data/");
    String to = isPush ? TestSpark.url(server, "/in") : target.toString();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    copy =
        SparkCopy.of(
                List.of(
                    "--accept-new", "--limit", limit, "--unit-bytes", unitBytes, "-r", from, to),
                TestSpark.driver(root, said, said))
            .orElseThrow();
    plan = copy.plan();
  }

  private JavaRDD<UnitResult> attemptsAt(int... units) {
    CopyTask task = new CopyTask(plan.header(), new CopyTokens(Map.of()), false, false);
    spark().setLocalProperty(CopyTask.MAY_COPY, "true");
    return new UnitsRdd(
            spark(),
            new UnitTexts(plan),
            units,
            JavaSparkContext.fromSparkContext(spark()).broadcast(task))
        .toJavaRDD();
  }

  private static List<String> fates(UnitResult result) {
    List<String> fates = new ArrayList<>();
    result.rows().forEachRemaining(row -> fates.add(row.getString(1)));
    return fates;
  }

  private void assertArrived() throws IOException {
    assertThat(Files.mismatch(target.resolve("large"), source.resolve("large"))).isEqualTo(-1);
    assertThat(target.resolve("small")).hasContent("s");
    try (Stream<Path> all = Files.list(target)) {
      assertThat(all).as("nothing half is left").hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void twoAtTheSameTimeNeitherDamageNorRepeat(boolean isPush) throws Exception {
    plan(isPush);

    List<UnitResult> results = attemptsAt(0, 0).collect();

    assertArrived();
    assertThat(results).allMatch(result -> result.exitStatus() == 0);
    long moved = results.stream().mapToLong(result -> result.figures().bytesMoved()).sum();
    assertThat(moved).isLessThanOrEqualTo(SIZE + (4L << 20));
  }

  /** More executors than a server takes: Spark would give up the job after a few refusals. */
  @Test
  void aServerThatIsBusyIsAskedAgain() throws Exception {
    server.close();
    server =
        TestSpark.server(root.resolve("server"))
            .limits(ServerLimits.DEFAULT.withSessions(1))
            .export(Export.readOnly("data", source))
            .build();
    server.start();
    plan(false, "4M");
    int first = plan.wholesOfRanges()[0] - 3;

    List<UnitResult> ranges = attemptsAt(first, first + 1, first + 2).collect();
    List<UnitResult> rest =
        attemptsAt(plan.wholesOfRanges()[0], plan.wholesOfRanges()[0] == 3 ? 4 : 0).collect();

    assertArrived();
    assertThat(ranges).allMatch(result -> result.exitStatus() == 0);
    assertThat(rest).allMatch(result -> result.exitStatus() == 0);
    assertThat(rest.stream().flatMap(result -> fates(result).stream())).containsOnly("done");
  }

  /** The second attempt waits for the one that writes, and then finds the range on the device. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void twoAtOneRangeNeitherDamageNorRepeat(boolean isPush) throws Exception {
    plan(isPush, "4M");
    int[] wholes = plan.wholesOfRanges();
    assertThat(wholes).hasSize(1);
    int first = wholes[0] - 3;

    List<UnitResult> ranges = attemptsAt(first + 1, first + 1, first, first + 2).collect();
    assertThat(target.resolve("large")).doesNotExist();
    List<UnitResult> rest = attemptsAt(wholes[0], wholes[0] == 3 ? 4 : 0).collect();

    assertArrived();
    assertThat(ranges).allMatch(result -> result.exitStatus() == 0 && !result.rows().hasNext());
    assertThat(rest).allMatch(result -> result.exitStatus() == 0);
    assertThat(fates(rest.get(0))).containsExactly("done");
    long moved = ranges.stream().mapToLong(result -> result.figures().bytesMoved()).sum();
    assertThat(moved).isBetween((long) SIZE, SIZE + (4L << 20));
    assertThat(rest.get(0).figures().bytesMoved()).isZero();
  }

  /** As when an executor dies after its last file, and before it tells. */
  @Test
  void theSecondFindsWhatTheFirstHasDone() throws Exception {
    plan(false);

    UnitResult result =
        attemptsAt(0)
            .map(
                done -> {
                  if (TaskContext.get().attemptNumber() == 0) {
                    throw new IllegalStateException("the first attempt fails");
                  }
                  return done;
                })
            .first();

    assertArrived();
    assertThat(fates(result)).containsExactly("unchanged", "unchanged");
    assertThat(result.figures().bytesMoved()).isZero();
    assertThat(result.rows().next().getInt(7)).as("attempt").isEqualTo(2);
  }

  @Test
  void theSecondContinuesTheFileOfOneThatWasKilled() throws Exception {
    plan(false, "4G", "3M"); // so that the first one is not over when it is killed
    AtomicLong first = new AtomicLong(-1);
    SparkListener listener =
        new SparkListener() {
          @Override
          public void onTaskStart(SparkListenerTaskStart start) {
            first.compareAndSet(-1, start.taskInfo().taskId());
          }
        };
    spark().addSparkListener(listener);
    try {
      var result = attemptsAt(0).collectAsync();
      await().atMost(DEADLINE).until(() -> first.get() >= 0 && journal() > 0);

      assertThat(spark().killTaskAttempt(first.get(), true, "a test")).isTrue();

      UnitResult second = result.get().get(0);
      assertArrived();
      assertThat(second.figures().bytesKept()).isPositive();
      assertThat(second.figures().bytesKept() + second.figures().bytesMoved())
          .isBetween((long) SIZE, SIZE + 1L);
      assertThat(second.rows().next().getInt(7)).as("attempt").isEqualTo(2);
    } finally {
      spark().removeSparkListener(listener);
    }
  }

  /** Bytes of the largest file that is neither whole nor small: a journal, or what it speaks of. */
  private long journal() throws IOException {
    try (Stream<Path> all = Files.list(target)) {
      return all.filter(path -> path.getFileName().toString().endsWith(".journal"))
          .map(path -> path.toFile().length())
          .max(Comparator.naturalOrder())
          .orElse(0L);
    }
  }
}
