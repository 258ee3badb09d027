package io.fdt.cli;

import java.util.List;
import java.util.Map;

/**
 * Both spellings of the command: a subcommand in the first place makes it today's, anything else is
 * FDT's flags. Each turns arguments into the same {@link Command}s.
 */
final class Spelling {
  /** Turns what follows a subcommand into a command. */
  private interface Subcommand {
    Invocation parse(List<String> arguments) throws UsageException;
  }

  private static final Map<String, Subcommand> SUBCOMMANDS =
      Map.of(
          "cleanup", CleanupSpelling::parse,
          "copy", CopySpelling::parse,
          "ls", ListSpelling::parse,
          "nettest", NettestSpelling::parse,
          "serve", ServeSpelling::parse,
          "token", TokenSpelling::parse);

  private Spelling() {}

  /**
   * Reads a command line.
   *
   * @param listFiles opens the lists that it names
   */
  static Invocation parse(List<String> arguments, FileContent listFiles) throws UsageException {
    String first = arguments.isEmpty() ? "" : arguments.get(0);
    if (first.equals("help")) {
      return help(arguments.subList(1, arguments.size()), listFiles);
    }
    Subcommand subcommand = SUBCOMMANDS.get(first);
    if (subcommand == null) {
      return fdt(arguments, listFiles);
    }
    try {
      return subcommand.parse(arguments.subList(1, arguments.size()));
    } catch (UsageException e) {
      throw new UsageException(
          first + ": " + e.getMessage() + " (see: java -jar fdt.jar " + first + " --help)");
    }
  }

  private static Invocation fdt(List<String> arguments, FileContent listFiles)
      throws UsageException {
    try {
      return FdtSpelling.parse(arguments, listFiles, SUBCOMMANDS.keySet());
    } catch (UsageException e) {
      throw new UsageException(e.getMessage() + " (see: java -jar fdt.jar --help)");
    }
  }

  private static Invocation help(List<String> topics, FileContent listFiles) throws UsageException {
    if (topics.isEmpty()) {
      return fdt(List.of(Options.HELP), listFiles);
    }
    Subcommand subcommand = SUBCOMMANDS.get(topics.get(0));
    if (subcommand == null || topics.size() > 1) {
      throw new UsageException(
          "help: there is help on cleanup, copy, ls, nettest, serve and token (see: java -jar"
              + " fdt.jar --help)");
    }
    return subcommand.parse(List.of(Options.HELP));
  }
}
