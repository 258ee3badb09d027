package io.fdt.spark;

import io.fdt.cli.run.plan.PlannedClients;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.plan.Plan;
import io.fdt.plan.PlanHeader;
import io.fdt.plan.UnitRecord;
import java.util.Iterator;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;

/**
 * A plan as jobs of Spark: one with a task for each unit, then one with the last step as its only
 * task. Results are kept in the executors, so that the driver's memory does not grow with the
 * number of files. For one thread.
 */
final class CopyJob implements AutoCloseable {
  private static final String DESCRIPTION = "spark.job.description";

  /** The property with which a job that is cancelled interrupts its transfers. */
  private static final String INTERRUPT = "spark.job.interruptOnCancel";

  private final SparkSession session;
  private final JavaSparkContext spark;
  private final Plan plan;
  private final CopyTokens secrets;
  private final PlanHeader header;
  private final boolean keepsEvents;
  private final UnitTexts texts;

  private JavaRDD<UnitResult> units;

  /** The units of whole cut files; null without any. */
  private JavaRDD<UnitResult> wholes;

  /** The last step; null for none. */
  private JavaRDD<UnitResult> lastStep;

  private UnitFigures figures = UnitFigures.NONE;
  private boolean isPartial;

  /**
   * The jobs of a plan.
   *
   * @param environment which may have tokens
   * @param keepsEvents whether {@link #record} is called later
   * @throws FdtException a file of a token cannot be read
   */
  CopyJob(SparkSession session, Plan plan, Map<String, String> environment, boolean keepsEvents)
      throws FdtException {
    this.session = session;
    this.spark = JavaSparkContext.fromSparkContext(session.sparkContext());
    this.plan = plan;
    Map<String, String> settings = plan.header().settings();
    this.secrets = new CopyTokens(PlannedClients.givenTokens(settings, environment));
    this.header = plan.header().withSettings(PlannedClients.withoutTokenFiles(settings));
    this.keepsEvents = keepsEvents;
    this.texts = new UnitTexts(plan);
  }

  /**
   * Copies all units. Called once.
   *
   * @throws FdtException Spark has given up a unit, or the whole job
   */
  UnitFigures run() throws FdtException {
    String what =
        "fdt copy: %d files, %d bytes".formatted(plan.totals().files(), plan.totals().bytes());
    try (CopyingJobs jobs = new CopyingJobs(spark, what)) {
      SparkContext context = session.sparkContext();
      Broadcast<CopyTask> task = broadcast(true);
      units = kept(new UnitsRdd(context, texts, plan.unitsBySize(), task));
      figures = sum(units);
      int[] ofRanges = plan.wholesOfRanges();
      if (ofRanges.length > 0) {
        jobs.describe("fdt copy: files whose ranges were copied");
        wholes = kept(new UnitsRdd(context, texts, ofRanges, task));
        figures = figures.plus(sum(wholes).withoutKept());
      }
      if (header.hasLastStep()) {
        isPartial = figures.exitStatus() != 0;
        jobs.describe("fdt copy: directories and links");
        int[] last = {UnitsRdd.LAST_STEP};
        lastStep = kept(new UnitsRdd(context, texts, last, broadcast(!isPartial)));
        figures = figures.plus(sum(lastStep));
      } else if (plan.totals().failures() > 0) {
        figures = figures.plus(UnitFigures.ofFailedListing());
      }
      return figures;
    } catch (Exception e) { // Spark's own are checked, and not declared
      throw jobFailed(e);
    }
  }

  private Broadcast<CopyTask> broadcast(boolean deletes) {
    return spark.broadcast(new CopyTask(header, secrets, keepsEvents, deletes));
  }

  private static JavaRDD<UnitResult> kept(UnitsRdd results) {
    return results.toJavaRDD().persist(StorageLevel.MEMORY_AND_DISK());
  }

  private static UnitFigures sum(JavaRDD<UnitResult> results) {
    return results.map(UnitResult::figures).fold(UnitFigures.NONE, UnitFigures::plus);
  }

  /** The cause of a failed job, for the user. */
  private static FdtException jobFailed(Exception thrown) {
    if (thrown instanceof FdtException known) {
      return known;
    }
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnitFailedException failed) {
        return new FdtException(failed.code(), failed.getMessage(), thrown);
      }
    }
    String reason = String.valueOf(thrown.getMessage()).lines().findFirst().orElse("no reason");
    return new FdtException(ErrorCode.IO, "Spark has ended the job: " + reason, thrown);
  }

  /** One row for each file: {@link FileRow#SCHEMA}. */
  Dataset<Row> rows() {
    JavaRDD<UnitResult> all = wholes == null ? units : units.union(wholes);
    all = lastStep == null ? all : all.union(lastStep);
    return session.createDataFrame(all.flatMap(UnitResult::rows), FileRow.SCHEMA);
  }

  /**
   * Records all results in the plan, one unit at a time.
   *
   * @throws FdtException the plan cannot be written
   */
  void record() throws FdtException {
    UnitRecord record = new UnitRecord(plan);
    try (CopyingJobs jobs = new CopyingJobs(spark, "fdt copy: report")) {
      record(units, record);
      if (wholes != null) {
        record(wholes, record);
      }
      if (lastStep != null) {
        jobs.describe("fdt copy: report of the last step");
        UnitResult result = lastStep.first();
        record.lastStep(result.events(), result.exitStatus() == 0, isPartial);
      }
    } catch (Exception e) { // Spark's own are checked, and not declared
      throw jobFailed(e);
    }
  }

  private static void record(JavaRDD<UnitResult> results, UnitRecord record) throws FdtException {
    for (Iterator<UnitResult> all = results.toLocalIterator(); all.hasNext(); ) {
      UnitResult result = all.next();
      record.unit(result.unit(), result.events(), result.exitStatus() == 0);
    }
  }

  /** Ends copying and recording; rows are kept. Idempotent. */
  @Override
  public void close() {
    texts.end();
  }

  /** Allows the jobs of this thread to copy, until it is closed. */
  private static final class CopyingJobs implements AutoCloseable {
    private final JavaSparkContext spark;
    private final String described;
    private final String interrupted;

    CopyingJobs(JavaSparkContext spark, String what) {
      this.spark = spark;
      this.described = spark.getLocalProperty(DESCRIPTION);
      this.interrupted = spark.getLocalProperty(INTERRUPT);
      spark.setLocalProperty(INTERRUPT, "true");
      spark.setLocalProperty(CopyTask.MAY_COPY, "true");
      describe(what);
    }

    void describe(String what) {
      spark.setLocalProperty(DESCRIPTION, what);
    }

    @Override
    public void close() {
      spark.setLocalProperty(CopyTask.MAY_COPY, null);
      spark.setLocalProperty(DESCRIPTION, described);
      spark.setLocalProperty(INTERRUPT, interrupted);
    }
  }
}
