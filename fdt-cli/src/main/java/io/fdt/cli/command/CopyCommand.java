package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.CongestionOption;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.TransportOption;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.CopySumsOptions;
import io.fdt.cli.option.transfer.FilterOptions;
import io.fdt.cli.option.transfer.ForeignOptions;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.option.transfer.PartOptions;
import io.fdt.cli.option.transfer.RequestOptions;
import io.fdt.cli.option.transfer.ReverseOptions;
import io.fdt.cli.option.transfer.SourceList;
import io.fdt.cli.option.transfer.SshOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.copy.Copier;
import io.fdt.cli.run.copy.DirectCopy;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Operand;
import io.fdt.core.model.PathText;
import io.fdt.core.spec.TransferOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code copy [-r] SOURCE... DEST}. Pure, except that it reads a list. */
final class CopyCommand {
  static final String DETACH = "--detach";

  private CopyCommand() {}

  static Invocation parse(List<String> arguments, Surroundings surroundings) throws UsageException {
    CommandSpec spec = spec();
    return Invocation.of(
        spec,
        ForeignOptions.translate(arguments, spec, surroundings),
        line -> command(line, arguments, surroundings));
  }

  static Copier command(ParsedLine line, List<String> arguments, Surroundings surroundings)
      throws UsageException {
    if (line.operands().size() < 2) {
      throw new UsageException(
          line.operands().isEmpty()
              ? "a source and a destination are needed: SOURCE... DEST"
              : "the destination is missing: SOURCE... DEST");
    }
    List<Location> locations = new ArrayList<>();
    for (String operand : line.operands()) {
      locations.add(
          Location.parse(operand, OptionValue.port(line), SshOptions.isUsual(line, surroundings)));
    }
    checkHandOver(line, locations);
    boolean bySsh = locations.stream().anyMatch(Location.Ssh.class::isInstance);
    if (!bySsh) {
      SshOptions.checkUnused(line);
    }
    boolean isReversed = ReverseOptions.of(line).isPresent();
    if (isReversed) {
      ReverseOptions.check(line, locations);
    }
    boolean isFetched = !isReversed && StartedCopies.areFetched(locations);
    if (bySsh || isReversed || isFetched) {
      if (line.has(DETACH) && !isFetched) {
        throw new UsageException(DETACH + " needs servers that stay: not those that SSH starts");
      }
      checkTcp(
          line,
          bySsh
              ? "servers that SSH starts"
              : isReversed ? ReverseOptions.REVERSE : "copies to a directory of this machine");
      return StartedCopies.of(
          line, locations, surroundings, (servers, same) -> copy(line, servers, "", same));
    }
    return new DirectCopy(copy(line, locations, typed(arguments), surroundings));
  }

  /** A copy whose destination is always a directory, as with all of FDT's flags. */
  static Copy copyIntoDirectory(ParsedLine line, List<Location> operands, Surroundings surroundings)
      throws UsageException {
    Copy copy = copy(line, operands, "", surroundings);
    TransferRequest request = copy.request();
    return copy.with(
        new TransferRequest(
            request.direction(),
            request.spec().toBuilder().destinationIsDirectory(true).build(),
            request.explain(),
            request.monitor(),
            request.output(),
            request.input(),
            request.command()));
  }

  /**
   * @param typed the command line, which lists of transfers show
   */
  private static Copy copy(
      ParsedLine line, List<Location> operands, String typed, Surroundings surroundings)
      throws UsageException {
    List<Location> locations = new ArrayList<>(operands);
    Location destination = locations.remove(locations.size() - 1);
    if (line.has(SourceList.LIST) && locations.size() > 1) {
      throw new UsageException(
          SourceList.LIST + " needs exactly one source, which its paths are relative to");
    }
    int last = line.operands().size() - 1;
    boolean toStandardOutput = line.operands().get(last).equals(PartOptions.STANDARD);
    boolean isBetween =
        destination instanceof Location.Remote && locations.get(0) instanceof Location.Remote;
    if (isBetween) {
      return between(line, locations, (Location.Remote) destination, typed, surroundings);
    }
    if (line.has(DETACH)) {
      throw new UsageException(
          DETACH + " is for copies between two servers: this one needs this machine to its end");
    }
    return copy(line, locations, destination, toStandardOutput, surroundings);
  }

  private static Copy copy(
      ParsedLine line,
      List<Location> sources,
      Location destination,
      boolean toStandardOutput,
      Surroundings surroundings)
      throws UsageException {
    if (destination instanceof Location.Remote remote) {
      return push(line, sources, remote, surroundings);
    }
    BytePath localDestination = ((Location.Local) destination).path();
    TransferRequest.Builder request = TransferRequest.pull().destination(localDestination);
    AccessOptions.checkOneServer(line);
    Copy.Server server =
        addRemoteSources(request, sources, AccessOptions.clientAccess(line), line, surroundings);
    RequestOptions.apply(line, surroundings.clock().instant(), request);
    PartOptions.apply(line, sources.size(), toStandardOutput, request, surroundings);
    return new Copy(
        server.address(),
        request.build(),
        server.access(),
        Optional.empty(),
        FilterOptions.of(line),
        OutputOptions.of(line)
            .with(CopySumsOptions.of(line, TransferRequest.Direction.PULL, surroundings)),
        false);
  }

  private static Copy push(
      ParsedLine line,
      List<Location> sources,
      Location.Remote destination,
      Surroundings surroundings)
      throws UsageException {
    AccessOptions.checkOneServer(line);
    if (PartOptions.arePresent(line)) {
      throw new UsageException("--offset and --length are for files that come from a server");
    }
    TransferRequest.Builder request = TransferRequest.push().destination(destination.path());
    boolean fromStandardInput = line.operands().contains(PartOptions.STANDARD);
    if (fromStandardInput) {
      PartOptions.readInput(line, sources.size(), destination, request, surroundings);
      sources = List.of();
    }
    for (Location source : sources) {
      if (!(source instanceof Location.Local local)) {
        throw new UsageException("some sources are on a server and some are local");
      }
      addSource(request, local.path(), line, surroundings);
    }
    RequestOptions.apply(line, surroundings.clock().instant(), request);
    return new Copy(
        destination.server(),
        request.build(),
        AccessOptions.clientAccess(line).withFingerprintOf(destination),
        Optional.empty(),
        FilterOptions.of(line),
        OutputOptions.of(line)
            .with(CopySumsOptions.of(line, TransferRequest.Direction.PUSH, surroundings)),
        false);
  }

  private static Copy between(
      ParsedLine line,
      List<Location> sources,
      Location.Remote destination,
      String command,
      Surroundings surroundings)
      throws UsageException {
    if (line.has(DETACH)) {
      for (String option : CopySumsOptions.withWhole(OutputOptions.OF_WHOLE)) {
        if (line.has(option)) {
          throw new UsageException(
              DETACH + " and " + option + ": the command ends before there is anything to show");
        }
      }
    }
    checkNoFilters(line);
    checkTcp(line, "copies between two servers");
    TransferRequest.Builder request =
        TransferRequest.between().destination(destination.path()).command(command);
    boolean isReversed = line.has(ReverseOptions.REVERSE);
    if (isReversed) {
      AccessOptions.checkOneServer(line);
    }
    ClientAccess access =
        isReversed ? AccessOptions.clientAccess(line) : AccessOptions.sourceAccess(line);
    Copy.Server source = addRemoteSources(request, sources, access, line, surroundings);
    RequestOptions.apply(line, surroundings.clock().instant(), request);
    PartOptions.apply(line, sources.size(), false, request, surroundings);
    return new Copy(
        destination.server(),
        request.build(),
        AccessOptions.clientAccess(line).withFingerprintOf(destination),
        Optional.of(source),
        FilterOptions.of(line),
        OutputOptions.of(line)
            .with(CopySumsOptions.of(line, TransferRequest.Direction.BETWEEN, surroundings)),
        line.has(DETACH));
  }

  /**
   * Refuses copies that a relay cannot deliver later.
   *
   * @param locations the last one is the destination
   */
  private static void checkHandOver(ParsedLine line, List<Location> locations)
      throws UsageException {
    if (!line.has(ViaOptions.HAND_OVER)) {
      return;
    }
    boolean isPush =
        locations.get(0) instanceof Location.Local
            && locations.get(locations.size() - 1) instanceof Location.Remote;
    if (!isPush || line.operands().contains(PartOptions.STANDARD)) {
      throw new UsageException(
          ViaOptions.HAND_OVER + " is for files of this machine that go to a server");
    }
    List<String> refused = new ArrayList<>(FilterOptions.ALL);
    refused.addAll(
        CopySumsOptions.withWhole(List.of(OutputOptions.DRY_RUN, ReverseOptions.REVERSE)));
    line.refuse(refused, " cannot be combined with " + ViaOptions.HAND_OVER);
  }

  /** Refuses filters, which run on the machine with the files. */
  static void checkNoFilters(ParsedLine line) throws UsageException {
    line.refuse(
        FilterOptions.ALL,
        " runs where files are: give it to the servers, not to a copy between them");
  }

  /** The command, quoted for a shell; bytes that are not text are escaped. */
  private static String typed(List<String> arguments) {
    StringBuilder command = new StringBuilder("fdt copy");
    for (String argument : arguments) {
      String text = PathText.escape(ByteText.encode(argument));
      boolean isPlain = text.matches("[A-Za-z0-9_./:=@%+,?~-]+");
      command.append(' ').append(isPlain ? text : "'" + text.replace("'", "'\\''") + "'");
    }
    return command.toString();
  }

  private static void checkTcp(ParsedLine line, String what) throws UsageException {
    CongestionOption.checkNoList(line, what);
    if (line.value(TransportOption.NAME).filter(text -> text.contains("udt")).isPresent()) {
      throw new UsageException(
          TransportOption.NAME + " udt does not work with " + what + "; leave it out");
    }
  }

  /** Adds the sources, and returns the server that all of them are on. */
  private static Copy.Server addRemoteSources(
      TransferRequest.Builder request,
      List<Location> sources,
      ClientAccess access,
      ParsedLine line,
      Surroundings surroundings)
      throws UsageException {
    ServerAddress server = onlyServer(sources);
    for (Location source : sources) {
      Location.Remote remote = (Location.Remote) source;
      addSource(request, remote.path(), line, surroundings);
      access = access.withFingerprintOf(remote);
    }
    return new Copy.Server(server, access);
  }

  /** Adds a source, or the files of the list beneath it. */
  private static void addSource(
      TransferRequest.Builder request, BytePath source, ParsedLine line, Surroundings surroundings)
      throws UsageException {
    Optional<List<Operand>> listed =
        SourceList.beneath(source, line, SourceList.LIST, surroundings);
    listed.orElse(List.of(Operand.of(source))).forEach(request::source);
    if (listed.isPresent()) {
      request.destinationIsDirectory(true);
    }
  }

  /** The one server that all sources are on. */
  private static ServerAddress onlyServer(List<Location> sources) throws UsageException {
    ServerAddress server = null;
    for (Location source : sources) {
      if (!(source instanceof Location.Remote remote)) {
        throw new UsageException(
            server == null
                ? "neither side is on a server; write one of them as host:/path or fdt://host/path"
                : "all sources must be on the same server");
      }
      if (server != null && !server.isSameAs(remote.server())) {
        throw new UsageException(
            "sources on two servers, %s and %s; copy from one at a time"
                .formatted(server, remote.server()));
      }
      server = server == null ? remote.server() : server;
    }
    return server;
  }

  static CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "fdt copy",
            "Copies files and trees from a server, to a server, or between two servers.%n");
    Options.transfer(spec, List.of(TransferOptions.RECURSIVE));
    Options.serverPort(spec);
    Options.transfer(spec, TransferOptions.NETWORK);
    Options.transfer(spec, TransferOptions.SPEED);
    Options.transfer(spec, TransferOptions.ASSURANCE);
    Options.transfer(spec, TransferOptions.SELECTION);
    Options.transfer(spec, TransferOptions.EXISTING);
    ForeignOptions.add(spec);
    Options.value(
        spec,
        "LIST",
        "Copy what LIST names (- is standard input), one path per line, relative to the one"
            + " SOURCE; 'src / dst' renames it beneath DEST.",
        SourceList.LIST);
    SourceList.addNul(spec);
    PartOptions.add(spec);
    ViaOptions.addHandOver(spec);
    ReverseOptions.add(spec);
    SshOptions.add(spec);
    Options.transfer(spec, TransferOptions.PRESERVATION);
    OutputOptions.add(spec);
    CopySumsOptions.add(spec);
    Options.flag(
        spec,
        "Between two servers: print an id and end as soon as both have taken the copy over; see"
            + " fdt attach.",
        DETACH);
    Options.affinity(spec);
    FilterOptions.add(spec);
    AccessOptions.client(spec);
    TransportOption.add(spec);
    AccessOptions.ofSource(spec);
    AccessOptions.certificates(spec);
    Options.general(spec);
    Options.operands(
        spec,
        "SOURCE... DEST",
        """
        One side or both are on a server: host[:port]:/path, or user@host:/path by SSH.
        Percent-encoded:
        fdt://host[:port]/path[?fingerprint=SHA256:...]
        ssh://host[:port]/path.
        A source may be https://host/path; either side s3://bucket/path.
        A local name with a colon is written ./a:b.\
        """);
    spec.usageMessage()
        .customSynopsis("fdt copy [-r] [options] SOURCE... DEST")
        .footer(
            "",
            "'dir' arrives as DEST/dir; 'dir/', with a slash, puts its contents into DEST.",
            "A single plain file arrives as DEST if DEST is not a directory.",
            "A second run copies only what is missing. '-' as DEST writes one file to",
            "standard output. '-' as SOURCE sends standard input as the file DEST.",
            "",
            "Between two servers, data does not pass through this machine. One server",
            "connects to the other: the source if it can, otherwise the destination.",
            "With --detach they go on without this command.",
            "",
            "user@host:path needs no server on the host, only ssh: FDT starts there, uses the",
            "installed fdt or sends its jar once, and ends with the copy. Data goes directly",
            "to a port of the host; through SSH where none can be reached, or with --tunnel.",
            "-p chooses the port.",
            "",
            "Examples:",
            "  java -jar fdt.jar copy -r storage1:/data .",
            "  java -jar fdt.jar copy -r alice@storage1:run42 .",
            "  java -jar fdt.jar copy -r -P 7 fdt://storage1:54321/data/run42/ /scratch/run42",
            "  java -jar fdt.jar copy results.h5 storage1:/incoming/",
            "  java -jar fdt.jar copy -r storage1:/data/run42 storage2:/incoming/",
            "  java -jar fdt.jar copy --detach -r storage1:/data/run42 storage2:/incoming/");
    return spec;
  }
}
