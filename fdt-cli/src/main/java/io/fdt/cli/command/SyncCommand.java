package io.fdt.cli.command;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.CopyOutput;
import io.fdt.cli.option.transfer.ForeignOptions;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.process.RepeatedSurroundings;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.copy.Copier;
import io.fdt.cli.run.copy.SyncRun;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command line of {@code sync SOURCE DEST}: {@code copy -r --delete}, read twice, once as a dry
 * run. Reads lists of files.
 */
final class SyncCommand {
  private static final String YES = "--yes";

  private SyncCommand() {}

  static Invocation parse(List<String> arguments, Surroundings surroundings) throws UsageException {
    Surroundings same = new RepeatedSurroundings(surroundings);
    List<String> words = new ArrayList<>(List.of("--archive", "--delete-after"));
    words.addAll(arguments);
    List<String> own = ForeignOptions.translate(words, spec(), same);
    return Invocation.of(spec(), own, line -> command(line, own, same));
  }

  private static Command command(ParsedLine line, List<String> words, Surroundings surroundings)
      throws UsageException {
    if (line.has(CopyCommand.DETACH)) {
      throw new UsageException(
          "--detach cannot be combined with sync; use copy -r --delete --detach");
    }
    if (line.operands().size() > 2) {
      throw new UsageException(
          "one source and a destination are needed: sync SOURCE DEST; copy takes several");
    }
    Copier copy = CopyCommand.command(line, words, surroundings);
    if (line.has(OutputOptions.DRY_RUN)) {
      return copy;
    }
    List<String> dry = new ArrayList<>(List.of(OutputOptions.DRY_RUN));
    dry.addAll(words);
    Copier rehearsal =
        CopyCommand.command(ParsedLine.parse(spec(), dry), words, surroundings)
            .with(one -> one.with(one.output().on(CopyOutput.Occasion.QUESTION)));
    return new SyncRun(rehearsal, copy, !line.has(YES));
  }

  private static CommandSpec spec() {
    CommandSpec spec = CopyCommand.spec().name("fdt sync");
    Options.hide(spec, List.of(CopyCommand.DETACH));
    Options.flag(spec, "Do not ask, at a terminal either.", YES, "-y");
    spec.usageMessage()
        .description(
            "Makes DEST a copy of SOURCE: copies what is new or has changed, and removes what"
                + " SOURCE lacks. The same as copy -r --delete.%n")
        .customSynopsis("fdt sync [--yes] [options] SOURCE DEST")
        .footer(
            "",
            "At a terminal it shows first how much would be copied and removed (with -v also",
            "what), and asks. Without a terminal it does not ask, nor where nothing would",
            "change. SOURCE 'dir/' means the contents of dir.",
            "",
            "Examples:",
            "  java -jar fdt.jar sync run42/ storage1:/backup/run42",
            "  java -jar fdt.jar sync --yes --max-delete 100 storage1:/data/ /mirror");
    return spec;
  }
}
