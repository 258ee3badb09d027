package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.CopySumsOptions;
import io.fdt.cli.option.transfer.FilterOptions;
import io.fdt.cli.option.transfer.ForeignOptions;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.option.transfer.PartOptions;
import io.fdt.cli.option.transfer.ReverseOptions;
import io.fdt.cli.option.transfer.SshOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.copy.DirectCopy;
import io.fdt.cli.run.plan.PlanRun;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.Preservation;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.unit.ByteSize;
import io.fdt.plan.PlanHeader;
import io.fdt.plan.UnitLimits;
import io.fdt.plan.work.WorkerOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of plan and worker: a plan has the options of copy. Reads lists of files. */
final class PlanCommand {
  private static final String DIRECTORY = "--dir";
  private static final String UNIT_BYTES = "--unit-bytes";
  private static final String UNIT_FILES = "--unit-files";
  private static final String TAKEOVER = "--takeover";
  private static final String STATUS = "status";
  private static final String REPORT = "report";
  private static final String PLAN = "--plan";
  private static final String INDEX = "--index";
  private static final String COUNT = "--of";
  private static final String PARALLEL = "--parallel";
  private static final String ATTEMPTS = "--attempts";
  private static final String NO_WAIT = "--no-wait";

  private static final String SLURM_INDEX = "SLURM_ARRAY_TASK_ID";
  private static final String SLURM_COUNT = "SLURM_ARRAY_TASK_COUNT";

  /** Variables with the index of a job in its array, from 0. */
  private static final List<String> INDEX_VARIABLES =
      List.of("JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX");

  /** More workers than any engine has. */
  private static final int MAX_WORKERS = 1_000_000;

  /** Options of copy that a plan cannot have. */
  private static final List<String> REFUSED =
      Stream.of(
              List.of(CopyCommand.DETACH),
              CopySumsOptions.withWhole(
                  List.of("--report", "--explain", "--monitor", Options.AFFINITY)),
              ViaOptions.OF_HAND_OVER,
              ReverseOptions.ALL,
              PartOptions.ALL,
              FilterOptions.ALL)
          .flatMap(List::stream)
          .toList();

  private static final int MAX_ATTEMPTS = 1000;

  private PlanCommand() {}

  static Invocation plan(List<String> arguments, Surroundings surroundings) throws UsageException {
    CommandSpec spec = planSpec();
    return Invocation.of(
        spec,
        ForeignOptions.translate(arguments, spec, surroundings),
        line -> planned(line, arguments, surroundings));
  }

  private static Command planned(ParsedLine line, List<String> arguments, Surroundings surroundings)
      throws UsageException {
    List<String> operands = line.operands();
    if (!line.has(DIRECTORY) && operands.size() == 2) {
      Path directory = surroundings.workingDirectory().resolve(path(operands.get(1)));
      if (operands.get(0).equals(STATUS)) {
        return new PlanRun.Status(directory, line.has(OutputOptions.JSON));
      }
      if (operands.get(0).equals(REPORT)) {
        return new PlanRun.Report(directory);
      }
    }
    Optional<String> directory = line.value(DIRECTORY);
    if (directory.isEmpty()) {
      throw new UsageException(
          DIRECTORY
              + " is missing: plan --dir DIR SOURCE... DEST, plan status DIR, or plan report DIR");
    }
    if (line.has(ViaOptions.HAND_OVER)) {
      throw new UsageException(ViaOptions.HAND_OVER + " cannot be combined with a plan");
    }
    if (!(CopyCommand.command(line, arguments, surroundings) instanceof DirectCopy direct)) {
      throw new UsageException(
          "a server that this command starts ends with it: start servers on the hosts");
    }
    Copy copy = direct.copy();
    check(copy);
    return new PlanRun.Make(
        surroundings.workingDirectory().resolve(path(directory.get())),
        copy,
        limits(line),
        takeover(line));
  }

  private static void check(Copy copy) throws UsageException {
    TransferSpec spec = copy.request().spec();
    if (copy.detach()) {
      throw new UsageException(CopyCommand.DETACH + " cannot be combined with a plan");
    }
    if (copy.request().output().isPresent() || copy.request().input().isPresent()) {
      throw new UsageException("- is one file: use copy");
    }
    if (!spec.part().isWhole()) {
      throw new UsageException("a range is of one file: use copy");
    }
    if (!copy.filters().before().isEmpty() || !copy.filters().after().isEmpty()) {
      throw new UsageException("filters see a whole transfer, and a plan has many");
    }
    if (copy.output().report().isPresent() || copy.output().explain()) {
      throw new UsageException("nothing is copied yet; afterwards: fdt plan report DIR");
    }
    if (copy.output().sums().hasLists() || copy.output().monitor()) {
      throw new UsageException("digests are listed, and figures shown, of one copy only");
    }
    if (spec.preservation().keeps(Preservation.Aspect.HARD_LINKS)) {
      throw new UsageException(
          "hard links are not kept by a plan: names of one file can be in two units");
    }
    boolean isRemote = copy.request().direction() != TransferRequest.Direction.PUSH;
    if (isRemote && spec.preservation().links() == Preservation.Links.FOLLOW) {
      throw new UsageException(
          "links are followed from a server in one walk only: use copy, or --links copy");
    }
  }

  private static UnitLimits limits(ParsedLine line) throws UsageException {
    return new UnitLimits(
        OptionValue.size(line, UNIT_BYTES, 1, Long.MAX_VALUE, "1 and 8EiB")
            .map(ByteSize::bytes)
            .orElse(UnitLimits.DEFAULT.bytes()),
        OptionValue.count(line, UNIT_FILES, 1, UnitLimits.MAX_FILES, UnitLimits.DEFAULT.files()));
  }

  private static Duration takeover(ParsedLine line) throws UsageException {
    Duration takeover = OptionValue.duration(line, TAKEOVER).orElse(PlanHeader.DEFAULT_TAKEOVER);
    if (takeover.compareTo(PlanHeader.LEAST_TAKEOVER) < 0) {
      throw new UsageException(
          TAKEOVER + ": at least " + PlanHeader.LEAST_TAKEOVER.toSeconds() + " s");
    }
    return takeover;
  }

  private static Path path(String text) throws UsageException {
    return OptionValue.file("the plan", text);
  }

  static Invocation worker(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    return Invocation.of(workerSpec(), arguments, line -> work(line, surroundings));
  }

  private static Command work(ParsedLine line, Surroundings surroundings) throws UsageException {
    if (!line.operands().isEmpty()) {
      throw new UsageException(
          "'" + line.operands().get(0) + "': a worker takes options only; " + PLAN + " DIR");
    }
    Optional<String> directory = line.value(PLAN);
    if (directory.isEmpty()) {
      throw new UsageException(PLAN + " is missing: worker --plan DIR [--index I --of N]");
    }
    Path working = surroundings.workingDirectory();
    int index = index(line, surroundings.environment());
    WorkerOptions options =
        new WorkerOptions(
            index,
            count(line, index, surroundings.environment()),
            OptionValue.count(line, PARALLEL, 1, WorkerOptions.MAX_PARALLEL, 1),
            OptionValue.count(line, ATTEMPTS, 1, MAX_ATTEMPTS, WorkerOptions.DEFAULT_ATTEMPTS),
            !line.has(NO_WAIT));
    return new PlanRun.Work(
        working.resolve(path(directory.get())),
        options,
        AccessOptions.tokenFile(line).map(working::resolve),
        AccessOptions.sourceTokenFile(line).map(working::resolve),
        AccessOptions.fingerprint(line),
        AccessOptions.acceptsNew(line),
        line.has(OutputOptions.JSON));
  }

  private static int index(ParsedLine line, Map<String, String> environment) throws UsageException {
    if (line.has(INDEX)) {
      return OptionValue.count(line, INDEX, 0, MAX_WORKERS, 0);
    }
    if (environment.containsKey(SLURM_INDEX)) {
      int first = variable("SLURM_ARRAY_TASK_MIN", environment, 0);
      int step = Math.max(1, variable("SLURM_ARRAY_TASK_STEP", environment, 1));
      return Math.max(0, variable(SLURM_INDEX, environment, 0) - first) / step;
    }
    for (String name : INDEX_VARIABLES) {
      if (environment.containsKey(name)) {
        return variable(name, environment, 0);
      }
    }
    return 0;
  }

  /** The number of workers; without any information, the index plus one. */
  private static int count(ParsedLine line, int index, Map<String, String> environment)
      throws UsageException {
    if (line.has(COUNT)) {
      return OptionValue.count(line, COUNT, 1, MAX_WORKERS, 1);
    }
    return Math.max(1, variable(SLURM_COUNT, environment, index + 1));
  }

  private static int variable(String name, Map<String, String> environment, int otherwise)
      throws UsageException {
    String text = environment.get(name);
    return text == null || text.isEmpty()
        ? otherwise
        : OptionValue.count("the variable " + name, text, 0, MAX_WORKERS);
  }

  private static CommandSpec planSpec() {
    CommandSpec spec = CopyCommand.spec().name("fdt plan");
    SshOptions.hide(spec);
    Options.hide(spec, REFUSED);
    Options.replaceOperands(
        spec,
        "SOURCE... DEST",
        """
        One side or both are on a server that runs by itself: host[:port]:/path.
        Percent-encoded:
        fdt://host[:port]/path[?fingerprint=SHA256:...]
        A local name with a colon is written ./a:b.\
        """);
    Options.value(spec, "DIR", "The plan: a new directory that all workers see.", DIRECTORY);
    Options.value(
        spec,
        "SIZE",
        "Bytes of the files of a unit, and of a range of a larger file (default 4GiB).",
        UNIT_BYTES);
    Options.value(
        spec,
        "N",
        "Files of a unit, 1 to " + UnitLimits.MAX_FILES + " (default 4000).",
        UNIT_FILES);
    Options.value(
        spec,
        "SECONDS",
        "After how long without a heartbeat a worker counts as dead, at least 6 (default 120).",
        TAKEOVER);
    spec.usageMessage()
        .description(
            "Lists the source of a copy and cuts it into units, which any number of workers"
                + " copy: in job arrays of Slurm, Kubernetes, PBS and HTCondor.%n")
        .customSynopsis(
            "fdt plan --dir DIR [-r] [options] SOURCE... DEST",
            "       fdt plan status [--json] DIR",
            "       fdt plan report DIR")
        .footer(
            "",
            "status says how far the workers are, report prints the outcome of each file as",
            "copy --report writes it.",
            "",
            "A planner that was killed is started again with the same command. The plan holds",
            "no tokens: workers have them from their home, FDT_TOKEN or --token-file.",
            "",
            "Examples:",
            "  java -jar fdt.jar plan --dir /shared/plan42 -r storage1:/data/run42 /scratch/",
            "  java -jar fdt.jar plan status /shared/plan42");
    return spec;
  }

  private static CommandSpec workerSpec() {
    CommandSpec spec =
        Options.command("fdt worker", "Copies units of a plan that fdt plan made.%n");
    Options.value(spec, "DIR", "The plan.", PLAN);
    Options.value(
        spec,
        "I",
        "Which worker this is, from 0: where it begins (default: from the engine's"
            + " environment).",
        INDEX);
    Options.value(spec, "N", "How many workers there are (default: the same).", COUNT);
    Options.value(
        spec, "N", "Units at once, 1 to " + WorkerOptions.MAX_PARALLEL + " (default 1).", PARALLEL);
    Options.value(
        spec,
        "N",
        "Attempts of all workers together at a unit that fails (default "
            + WorkerOptions.DEFAULT_ATTEMPTS
            + ").",
        ATTEMPTS);
    Options.flag(spec, "End as soon as nothing is left to claim.", NO_WAIT);
    AccessOptions.worker(spec);
    OutputOptions.json(spec);
    Options.general(spec);
    Options.unexpectedOperands(spec);
    spec.usageMessage()
        .customSynopsis("fdt worker --plan DIR [--index I --of N] [options]")
        .footer(
            "",
            "A worker takes its share, then what others have not claimed yet, then what dead",
            "workers had. It may be killed and started again at any time. When everything is",
            "copied one worker sets modes and times of directories, and obeys --delete.",
            "",
            "Exit status: 0 everything is copied; otherwise that of the units that failed.",
            "",
            "Example, one of four:",
            "  java -jar fdt.jar worker --plan /shared/plan42 --index 0 --of 4");
    return spec;
  }
}
