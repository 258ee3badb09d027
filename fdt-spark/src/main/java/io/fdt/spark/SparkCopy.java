package io.fdt.spark;

import io.fdt.cli.command.Subcommands;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.OutputFile;
import io.fdt.cli.output.Screen;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.plan.PlanRun;
import io.fdt.client.RequiredStorage;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.spec.TransferSpec;
import io.fdt.plan.Plan;
import io.fdt.plan.PlanTotals;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A copy from its arguments, planned in a directory of the driver. The arguments are those of
 * {@code fdt plan}, read by the same code. For one thread; {@link #close} removes the directory,
 * unless the arguments name it.
 */
final class SparkCopy implements AutoCloseable {
  private static final String DIRECTORY = "--dir";

  private final PlanRun.Make operation;
  private final CommandContext context;

  /** The directory to remove at the end; null if the arguments name one. */
  private final Path temporary;

  private SparkCopy(PlanRun.Make operation, CommandContext context, Path temporary) {
    this.operation = operation;
    this.context = context;
    this.temporary = temporary;
  }

  /**
   * Parses the arguments of a copy.
   *
   * @return empty after printing help
   * @throws UsageException the arguments are invalid
   * @throws IOException the directory for the plan cannot be created
   */
  static Optional<SparkCopy> of(List<String> words, CommandContext context)
      throws UsageException, IOException {
    boolean isNamed =
        words.stream().anyMatch(word -> word.equals(DIRECTORY) || word.startsWith(DIRECTORY + "="));
    Path temporary = isNamed ? null : Files.createTempDirectory("fdt-spark-");
    List<String> all = new ArrayList<>(List.of("plan"));
    if (!isNamed) {
      all.addAll(List.of(DIRECTORY, temporary.resolve("plan").toString()));
    }
    all.addAll(words);
    boolean isKept = false;
    try {
      Invocation invocation = Subcommands.parse(all, context.surroundings());
      if (invocation.command() instanceof Help help) {
        context.screen().text(help.text());
        return Optional.empty();
      }
      if (!(invocation.command() instanceof PlanRun.Make plan)) {
        throw new UsageException("copy: SOURCE... DEST is missing (see: copy --help)");
      }
      requireNoScheme(plan.copy().request().spec());
      isKept = true;
      return Optional.of(new SparkCopy(plan, context, temporary));
    } finally {
      if (!isKept) {
        remove(temporary);
      }
    }
  }

  /** Storages of other jars use Netty by its own name, which it does not have in this jar. */
  private static void requireNoScheme(TransferSpec spec) throws UsageException {
    List<BytePath> paths = new ArrayList<>(List.of(spec.destination()));
    spec.sources().forEach(source -> paths.add(source.path()));
    for (BytePath path : paths) {
      if (RequiredStorage.isByScheme(path)) {
        throw new UsageException(
            "copy: '%s': executors reach it through a server only: fdt serve --export NAME=%s"
                .formatted(path, path));
      }
    }
  }

  /**
   * Lists the source and cuts it into units.
   *
   * @throws FdtException the source cannot be listed, or the plan not written
   */
  Plan plan() throws FdtException, InterruptedException {
    PlanTotals unused = PlanRun.make(operation, context);
    return Plan.open(operation.directory());
  }

  /** Whether the summary is JSON. */
  boolean json() {
    return operation.copy().output().json();
  }

  CommandContext context() {
    return context;
  }

  /**
   * Writes the report of a plan with recorded results, like a shell's redirection.
   *
   * @throws FdtException it cannot be written
   */
  void writeReport(Path file) throws FdtException {
    try (OutputFile output = OutputFile.create("--report", file)) {
      Screen screen = new Screen(output.stream(), OutputStream.nullOutputStream(), false);
      int unused =
          new PlanRun.Report(operation.directory())
              .run(new CommandContext(context.surroundings(), screen, context.ending()));
      output.finish(screen.flush() ? null : new IOException("input/output error"));
    }
  }

  /** The place for an internal report. */
  Path ownReport() {
    return operation.directory().resolve("report.json");
  }

  @Override
  public void close() throws IOException {
    remove(temporary);
  }

  private static void remove(Path directory) throws IOException {
    if (directory == null || !Files.exists(directory)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> found = Files.walk(directory)) {
      all = new ArrayList<>(found.toList());
    }
    for (int last = all.size() - 1; last >= 0; last--) {
      Files.deleteIfExists(all.get(last));
    }
  }
}
