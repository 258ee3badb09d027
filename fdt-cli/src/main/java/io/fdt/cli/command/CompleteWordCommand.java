package io.fdt.cli.command;

import io.fdt.cli.option.ServersFile;
import io.fdt.cli.option.Surroundings;
import io.fdt.cli.option.UsageException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The command line {@code complete-word SUBCOMMAND PREVIOUS WORD}, which the completions of shells
 * run: what can stand in place of an unfinished operand. Pure but for the names of servers.
 */
final class CompleteWordCommand {
  static final String NAME = "complete-word";

  /** Subcommands whose operands are paths on servers. */
  static final Set<String> OF_PATHS =
      Set.of("checksum", "copy", "du", "ls", "mkdir", "rename", "rm", "stat", "sync", "watch");

  /** Subcommands whose operands are servers. */
  static final Set<String> OF_SERVERS = Set.of("doctor", "login", "logout", "nettest", "sessions");

  private CompleteWordCommand() {}

  static Invocation parse(List<String> arguments, Surroundings surroundings) throws UsageException {
    if (arguments.size() != 3) {
      throw new UsageException(NAME + " is for the completions of shells");
    }
    return new Invocation(
        command(arguments.get(0), arguments.get(1), arguments.get(2), surroundings), 0);
  }

  private static Operation command(
      String subcommand, String previous, String word, Surroundings surroundings)
      throws UsageException {
    if (subcommand.equals("token") && previous.equals("revoke")) {
      return new Operation.CompleteToken(word);
    }
    boolean takesPaths = OF_PATHS.contains(subcommand);
    int slash = word.lastIndexOf('/');
    if (takesPaths && slash > 0 && word.indexOf(':') >= 0 && word.indexOf(':') < slash) {
      String directory = word.substring(0, slash + 1);
      Optional<Operation.Files> listing = listing(directory, surroundings);
      if (listing.isPresent()) {
        return new Operation.CompletePath(listing.get(), directory, word.substring(slash + 1));
      }
    }
    if (!takesPaths && !OF_SERVERS.contains(subcommand)) {
      return new Operation.CompleteServer(word, false, Map.of());
    }
    return new Operation.CompleteServer(word, takesPaths, ServersFile.read(surroundings));
  }

  /** How the directory is listed; empty when the word is not that of a server yet. */
  private static Optional<Operation.Files> listing(String directory, Surroundings surroundings) {
    try {
      return Subcommands.parse(List.of("ls", directory), surroundings).command()
              instanceof Operation.Files files
          ? Optional.of(files)
          : Optional.empty();
    } catch (UsageException e) {
      return Optional.empty();
    }
  }
}
