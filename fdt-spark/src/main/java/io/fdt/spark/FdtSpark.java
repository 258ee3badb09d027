package io.fdt.spark;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Screen;
import io.fdt.cli.process.ProcessSurroundings;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.ExitHooks;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Copies with the executors of a Spark session, for programs. */
public final class FdtSpark {
  private FdtSpark() {}

  /**
   * Copies, and waits for the end. The arguments are those of {@code fdt plan}: options of {@code
   * fdt copy}, {@code --unit-bytes}, {@code --unit-files}, {@code --dir}, then sources and
   * destination.
   *
   * <pre>{@code
   * Dataset<Row> files = FdtSpark.copy(spark, "-r", "storage1:/data/run42", "/shared/");
   * files.where("fate = 'failed'").show();
   * }</pre>
   *
   * <p>The result has one row for each file: {@code path} (escaped as in messages), {@code fate}
   * (done, unchanged, due, failed, skipped, deleted), {@code bytes}, {@code digest} and {@code
   * checksum} (its construction), {@code code} and {@code message} of a problem, {@code attempt}
   * (of Spark, from 1) and {@code node} (the host of the executor). Rows are kept by the executors;
   * rows of an executor that is lost later are lost: reading them fails, and never copies again.
   *
   * <p>Failed files are rows, too. The plan is in a temporary directory of the driver, which is
   * removed, unless {@code --dir} is given. Messages go to standard error.
   *
   * @param words the arguments, as from a shell
   * @throws FdtException USAGE for invalid arguments; the source cannot be listed; Spark gave up a
   *     unit, because a server cannot be reached or refuses
   * @throws InterruptedException the thread was interrupted while the source was listed
   */
  public static Dataset<Row> copy(SparkSession spark, String... words)
      throws FdtException, InterruptedException {
    Screen screen = Screen.ofProcess().withoutOutput();
    CommandContext context =
        new CommandContext(new ProcessSurroundings(), screen, ExitHooks.OF_PROCESS);
    try (SparkCopy copy =
            SparkCopy.of(List.of(words), context)
                .orElseThrow(() -> new UsageException("--help is for the command only"));
        CopyJob job = new CopyJob(spark, copy.plan(), context.environment(), false)) {
      UnitFigures unused = job.run();
      return job.rows();
    } catch (UsageException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      throw new FdtException(ErrorCode.IO, "the plan: " + e.getMessage(), e);
    }
  }
}
