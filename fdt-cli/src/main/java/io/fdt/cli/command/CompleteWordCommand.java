package io.fdt.cli.command;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.compare.CompleteRun;
import io.fdt.cli.run.compare.FilesRun;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The command line {@code complete-word SUBCOMMAND PREVIOUS WORD}, which shell completions run for
 * an unfinished operand. Reads the names of servers.
 */
final class CompleteWordCommand {
  static final String NAME = "complete-word";

  /** Subcommands whose operands are paths on servers. */
  static final Set<String> OF_PATHS =
      Set.of("checksum", "copy", "du", "ls", "mkdir", "rename", "rm", "stat", "sync", "watch");

  /** Subcommands whose operands are servers. */
  static final Set<String> OF_SERVERS = Set.of("doctor", "login", "logout", "nettest", "sessions");

  private CompleteWordCommand() {}

  /**
   * Reads the line.
   *
   * @param parser reads other command lines
   */
  static Invocation parse(List<String> arguments, Surroundings surroundings, Subcommand parser)
      throws UsageException {
    if (arguments.size() != 3) {
      throw new UsageException(NAME + " is for the completions of shells");
    }
    return new Invocation(
        command(arguments.get(0), arguments.get(1), arguments.get(2), surroundings, parser), 0);
  }

  private static Command command(
      String subcommand, String previous, String word, Surroundings surroundings, Subcommand parser)
      throws UsageException {
    if (subcommand.equals("token") && previous.equals("revoke")) {
      return new CompleteRun.Token(word);
    }
    boolean takesPaths = OF_PATHS.contains(subcommand);
    int slash = word.lastIndexOf('/');
    if (takesPaths && slash > 0 && word.indexOf(':') >= 0 && word.indexOf(':') < slash) {
      String directory = word.substring(0, slash + 1);
      Optional<FilesRun> listing = listing(directory, surroundings, parser);
      if (listing.isPresent()) {
        return new CompleteRun.Path(listing.get(), directory, word.substring(slash + 1));
      }
    }
    if (!takesPaths && !OF_SERVERS.contains(subcommand)) {
      return new CompleteRun.Server(word, false, List.of());
    }
    return new CompleteRun.Server(word, takesPaths, ServersFile.read(surroundings).values());
  }

  /** The listing of the directory; empty if the word names no server yet. */
  private static Optional<FilesRun> listing(
      String directory, Surroundings surroundings, Subcommand parser) {
    try {
      return parser.parse(List.of("ls", directory), surroundings).command()
              instanceof FilesRun files
          ? Optional.of(files)
          : Optional.empty();
    } catch (UsageException e) {
      return Optional.empty();
    }
  }
}
