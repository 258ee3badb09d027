package io.fdt.spark;

import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Units of a plan; computing a partition copies its files. A task that Spark runs again finds
 * complete files unchanged, and resumes partial ones.
 */
final class UnitsRdd extends RDD<UnitResult> {
  private static final long serialVersionUID = 1;

  /** The number of the last step, which sets times of directories, creates links, and deletes. */
  static final int LAST_STEP = -1;

  /** The names of the units' files; in the driver only. */
  private final transient UnitTexts texts;

  /** The units, in the order of their tasks; in the driver only. */
  private final transient int[] units;

  private final Broadcast<CopyTask> task;

  /**
   * Units as partitions.
   *
   * @param units their numbers, in the order of their tasks; {@link #LAST_STEP} alone for the last
   *     step
   */
  UnitsRdd(SparkContext spark, UnitTexts texts, int[] units, Broadcast<CopyTask> task) {
    super(spark, noDependencies(), ClassTag$.MODULE$.apply(UnitResult.class));
    this.texts = texts;
    this.units = units;
    this.task = task;
  }

  private static Seq<Dependency<?>> noDependencies() {
    return CollectionConverters.<Dependency<?>>asScala(List.<Dependency<?>>of()).toSeq();
  }

  @Override
  public Partition[] getPartitions() {
    Partition[] partitions = new Partition[units.length];
    for (int index = 0; index < units.length; index++) {
      partitions[index] = new UnitPartition(index, units[index], texts);
    }
    return partitions;
  }

  @Override
  public Iterator<UnitResult> compute(Partition split, TaskContext context) {
    UnitPartition partition = (UnitPartition) split;
    UnitResult result = task.value().run(partition.unit(), partition.text(), context);
    return CollectionConverters.asScala(List.of(result).iterator());
  }
}
