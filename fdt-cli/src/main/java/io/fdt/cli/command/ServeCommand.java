package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.access.RateOptions;
import io.fdt.cli.option.access.ServerAccess;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.ServerDefaults;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.transfer.FilterOptions;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.serve.ServeRun;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.FileName;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code serve}. Pure, except that it reads the surroundings. */
final class ServeCommand {
  static final String BIND = "--bind";
  private static final String EXPORT = "--export";
  private static final String DATA_PORTS = "--data-port-range";
  private static final String METRICS = "--metrics";
  private static final String HTTP = "--http";
  private static final String ACCESS_LOG = "--access-log";
  private static final String CONFIGURATION = "--config";

  private ServeCommand() {}

  static Invocation parse(List<String> arguments, Surroundings surroundings) throws UsageException {
    CommandSpec spec = spec();
    Invocation invocation =
        ServerDefaults.of(spec, arguments, CONFIGURATION, surroundings)
            .read(words -> Invocation.of(spec, words, line -> command(line, surroundings)));
    if (invocation.command() instanceof ServeRun run
        && run.exports().isEmpty()
        && run.access().relay().isEmpty()) {
      throw new UsageException(
          "no directory is named; write: serve DIR, serve --export NAME=DIR:rw, serve --relay, or"
              + " 'java -jar fdt.jar' alone, which serves the current directory as FDT does");
    }
    return invocation;
  }

  private static Command command(ParsedLine line, Surroundings surroundings) throws UsageException {
    ServerAccess access = AccessOptions.serverAccess(line);
    return new ServeRun(
        port(line),
        bind(line),
        dataPorts(line),
        exports(
            Stream.concat(line.values(EXPORT).stream(), line.operands().stream()).toList(),
            surroundings),
        line.has(Options.STOP),
        access,
        FilterOptions.of(line),
        address(line, METRICS, "127.0.0.1"),
        http(line),
        line.value(ACCESS_LOG),
        line.has(OutputOptions.JSON),
        List.of());
  }

  /** The address of HTTP: those of {@code --bind}, or all, unless the option has one. */
  private static Optional<ServerAddress> http(ParsedLine line) throws UsageException {
    Optional<ServerAddress> http = address(line, HTTP, bind(line).stream().findFirst().orElse(""));
    if (http.isPresent() && line.has(Options.STOP)) {
      throw new UsageException(
          HTTP + ": a server with an HTTP port does not stop after its last client; leave one out");
    }
    return http;
  }

  /** Reads [ADDRESS:]PORT. */
  private static Optional<ServerAddress> address(ParsedLine line, String option, String usual)
      throws UsageException {
    Optional<String> text = line.value(option);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    if (text.get().matches("[0-9]+")) {
      int port = OptionValue.count(option, text.get(), 0, 65535);
      return Optional.of(new ServerAddress(usual, port));
    }
    ServerAddress address = ServerAddress.parse(text.get(), -1);
    if (address.port() < 0) {
      throw new UsageException(option + ": '" + text.get() + "' names no port: ADDRESS:PORT");
    }
    return Optional.of(address);
  }

  static void addBind(CommandSpec spec, String what) {
    Options.values(
        spec,
        "ADDRESS[,ADDRESS...]",
        what
            + " to listen on (default: all). Data streams of each transfer are spread over several"
            + " addresses.",
        BIND);
  }

  static List<String> bind(ParsedLine line) throws UsageException {
    List<String> addresses = new ArrayList<>();
    for (String text : line.values(BIND)) {
      for (String address : text.split(",", -1)) {
        if (address.isBlank()) {
          throw new UsageException("--bind: an empty address");
        }
        addresses.add(address.strip());
      }
    }
    return List.copyOf(addresses);
  }

  /** Reads LOW-HIGH, or a single port. */
  private static Optional<ServeRun.Ports> dataPorts(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(DATA_PORTS);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String[] ends = text.get().split("-", 2);
    int low = OptionValue.count(DATA_PORTS, ends[0], 1, 65535);
    int high = ends.length == 1 ? low : OptionValue.count(DATA_PORTS, ends[1], 1, 65535);
    if (low > high) {
      throw new UsageException(DATA_PORTS + ": '" + text.get() + "' is no range: LOW-HIGH");
    }
    return Optional.of(new ServeRun.Ports(low, high));
  }

  static int port(ParsedLine line) throws UsageException {
    return OptionValue.count(line, Options.PORT, 0, 65535, FdtServer.DEFAULT_PORT);
  }

  private static List<Export> exports(List<String> texts, Surroundings surroundings)
      throws UsageException {
    List<Export> exports = new ArrayList<>();
    Set<FileName> names = new HashSet<>();
    for (String text : texts) {
      Export export = export(text, surroundings);
      if (!names.add(export.name())) {
        throw new UsageException(
            "two exports are called '"
                + export.name()
                + "'; give one another name: --export NAME=DIR");
      }
      exports.add(export);
    }
    return List.copyOf(exports);
  }

  /** Reads [NAME=]DIR[:ro|rw]; an equals sign after a slash is part of DIR. */
  private static Export export(String text, Surroundings surroundings) throws UsageException {
    boolean writable = text.endsWith(":rw");
    String named = writable || text.endsWith(":ro") ? text.substring(0, text.length() - 3) : text;
    int equals = named.indexOf('=');
    int slash = named.replace(File.separatorChar, '/').indexOf('/');
    boolean hasName = equals >= 0 && (slash < 0 || equals < slash);
    String what = EXPORT + " " + text;
    BytePath directory = OptionValue.path(what, hasName ? named.substring(equals + 1) : named);
    FileName name =
        hasName ? name(what, named.substring(0, equals)) : lastName(what, directory, surroundings);
    return new Export(
        name, directory, writable ? Export.Access.READ_WRITE : Export.Access.READ_ONLY);
  }

  private static FileName name(String what, String text) throws UsageException {
    try {
      return FileName.of(ByteText.encode(text));
    } catch (IllegalArgumentException e) {
      throw new UsageException(what + ": " + e.getMessage());
    }
  }

  private static FileName lastName(String what, BytePath directory, Surroundings surroundings)
      throws UsageException {
    List<FileName> names;
    try {
      names = directory.names();
    } catch (IllegalArgumentException e) { // ".." is in it
      return nameAfterParents(what, directory);
    }
    if (!names.isEmpty()) {
      return names.get(names.size() - 1);
    }
    Path current = directory.isAbsolute() ? null : surroundings.workingDirectory().getFileName();
    boolean legible = current != null && current.toString().chars().noneMatch(c -> c == '\ufffd');
    if (!legible) {
      throw needsName(what);
    }
    return FileName.of(current.toString());
  }

  private static UsageException needsName(String what) {
    return new UsageException(what + ": the export needs a name; write --export NAME=DIR");
  }

  /** The last name of a path: data, if it is {@code ../data}. */
  private static FileName nameAfterParents(String what, BytePath directory) throws UsageException {
    byte[] path = directory.bytes();
    int end = path.length;
    while (end > 0 && path[end - 1] == '/') {
      end--;
    }
    int begin = end;
    while (begin > 0 && path[begin - 1] != '/') {
      begin--;
    }
    try {
      return FileName.of(Arrays.copyOfRange(path, begin, end));
    } catch (IllegalArgumentException e) {
      throw needsName(what);
    }
  }

  static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt serve", "Runs a server that exposes directories to clients.%n");
    Options.port(spec, "Port to listen on (default 54321; 0: any free port).");
    addBind(spec, "Address");
    Options.value(
        spec,
        "LOW-HIGH",
        "Take data connections on a free port of this range, and on no other (default: on --port).",
        DATA_PORTS);
    Options.values(
        spec,
        "[NAME=]DIR[:ro|:rw]",
        "Expose DIR as the directory NAME (default: the last name of DIR), read-only unless"
            + " :rw is given; may be repeated. Only a relay needs none. DIR may be in another"
            + " storage, as https://HOST/DIR/.",
        EXPORT);
    Options.flag(
        spec, "Stop after the last client has gone.", Options.STOP, "--stop-after-last-client");
    Options.value(
        spec,
        "[ADDRESS:]PORT",
        "Serve Prometheus metrics over HTTP at this address, under /metrics (default"
            + " ADDRESS: 127.0.0.1).",
        METRICS);
    Options.value(
        spec,
        "[ADDRESS:]PORT",
        "Serve the exports over HTTPS (WebDAV) too, to browsers, curl, davix and rclone, with the"
            + " same tokens (default ADDRESS: that of --bind).",
        HTTP);
    Options.value(
        spec,
        "FILE",
        "Append a line for each file to FILE, as JSON: time, token, address, path, bytes, digest,"
            + " result. FILE may be moved away at any time. -: standard output.",
        ACCESS_LOG);
    Options.value(
        spec,
        "FILE",
        "Read options from FILE: one 'name = value' per line, with the names of these"
            + " options without dashes; # starts a comment. Options can also be in the"
            + " environment: FDT_SERVE_MAX_MEMORY for --max-memory. The command line overrides the"
            + " environment, and the environment overrides the file.",
        CONFIGURATION);
    AccessOptions.server(spec);
    RateOptions.add(spec);
    Options.affinity(spec);
    AccessOptions.certificates(spec);
    FilterOptions.add(spec);
    OutputOptions.json(spec);
    Options.general(spec);
    Options.operands(spec, "[NAME=]DIR[:ro|:rw]...", "Same as --export.");
    spec.usageMessage()
        .customSynopsis("fdt serve [--port PORT] [--bind ADDRESS]... [-S] [[NAME=]DIR[:ro|:rw]]...")
        .footer(
            "",
            "When clients can connect, it prints one line: READY port=PORT (with --json: the",
            "event ready).",
            "",
            "Examples:",
            "  java -jar fdt.jar serve /srv/run42",
            "  java -jar fdt.jar serve --export data=/srv/run42 --export /srv/incoming:rw",
            "  java -jar fdt.jar serve --port 0 --bind 127.0.0.1 /srv/run42");
    return spec;
  }
}
