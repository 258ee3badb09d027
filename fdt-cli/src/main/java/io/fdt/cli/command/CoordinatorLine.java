package io.fdt.cli.command;

import io.fdt.cli.option.AccessOptions;
import io.fdt.cli.option.Copy;
import io.fdt.cli.option.FilterOptions;
import io.fdt.cli.option.Options;
import io.fdt.cli.option.OutputOptions;
import io.fdt.cli.option.ParsedLine;
import io.fdt.cli.option.RequestOptions;
import io.fdt.cli.option.ServerAddress;
import io.fdt.cli.option.Surroundings;
import io.fdt.cli.option.UsageException;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.DirectCopy;
import io.fdt.client.TransferRequest;
import java.util.List;
import java.util.Optional;

/** The command line of what FDT calls a coordinator: a copy between two servers, its agents. */
final class CoordinatorLine {
  private CoordinatorLine() {}

  /** The copy that it asks for. */
  static Command parse(ParsedLine line, Surroundings surroundings) throws UsageException {
    FdtCommand.refuseOptions(
        line,
        List.of(
            FdtCommand.HOST,
            FdtCommand.PULL,
            FdtCommand.LS,
            FdtCommand.NETTEST,
            Options.SECONDS,
            FdtCommand.AGENT,
            Options.TRANSFER_PORTS),
        FdtCommand.COORDINATOR);
    FdtCommand.refuseOptions(line, AccessOptions.OF_SERVER, FdtCommand.COORDINATOR);
    FdtCommand.refuseOptions(
        line, List.of(Options.STOP, ServeCommand.BIND), FdtCommand.COORDINATOR);
    CopyCommand.checkNoFilters(line);
    for (String option :
        List.of(FdtCommand.SOURCE_HOST, FdtCommand.DESTINATION_HOST, FdtCommand.DESTINATION)) {
      if (!line.has(option)) {
        throw new UsageException(
            "%s needs %s HOST, %s HOST and %s DEST"
                .formatted(
                    FdtCommand.COORDINATOR,
                    FdtCommand.SOURCE_HOST,
                    FdtCommand.DESTINATION_HOST,
                    FdtCommand.DESTINATION));
      }
    }
    ServerAddress source =
        ServerAddress.parse(
            line.value(FdtCommand.SOURCE_HOST).orElseThrow(), RequestOptions.port(line));
    ServerAddress destination =
        ServerAddress.parse(
            line.value(FdtCommand.DESTINATION_HOST).orElseThrow(),
            RequestOptions.port(line, FdtCommand.DESTINATION_PORT));
    TransferRequest.Builder request = TransferRequest.between();
    request.destination(
        RequestOptions.path(
            FdtCommand.DESTINATION, line.value(FdtCommand.DESTINATION).orElseThrow()));
    request.destinationIsDirectory(true);
    RequestOptions.apply(line, surroundings.clock().instant(), request);
    FdtCommand.addSources(line, surroundings, request);
    return new DirectCopy(
        new Copy(
            destination,
            request.build(),
            AccessOptions.clientAccess(line),
            Optional.of(new Copy.Server(source, AccessOptions.sourceAccess(line))),
            FilterOptions.of(line),
            OutputOptions.of(line),
            false));
  }
}
