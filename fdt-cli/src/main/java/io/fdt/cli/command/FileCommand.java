package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.parse.DigestName;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.transfer.CheckOptions;
import io.fdt.cli.option.transfer.FileVerb;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.compare.CheckRun;
import io.fdt.cli.run.compare.FilesRun;
import io.fdt.cli.run.compare.StorageFilesRun;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.spec.TransferOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of ls, stat, mkdir, rename, rm, checksum and du. Pure. */
final class FileCommand {
  private static final String LONG = "-l";
  private static final String TREE = "-R";
  private static final String UNSORTED = "-U";
  private static final String PLAIN = "--plain";
  private static final String HUMAN = "--human";
  private static final String PARENTS = "-p";
  private static final String RECURSIVE = "-r";
  private static final String PORT = "--port";
  private static final String JSON = OutputOptions.JSON;

  /** Letters of other tools for what is always so. */
  private static final Set<String> ALWAYS_ON = Set.of("fdt ls -a", "fdt ls -A", "fdt du -s");

  private FileCommand() {}

  static Invocation ls(List<String> arguments) throws UsageException {
    return parse(
        listing(),
        arguments,
        "ls host:/path",
        1,
        (line, paths) ->
            new FileVerb.Look(
                paths.get(0), line.has(LONG), line.has(TREE), line.has(UNSORTED), line.has(HUMAN)));
  }

  static Invocation stat(List<String> arguments) throws UsageException {
    CommandSpec spec =
        spec("stat", "Shows one file, directory or link of a server; follows no links.");
    finish(spec, "REMOTE...", "stat storage1:/data/run42");
    return parse(spec, arguments, "stat host:/path", 0, (line, paths) -> new FileVerb.Stat(paths));
  }

  static Invocation mkdir(List<String> arguments) throws UsageException {
    CommandSpec spec = spec("mkdir", "Creates directories on a server.");
    Options.flag(
        spec,
        "Also create missing parents; an existing directory is not an error.",
        PARENTS,
        "--parents");
    finish(spec, "REMOTE...", "mkdir -p storage1:/incoming/2026/run42");
    return parse(
        spec,
        arguments,
        "mkdir host:/path",
        0,
        (line, paths) -> new FileVerb.MakeDirectories(paths, line.has(PARENTS)));
  }

  static Invocation rename(List<String> arguments) throws UsageException {
    CommandSpec spec =
        spec(
            "rename",
            "Renames a file, directory or link of a server within its file system. Never"
                + " replaces anything.");
    finish(spec, "FROM TO", "rename storage1:/incoming/run42 storage1:/data/run42");
    return parse(
        spec,
        arguments,
        "rename host:/from host:/to",
        2,
        (line, paths) -> new FileVerb.Rename(paths.get(0), paths.get(1)));
  }

  static Invocation rm(List<String> arguments) throws UsageException {
    CommandSpec spec = spec("rm", "Removes files and links of a server permanently.");
    Options.flag(spec, "Also remove directories with their contents.", RECURSIVE, "--recursive");
    Options.flag(spec, "Show what would be removed; remove nothing.", OutputOptions.DRY_RUN, "-n");
    finish(spec, "REMOTE...", "rm -r storage1:/incoming/run42");
    return parse(
        spec,
        arguments,
        "rm host:/path",
        0,
        (line, paths) ->
            new FileVerb.Remove(paths, line.has(RECURSIVE), line.has(OutputOptions.DRY_RUN)));
  }

  static Invocation checksum(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    CommandSpec spec =
        spec(
            "checksum",
            "Prints digests of files, read where they are: by this machine, or by the server, which"
                + " caches the digests of unchanged files.");
    Options.flag(spec, "Include all files beneath directories.", RECURSIVE, "--recursive");
    Options.choice(
        spec,
        DigestName.OF_FILES,
        "NAME",
        "Digest: crc32c (default), blake3, sha256, md5, sha1, xxh128 as other tools print them;"
            + " xxh3, sha256-tree, md5-tree, sha1-tree of chunks of 1 MiB, as transfers make them.",
        TransferOptions.CHECKSUM.name());
    Options.flag(
        spec, "The same as --checksum sha256; with xxh3, the same as --checksum xxh128.", PLAIN);
    CheckOptions.add(spec);
    finish(spec, "PATH...", "checksum -r --plain storage1:/data/run42 > SHA256SUMS");
    return Invocation.of(
        spec,
        arguments,
        line -> CheckOptions.arePresent(line) ? check(line, surroundings) : digests(line));
  }

  private static Command check(ParsedLine line, Surroundings surroundings) throws UsageException {
    if (line.operands().size() > 1 || line.has(RECURSIVE)) {
      throw new UsageException(
          "--check takes one directory, which the paths of the list are relative to, and no -r");
    }
    String base = line.operands().isEmpty() ? "." : line.operands().get(0);
    Location location = Location.parse(base, OptionValue.port(line, PORT));
    Optional<String> text = line.value(TransferOptions.CHECKSUM.name());
    Optional<Checksum> checksum =
        text.isEmpty() ? Optional.empty() : Optional.of(digestOf(line).checksum());
    ClientAccess access = AccessOptions.clientAccess(line);
    if (location instanceof Location.Local local) {
      CheckOptions.CheckList list = CheckOptions.of(line, local.path(), checksum, surroundings);
      return new CheckRun(Optional.empty(), list.files(), list.checksum(), line.has(JSON), access);
    }
    if (location instanceof Location.Remote remote) {
      CheckOptions.CheckList list = CheckOptions.of(line, remote.path(), checksum, surroundings);
      return new CheckRun(
          Optional.of(remote.server()),
          list.files(),
          list.checksum(),
          line.has(JSON),
          access.withFingerprintOf(remote));
    }
    throw new UsageException(
        "'" + base + "': only copy goes by SSH; write host:/path or fdt://host/path");
  }

  private static Command digests(ParsedLine line) throws UsageException {
    List<BytePath> local = new ArrayList<>();
    for (String operand : line.operands()) {
      if (Location.parse(operand, OptionValue.port(line, PORT)) instanceof Location.Local here) {
        local.add(here.path());
      }
    }
    return local.isEmpty() || local.size() < line.operands().size()
        ? command(line, "checksum host:/path", 0, FileCommand::digests)
        : new FilesRun.Local(digests(line, local), line.has(JSON));
  }

  private static FileVerb.Digests digests(ParsedLine line, List<BytePath> paths)
      throws UsageException {
    DigestName name = digestOf(line);
    return new FileVerb.Digests(
        List.copyOf(paths), line.has(RECURSIVE), name.checksum(), name.plain());
  }

  private static DigestName digestOf(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(TransferOptions.CHECKSUM.name());
    if (text.isEmpty()) {
      return line.has(PLAIN)
          ? new DigestName(Checksum.SHA256, true)
          : new DigestName(Checksum.CRC32C, false);
    }
    DigestName name = DigestName.of(TransferOptions.CHECKSUM.name(), text.get());
    if (name.checksum() == Checksum.NONE) {
      throw new UsageException("--checksum none leaves nothing to show");
    }
    return line.has(PLAIN) ? new DigestName(name.checksum(), true) : name;
  }

  static Invocation du(List<String> arguments) throws UsageException {
    CommandSpec spec =
        spec("du", "Adds up the sizes of all files beneath directories of a server.");
    human(spec);
    finish(spec, "REMOTE...", "du --human storage1:/data/run42");
    return parse(
        spec,
        arguments,
        "du host:/path",
        0,
        (line, paths) -> new FileVerb.Measure(paths, line.has(HUMAN)));
  }

  private static CommandSpec listing() {
    CommandSpec spec = spec("ls", "Lists a directory of a server, sorted by name.");
    Options.flag(spec, "Show mode, size, modification time and link target.", LONG, "--long");
    Options.flag(spec, "Include all directories beneath it.", TREE, "--recursive");
    Options.flag(
        spec, "Do not sort; for directories with millions of entries.", UNSORTED, "--unsorted");
    human(spec);
    finish(spec, "REMOTE", "ls -l storage1:/data");
    return spec;
  }

  /** Makes an action from a line and its paths on one server. */
  private interface VerbOf {
    FileVerb of(ParsedLine line, List<BytePath> paths) throws UsageException;
  }

  /**
   * Reads a line whose operands are paths on one server.
   *
   * @param count the number of paths; 0 for one or more
   */
  private static Invocation parse(
      CommandSpec spec, List<String> arguments, String usage, int count, VerbOf verb)
      throws UsageException {
    return Invocation.of(
        spec, ungrouped(arguments, spec), line -> command(line, usage, count, verb));
  }

  /** A line with an option for each letter of -lh: in a group, h is --human as in other tools. */
  private static List<String> ungrouped(List<String> arguments, CommandSpec spec) {
    List<String> words = new ArrayList<>();
    for (String word : arguments) {
      List<String> options =
          word.matches("-[A-Za-z]{2,}") && !spec.optionsMap().containsKey(word)
              ? word.substring(1)
                  .chars()
                  .mapToObj(letter -> letter == 'h' ? HUMAN : "-" + (char) letter)
                  .filter(option -> !ALWAYS_ON.contains(spec.name() + " " + option))
                  .toList()
              : List.of(word);
      boolean isKnown = spec.optionsMap().keySet().containsAll(options);
      words.addAll(isKnown ? options : List.of(word));
    }
    return words;
  }

  private static Command command(ParsedLine line, String usage, int count, VerbOf verb)
      throws UsageException {
    int given = line.operands().size();
    if (count == 0 ? given == 0 : given != count) {
      String wanted =
          count == 0
              ? "a path on a server is needed"
              : count == 1 ? "exactly one path on a server is needed" : "two paths are needed";
      throw new UsageException(wanted + ": " + usage);
    }
    int port = OptionValue.port(line, PORT);
    ServerAddress server = null;
    ClientAccess access = AccessOptions.clientAccess(line);
    List<BytePath> paths = new ArrayList<>();
    Set<BytePath> roots = new HashSet<>();
    for (String operand : line.operands()) {
      Location location = Location.parse(operand, port);
      if (location instanceof Location.Ssh) {
        throw new UsageException(
            "'" + operand + "': only copy goes by SSH; write host:/path or fdt://host/path");
      }
      if (location instanceof Location.Local local && location.isInOtherStorage()) {
        roots.add(StorageFilesRun.rootOf(local.path()));
        paths.add(local.path());
        continue;
      }
      if (!(location instanceof Location.Remote remote)) {
        if (line.has(PARENTS) && operand.matches("[0-9]+")) {
          throw new UsageException(
              "-p is --parents here; write --port %s, or host:%s:/path"
                  .formatted(operand, operand));
        }
        throw new UsageException(
            "'%s' is on this machine; for a server write %s"
                .formatted(operand, operand.contains("/") ? "host:/path" : operand + ":/"));
      }
      if (server != null && !server.isSameAs(remote.server())) {
        throw new UsageException("all paths must be on the same server");
      }
      server = remote.server();
      access = access.withFingerprintOf(remote);
      paths.add(remote.path());
    }
    FileVerb what = verb.of(line, List.copyOf(paths));
    if (roots.isEmpty()) {
      return new FilesRun(server, what, line.has(JSON), access);
    }
    if (server != null || roots.size() > 1) {
      throw new UsageException("all paths must be on the same server, or in one kind of storage");
    }
    return new StorageFilesRun(roots.iterator().next(), what, line.has(JSON), access);
  }

  private static CommandSpec spec(String name, String description) {
    return Options.command("fdt " + name, description + "%n");
  }

  private static void human(CommandSpec spec) {
    Options.flag(spec, "Print sizes in units of 1024, such as 1.50 GiB.", HUMAN);
  }

  /** Adds the options of all these commands. */
  private static void finish(CommandSpec spec, String operands, String example) {
    Options.flag(spec, "Print one JSON object per line.", JSON);
    if (spec.optionsMap().containsKey(Options.PORT)) { // of mkdir
      Options.value(spec, "PORT", Options.SERVER_PORT + " -p is --parents here.", PORT);
    } else {
      Options.serverPort(spec);
    }
    AccessOptions.allOfClient(spec);
    Options.operands(spec, operands, "host[:port]:/path or fdt://host[:port]/path.");
    String own =
        Stream.of(LONG, TREE, UNSORTED, PARENTS, RECURSIVE)
            .map(spec::findOption)
            .filter(option -> option != null && option.arity().max() == 0) // -p is --port elsewhere
            .map(option -> " [" + option.shortestName() + "]")
            .reduce("", String::concat);
    spec.usageMessage()
        .customSynopsis(spec.name() + own + " [options] " + operands)
        .footer("", "Example:", "  java -jar fdt.jar " + example);
  }
}
