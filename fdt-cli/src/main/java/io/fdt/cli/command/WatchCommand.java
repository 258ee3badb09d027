package io.fdt.cli.command;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.CopyOutput;
import io.fdt.cli.option.transfer.ForeignOptions;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.option.transfer.PartOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.copy.Copier;
import io.fdt.cli.run.watch.WatchRun;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.ByteText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command line of {@code watch SOURCE... DEST}: {@code copy -r}, repeated. Reads a list of
 * files.
 */
final class WatchCommand {
  private static final List<String> REFUSED =
      List.of(CopyCommand.DETACH, ViaOptions.HAND_OVER, OutputOptions.DRY_RUN);

  private static final String AFTER_CHANGE = "--after-change";
  private static final String EVERY = "--every";
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private WatchCommand() {}

  static Invocation parse(List<String> arguments, Surroundings surroundings) throws UsageException {
    List<String> words = new ArrayList<>(List.of("--archive"));
    words.addAll(arguments);
    CommandSpec spec = spec();
    List<String> own = ForeignOptions.translate(words, spec, surroundings);
    return Invocation.of(spec, own, line -> command(line, own, surroundings));
  }

  private static Command command(ParsedLine line, List<String> words, Surroundings surroundings)
      throws UsageException {
    line.refuse(REFUSED, " cannot be combined with watch, which copies until it is stopped");
    if (line.operands().contains(PartOptions.STANDARD) || PartOptions.arePresent(line)) {
      throw new UsageException("a watch copies files and directories; for streams use copy");
    }
    Optional<Duration> every = OptionValue.duration(line, EVERY);
    Duration afterChange = OptionValue.duration(line, AFTER_CHANGE).orElse(PAUSE);
    if (every.filter(Duration::isZero).isPresent()) {
      throw new UsageException(EVERY + ": at least 1s");
    }
    Copier copy = CopyCommand.command(line, words, surroundings);
    Copy sample = copy.copy();
    boolean sends = sample.request().direction() == TransferRequest.Direction.PUSH;
    boolean isLocal = sends && sample.source().isEmpty();
    List<Path> sources = new ArrayList<>();
    if (isLocal) {
      for (var operand : sample.request().spec().sources()) {
        sources.add(OptionValue.file("SOURCE", ByteText.decode(operand.path().bytes())));
      }
    } else if (line.has(AFTER_CHANGE)) {
      throw new UsageException(AFTER_CHANGE + " is for a source on this machine; write " + EVERY);
    }
    return new WatchRun(
        copy.with(one -> one.with(one.output().on(CopyOutput.Occasion.REPEATED))),
        copy.with(
            one ->
                one.with(one.output().on(CopyOutput.Occasion.REPEATED))
                    .with(one.request().withDeletionFromEmpty())),
        sources,
        afterChange,
        every);
  }

  private static CommandSpec spec() {
    CommandSpec spec = CopyCommand.spec().name("fdt watch");
    Options.hide(spec, REFUSED);
    Options.value(
        spec,
        "DELAY",
        "Copy when a source on this machine has been quiet for DELAY after a change, and at the"
            + " latest after 10 times DELAY (default 1s).",
        AFTER_CHANGE);
    Options.value(
        spec,
        "TIME",
        "Also copy every TIME (default: 1m for a source on a server, never for one that is"
            + " watched).",
        EVERY);
    spec.usageMessage()
        .description(
            "Copies SOURCE to DEST, and again whenever it has changed, until it is stopped. The"
                + " same as copy -r, repeated; --delete also removes what SOURCE lacks.%n")
        .customSynopsis("fdt watch [options] SOURCE... DEST")
        .footer(
            "",
            "A source on this machine is watched (inotify); one on a server is looked at each",
            "minute. After a failure it tries again, after 1 s at first and 60 s later on, so",
            "that it survives restarts of servers. SIGTERM or Ctrl-C ends it with status 0.",
            "",
            "Examples:",
            "  java -jar fdt.jar watch run42/ storage1:/incoming/run42",
            "  java -jar fdt.jar watch --delete --every 5m storage1:/data/ /mirror");
    return spec;
  }
}
