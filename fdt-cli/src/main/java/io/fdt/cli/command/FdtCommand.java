package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.Suggestion;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.TransportOption;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.CopySumsOptions;
import io.fdt.cli.option.transfer.FileVerb;
import io.fdt.cli.option.transfer.FilterOptions;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.option.transfer.PartOptions;
import io.fdt.cli.option.transfer.RequestOptions;
import io.fdt.cli.option.transfer.SourceList;
import io.fdt.cli.option.transfer.SshOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.compare.FilesRun;
import io.fdt.cli.run.copy.DirectCopy;
import io.fdt.cli.run.host.NettestRun;
import io.fdt.cli.run.serve.ServeRun;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.spec.TransferOptions;
import io.fdt.server.Export;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command line in FDT's flags: without -c a server, with it a client. Pure, except that it
 * reads lists.
 */
final class FdtCommand {
  static final String HOST = "-c";
  static final String CONNECT = "--connect";
  private static final String DESTINATION = "-d";
  private static final String PULL = "-pull";
  private static final String LIST = "-fl";
  private static final String NUL = SourceList.NUL;
  private static final String LS = "-ls";
  private static final String NETTEST = "-nettest";
  static final String COORDINATOR = "-coord";
  private static final String SOURCE_HOST = "-sIP";
  private static final String DESTINATION_HOST = "-dIP";
  private static final String DESTINATION_PORT = "-dp";
  private static final String AGENT = "-agent";

  /** Words of other tools, with the subcommand that does the same. */
  private static final Map<String, String> OF_OTHER_TOOLS =
      Map.of(
          "mv", "rename", "scp", "copy", "get", "copy", "put", "copy", "rsync", "sync", "cat",
          "copy", "delete", "rm", "list", "ls");

  /** Options of a coordinator only. */
  private static final List<String> OF_COORDINATOR =
      List.of(SOURCE_HOST, DESTINATION_HOST, DESTINATION_PORT);

  /**
   * Options of the original FDT's servers that a server here ignores, because clients choose them.
   */
  private static final List<String> CLIENTS_CHOICE =
      and(
          Options.names(TransferOptions.NETWORK),
          TransferOptions.READERS.name(),
          TransferOptions.WRITERS.name(),
          TransferOptions.LIMIT.name());

  private static final List<String> CLIENTS_ONLY =
      and(
          Stream.of(TransferOptions.SPEED, TransferOptions.ASSURANCE)
              .flatMap(group -> Options.names(group).stream())
              .filter(name -> !CLIENTS_CHOICE.contains(name))
              .toList(),
          DESTINATION,
          PULL,
          Options.RECURSIVE,
          LIST,
          NUL,
          LS,
          NETTEST,
          Options.SECONDS);

  private static final List<String> OF_COPY =
      Stream.of(
              Options.names(TransferOptions.SELECTION),
              Options.names(TransferOptions.EXISTING),
              Options.names(TransferOptions.PRESERVATION),
              OutputOptions.ALL)
          .flatMap(List::stream)
          .toList();

  private static final List<String> NOT_FOR_NETTEST =
      Stream.of(
              Options.names(TransferOptions.SPEED),
              Options.names(TransferOptions.ASSURANCE),
              List.of(DESTINATION, Options.RECURSIVE, LIST, NUL))
          .flatMap(List::stream)
          .toList();

  private static final List<String> NOT_FOR_LS =
      Stream.of(
              NOT_FOR_NETTEST,
              Options.names(TransferOptions.NETWORK),
              List.of(PULL, NETTEST, Options.SECONDS))
          .flatMap(List::stream)
          .toList();

  private static final List<String> NOT_BY_SSH =
      Stream.of(
              List.of(DESTINATION, LIST, NUL, LS, NETTEST, Options.SECONDS, Options.STOP),
              List.of(ServeCommand.BIND),
              AccessOptions.OF_SERVER)
          .flatMap(List::stream)
          .toList();

  private FdtCommand() {}

  private static List<String> and(List<String> some, String... more) {
    return Stream.concat(some.stream(), Stream.of(more)).toList();
  }

  static Invocation parse(
      List<String> arguments, Surroundings surroundings, Set<String> subcommands)
      throws UsageException {
    return Invocation.of(
        spec(),
        arguments,
        line -> {
          if (line.has(COORDINATOR)) {
            return coordinator(line, surroundings);
          }
          line.refuse(OF_COORDINATOR, " needs " + COORDINATOR);
          AccessOptions.checkOneServer(line);
          if (!line.has(AGENT) && line.has(Options.TRANSFER_PORTS)) {
            throw new UsageException(Options.TRANSFER_PORTS + " needs " + AGENT);
          }
          if (line.has(HOST) && !line.has(AGENT)) {
            return client(line, surroundings);
          }
          List<Location> locations = locations(line);
          boolean isMistyped =
              !locations.isEmpty()
                  && locations.get(0) instanceof Location.Local
                  && Suggestion.nearest(line.operands().get(0), subcommands).isPresent();
          return !isMistyped && locations.stream().anyMatch(Location.Ssh.class::isInstance)
              ? bySsh(line, locations, surroundings)
              : server(line, surroundings, subcommands);
        });
  }

  /** The locations in FDT's SCP mode: any operand with a colon is on a host of SSH. */
  private static List<Location> locations(ParsedLine line) throws UsageException {
    List<Location> locations = new ArrayList<>();
    for (String operand : line.operands()) {
      if (!operand.isEmpty()) {
        locations.add(Location.parse(operand, OptionValue.port(line), true));
      }
    }
    return locations;
  }

  private static Command bySsh(ParsedLine line, List<Location> locations, Surroundings surroundings)
      throws UsageException {
    line.refuse(NOT_BY_SSH, " cannot be combined with hosts of SSH, as user@host:/path");
    if (locations.size() < 2) {
      throw new UsageException("the destination is missing: [user@]host:/FILE... DEST");
    }
    if (line.operands().contains(PartOptions.STANDARD)) {
      throw new UsageException("- is no file here; write: copy - USER@HOST:/PATH/NAME");
    }
    return StartedCopies.of(
        line,
        SshOptions.withFdtPort(line, locations),
        surroundings,
        (servers, same) -> CopyCommand.copyIntoDirectory(line, servers, same));
  }

  private static Command server(ParsedLine line, Surroundings surroundings, Set<String> subcommands)
      throws UsageException {
    if (!line.operands().isEmpty()) {
      String word = line.operands().get(0);
      String meant =
          Optional.ofNullable(OF_OTHER_TOOLS.get(word))
              .or(() -> Suggestion.nearest(word, subcommands))
              .map(name -> "did you mean " + name + "?")
              .orElse("to copy it, give a server with -c HOST, or write: copy SOURCE... DEST");
      throw new UsageException("there is no subcommand '" + word + "'; " + meant);
    }
    String text = " is for a client: give the server with -c HOST";
    line.refuse(CLIENTS_ONLY, text);
    line.refuse(OF_COPY, text);
    line.refuse(AccessOptions.OF_CLIENT, text);
    SshOptions.checkUnused(line);
    // Reads the options only to report invalid values.
    RequestOptions.apply(line, surroundings.clock().instant(), TransferRequest.pull());
    return new ServeRun(
        ServeCommand.port(line),
        ServeCommand.bind(line),
        Optional.empty(),
        List.of(new Export(null, BytePath.of("."), Export.Access.READ_WRITE)),
        line.has(Options.STOP),
        AccessOptions.serverAccess(line),
        FilterOptions.of(line),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false,
        and(CLIENTS_CHOICE, HOST, Options.TRANSFER_PORTS).stream().filter(line::has).toList());
  }

  private static Command client(ParsedLine line, Surroundings surroundings) throws UsageException {
    Location.Remote location =
        Location.server(line.value(HOST).orElseThrow(), OptionValue.port(line));
    ServerAddress server = location.server();
    if (!location.path().names().isEmpty()) {
      throw new UsageException(
          "%s names a server only: write %s %s, and '%s' among the files"
              .formatted(HOST, HOST, server, location.path()));
    }
    line.refuse(
        and(AccessOptions.OF_SERVER, Options.STOP, ServeCommand.BIND),
        " is for a server: start it without -c");
    SshOptions.checkUnused(line);
    ClientAccess access = AccessOptions.clientAccess(line).withFingerprintOf(location);
    if (line.has(LS)) {
      refuse(line, NOT_FOR_LS, LS);
      refuse(line, OF_COPY, LS);
      refuse(line, FilterOptions.ALL, LS);
      BytePath path = OptionValue.path(LS, line.value(LS).orElseThrow());
      return new FilesRun(
          server, new FileVerb.Look(path, true, false, false, false), false, access);
    }
    if (line.has(NETTEST)) {
      refuse(line, NOT_FOR_NETTEST, NETTEST);
      refuse(line, OF_COPY, NETTEST);
      refuse(line, FilterOptions.ALL, NETTEST);
      return new NettestRun(server, RequestOptions.nettest(line, line.has(PULL)), false, access);
    }
    if (line.has(Options.SECONDS)) {
      throw new UsageException("--seconds needs -nettest");
    }
    return copy(server, access, line, surroundings);
  }

  private static Command copy(
      ServerAddress server, ClientAccess access, ParsedLine line, Surroundings surroundings)
      throws UsageException {
    Optional<String> destination = line.value(DESTINATION);
    boolean pull = line.has(PULL) || destination.isEmpty();
    TransferRequest.Builder request = pull ? TransferRequest.pull() : TransferRequest.push();
    request.destination(OptionValue.path(DESTINATION, destination.orElse(".")));
    request.destinationIsDirectory(true);
    RequestOptions.apply(line, surroundings.clock().instant(), request);
    addSources(line, surroundings, request);
    return new DirectCopy(
        new Copy(
            server,
            request.build(),
            access,
            Optional.empty(),
            FilterOptions.of(line),
            OutputOptions.of(line)
                .with(
                    CopySumsOptions.ofDigest(
                        line,
                        pull ? TransferRequest.Direction.PULL : TransferRequest.Direction.PUSH)),
            false));
  }

  /** A copy between two servers, the agents of a coordinator. */
  private static Command coordinator(ParsedLine line, Surroundings surroundings)
      throws UsageException {
    refuseOptions(
        line,
        List.of(HOST, PULL, LS, NETTEST, Options.SECONDS, AGENT, Options.TRANSFER_PORTS),
        COORDINATOR);
    refuseOptions(line, AccessOptions.OF_SERVER, COORDINATOR);
    refuseOptions(line, List.of(Options.STOP, ServeCommand.BIND), COORDINATOR);
    CopyCommand.checkNoFilters(line);
    for (String option : List.of(SOURCE_HOST, DESTINATION_HOST, DESTINATION)) {
      if (!line.has(option)) {
        throw new UsageException(
            "%s needs %s HOST, %s HOST and %s DEST"
                .formatted(COORDINATOR, SOURCE_HOST, DESTINATION_HOST, DESTINATION));
      }
    }
    Location.Remote source =
        Location.server(line.value(SOURCE_HOST).orElseThrow(), OptionValue.port(line));
    Location.Remote destination =
        Location.server(
            line.value(DESTINATION_HOST).orElseThrow(), OptionValue.port(line, DESTINATION_PORT));
    TransferRequest.Builder request = TransferRequest.between();
    request.destination(OptionValue.path(DESTINATION, line.value(DESTINATION).orElseThrow()));
    request.destinationIsDirectory(true);
    RequestOptions.apply(line, surroundings.clock().instant(), request);
    addSources(line, surroundings, request);
    return new DirectCopy(
        new Copy(
            destination.server(),
            request.build(),
            AccessOptions.clientAccess(line).withFingerprintOf(destination),
            Optional.of(
                new Copy.Server(
                    source.server(), AccessOptions.sourceAccess(line).withFingerprintOf(source))),
            FilterOptions.of(line),
            OutputOptions.of(line),
            false));
  }

  private static void addSources(
      ParsedLine line, Surroundings surroundings, TransferRequest.Builder request)
      throws UsageException {
    List<Operand> sources = sources(line, surroundings);
    if (sources.isEmpty()) {
      throw new UsageException("nothing to do: name files, or use -fl LIST, -ls DIR or -nettest");
    }
    sources.forEach(request::source);
  }

  private static List<Operand> sources(ParsedLine line, Surroundings surroundings)
      throws UsageException {
    List<Operand> sources = new ArrayList<>();
    for (String operand : line.operands()) {
      if (operand.equals(PartOptions.STANDARD)) {
        throw new UsageException(
            "- cannot be used here, because -d names a directory; write: copy - HOST:/PATH/NAME"
                + " (standard input), copy HOST:/PATH - (standard output), or ./- for a file of"
                + " that name");
      }
      sources.add(Operand.of(OptionValue.path("file", operand)));
    }
    SourceList.named(line, LIST, surroundings).ifPresent(sources::addAll);
    return sources;
  }

  private static void refuseOptions(ParsedLine line, List<String> options, String action)
      throws UsageException {
    for (String option : options) {
      if (line.has(option)) {
        throw UsageException.notWith(option, action);
      }
    }
  }

  private static void refuse(ParsedLine line, List<String> options, String action)
      throws UsageException {
    refuseOptions(line, options, action);
    if (!line.operands().isEmpty()) {
      throw new UsageException(
          "'"
              + line.operands().get(0)
              + "' cannot be combined with "
              + action
              + ", which takes no files");
    }
  }

  static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt", "Moves datasets between machines over parallel TCP streams.%n");
    Options.value(spec, "HOST", "Connect to this server; without -c, run a server.", HOST, CONNECT);
    Options.port(
        spec,
        "Port to connect to or to listen on (default 54321; 0, for a server: any free port).");
    Options.value(
        spec,
        "DEST",
        "Directory to copy into: on the server or, with -pull, on this machine. Without -d,"
            + " files are fetched from the server into the current directory.",
        DESTINATION,
        "--destination");
    Options.flag(spec, "Fetch from the server.", PULL, "--pull");
    Options.transfer(spec, List.of(TransferOptions.RECURSIVE));
    Options.value(
        spec,
        "LIST",
        "Copy what LIST names (- is standard input), one source per line; 'src / dst'"
            + " renames it beneath DEST; # starts a comment line.",
        LIST,
        "--files-from");
    SourceList.addNul(spec);
    Options.value(spec, "DIR", "List a directory of the server.", LS, "--ls");
    Options.flag(
        spec,
        "Measure the network to the server (with -pull: from it), memory to memory.",
        NETTEST,
        "--nettest");
    Options.seconds(spec);
    Options.flag(
        spec,
        "Copy between two servers (FDT's agents): from -sIP to -dIP. Data does not pass through"
            + " this machine; the command waits for the end.",
        COORDINATOR);
    Options.value(spec, "HOST", "With -coord: server of the files; its port is -p.", SOURCE_HOST);
    Options.value(spec, "HOST", "With -coord: server of DEST.", DESTINATION_HOST);
    Options.value(spec, "PORT", "With -coord: port of -dIP (default 54321).", DESTINATION_PORT);
    Options.flag(spec, "Run a server, for either side of -coord.", AGENT);
    Options.value(
        spec,
        "PORTS",
        "With -agent: accepted and ignored, for all connections use one port.",
        Options.TRANSFER_PORTS);
    Options.transfer(spec, TransferOptions.ALL);
    OutputOptions.add(spec);
    FilterOptions.add(spec);
    AccessOptions.client(spec);
    TransportOption.add(spec);
    AccessOptions.ofSource(spec);
    AccessOptions.server(spec);
    AccessOptions.certificates(spec);
    SshOptions.add(spec);
    SshOptions.addFdtFlags(spec);
    ServeCommand.addBind(spec, "Server: address");
    Options.flag(spec, "Server: stop after the last client has gone.", Options.STOP);
    Options.general(spec);
    Options.operands(spec, "FILE", "What to copy; put names that start with a dash after --.");
    FdtHelp.add(spec);
    return spec;
  }
}
