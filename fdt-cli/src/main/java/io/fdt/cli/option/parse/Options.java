package io.fdt.cli.option.parse;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The options that command lines are made of, each described once.
 *
 * <p>Values are kept as the text that was typed; {@link OptionValue} reads them, so that every
 * message is our own.
 */
public final class Options {
  public static final String STREAMS = "-P";
  public static final String READERS = "-rCount";
  public static final String WRITERS = "-wCount";
  public static final String BLOCK_SIZE = "-bs";
  public static final String SOCKET_BUFFER = "-ss";
  public static final String LIMIT = "-limit";
  public static final String CONGESTION = "--congestion";
  public static final String COMPRESS = "--compress";

  public static final String CHECKSUM = "--checksum";
  public static final String VERIFY = "--verify";
  public static final String FSYNC = "--fsync";

  /** Options about the verification of a file. */
  public static final List<String> ASSURANCE = List.of(CHECKSUM, VERIFY, FSYNC);

  public static final String PORT = "-p";
  public static final String RECURSIVE = "-r";
  public static final String SECONDS = "--seconds";
  public static final String NO_THIRD_PARTY = "--no-third-party";
  public static final String STOP = "-S";

  /** An option of FDT's agents. */
  public static final String TRANSFER_PORTS = "-tp";

  public static final String HELP = "-h";
  static final String VERSION = "-V";

  /** The description of a server's port. */
  public static final String SERVER_PORT =
      "Port of the server, unless its address contains one (default 54321).";

  private Options() {}

  /** A command without options yet. */
  public static CommandSpec command(String name, String description) {
    CommandSpec spec = CommandSpec.create().name(name);
    spec.usageMessage().description(description).sortOptions(false).width(80);
    return spec;
  }

  /**
   * The lines of a description; a line break is kept where the help must not break, as in
   * 09:00-18:00.
   */
  private static String[] lines(String description) {
    return description.lines().toArray(String[]::new);
  }

  /** Adds an option without a value. */
  public static void flag(CommandSpec spec, String description, String... names) {
    spec.addOption(
        OptionSpec.builder(names)
            .arity("0")
            .type(boolean.class)
            .description(lines(description))
            .build());
  }

  /** Adds an option with a value. */
  public static void value(CommandSpec spec, String label, String description, String... names) {
    spec.addOption(
        OptionSpec.builder(names)
            .arity("1")
            .type(String.class)
            .paramLabel(label)
            .description(lines(description))
            .build());
  }

  /** Adds an option whose value is one of a few words, which shells complete. */
  public static void choice(
      CommandSpec spec, List<String> words, String label, String description, String name) {
    spec.addOption(
        OptionSpec.builder(name)
            .arity("1")
            .type(String.class)
            .paramLabel(label)
            .completionCandidates(words)
            .description(lines(description))
            .build());
  }

  /** Adds an option with a value that may be given more than once. */
  public static void values(CommandSpec spec, String label, String description, String... names) {
    spec.addOption(
        OptionSpec.builder(names)
            .arity("1")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel(label)
            .description(lines(description))
            .build());
  }

  /** Adds whatever is no option. */
  public static void operands(CommandSpec spec, String label, String description) {
    spec.addPositional(
        anyOperands()
            .paramLabel(label)
            .hideParamSyntax(true)
            .description(lines(description))
            .build());
  }

  /** Describes the operands of another command's options. */
  public static void replaceOperands(CommandSpec spec, String label, String description) {
    List.copyOf(spec.positionalParameters()).forEach(spec::remove);
    operands(spec, label, description);
  }

  /** Leaves an option out of the help. */
  public static void hide(CommandSpec spec, String name) {
    OptionSpec option = spec.optionsMap().get(name);
    spec.remove(option);
    spec.addOption(OptionSpec.builder(option).hidden(true).build());
  }

  /**
   * Adds operands of which the first is one of a few words, which shells complete.
   *
   * @param words the words
   */
  public static void operands(
      CommandSpec spec, List<String> words, String label, String description) {
    spec.addPositional(
        anyOperands()
            .paramLabel(label)
            .hideParamSyntax(true)
            .completionCandidates(words)
            .description(lines(description))
            .build());
  }

  /** Lets the parser accept operands of a command without any, which then refuses them. */
  public static void unexpectedOperands(CommandSpec spec) {
    spec.addPositional(anyOperands().hidden(true).build());
  }

  private static PositionalParamSpec.Builder anyOperands() {
    return PositionalParamSpec.builder()
        .index("0..*")
        .arity("0..*")
        .type(List.class)
        .auxiliaryTypes(String.class);
  }

  /** Adds the port of a server. */
  public static void serverPort(CommandSpec spec) {
    port(spec, SERVER_PORT);
  }

  public static void port(CommandSpec spec, String description) {
    value(spec, "PORT", description, PORT, "--port");
  }

  public static void recursive(CommandSpec spec) {
    flag(spec, "Copy directories with their contents.", RECURSIVE, "--recursive");
  }

  /** Adds the options of data connections, also for a nettest. */
  public static void network(CommandSpec spec) {
    value(
        spec,
        "N",
        "Parallel connections for data, 1 to 128 (default 4; on long paths 12 for the"
            + " first 2 MiB). auto finds the best number during the transfer (not in a nettest),"
            + " and makes --readers and --congestion auto unless they are given.",
        STREAMS,
        "--streams");
    value(
        spec,
        "SIZE",
        "Unit of reading, sending and writing, 4K to 64M (default 1M).",
        BLOCK_SIZE,
        "--block-size");
    value(
        spec,
        "SIZE",
        "Fixed socket buffers, at most 1G (default auto: adapted by the operating system).",
        SOCKET_BUFFER,
        "--socket-buffer");
  }

  /** Adds the options of disks and of the whole transfer. */
  public static void transfer(CommandSpec spec) {
    value(
        spec,
        "N",
        "Reader threads per disk of the source, 1 to 64, or auto (default 2).",
        READERS,
        "--readers");
    value(
        spec,
        "N",
        "Writer threads per disk of the destination, 1 to 64 (default 2).",
        WRITERS,
        "--writers");
    value(
        spec,
        "NAME",
        "TCP congestion control of the sender, such as cubic or bbr; auto tries bbr under"
            + " random loss (default: the system's). With --via, one name for each part of the way"
            + " may be given: bbr,cubic. A sender over UDP takes none.",
        CONGESTION);
    choice(
        spec,
        List.of("auto", "off", "zstd", "lz4", "deflate"),
        "METHOD",
        "Compress data on its way: auto, where that makes the transfer faster; zstd or"
            + " zstd:LEVEL (1 to 19), lz4, deflate or deflate:LEVEL (1 to 9); off (default).",
        COMPRESS);
    value(
        spec,
        "RATE",
        "Upper bound of the rate: 500Mbit/s, 100M (MiB/s) or off; or a schedule in local"
            + " time:\n09:00-18:00=100M,else=off\nMon-Fri 09:00-18:00=100M,else=1G.",
        LIMIT,
        "--limit");
    choice(
        spec,
        DigestName.ALL,
        "NAME",
        "Digest of whole files: crc32c (default; sha256 with --via and without --encrypt), blake3,"
            + " sha256, md5, sha1, xxh128 as other tools print them; xxh3, sha256-tree, md5-tree,"
            + " sha1-tree of chunks of 1 MiB, which is faster; or none. -v lists each file with its"
            + " digest.",
        CHECKSUM);
    flag(spec, "Read each file back from its device before it gets its name.", VERIFY);
    flag(spec, "A file is done when it and its name are on the device.", FSYNC);
  }

  public static void seconds(CommandSpec spec) {
    value(spec, "N", "Duration of a network test in seconds, 1 to 3600 (default 10).", SECONDS);
  }

  /** Adds the options that every command has. */
  public static void general(CommandSpec spec) {
    flag(spec, "Print more: -v events, -vv details, -vvv everything.", "-v");
    spec.addOption(OptionSpec.builder("-vv").arity("0").type(boolean.class).hidden(true).build());
    spec.addOption(OptionSpec.builder("-vvv").arity("0").type(boolean.class).hidden(true).build());
    spec.addOption(
        OptionSpec.builder(HELP, "--help").usageHelp(true).description("Show this help.").build());
    spec.addOption(
        OptionSpec.builder(VERSION, "--version")
            .versionHelp(true)
            .description("Show the version.")
            .build());
  }
}
