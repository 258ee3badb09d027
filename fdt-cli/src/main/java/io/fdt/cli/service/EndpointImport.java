package io.fdt.cli.service;

import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.output.Table;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.client.ServerNames;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Adds the servers of a file as endpoints. */
final class EndpointImport implements Command {
  private final Map<String, ServersFile.Named> servers;
  private final boolean acceptsNew;
  private final Surroundings surroundings;

  private EndpointImport(
      Map<String, ServersFile.Named> servers, boolean acceptsNew, Surroundings surroundings) {
    this.servers = servers;
    this.acceptsNew = acceptsNew;
    this.surroundings = surroundings;
  }

  static Command read(ParsedLine line, List<String> operands, Surroundings surroundings)
      throws UsageException {
    ServiceLine.only(line, "import", Endpoints.ALL, Endpoints.ACCEPT_NEW);
    if (operands.size() > 1) {
      throw new UsageException("write: endpoint import [FILE] [--accept-new]");
    }
    Map<String, ServersFile.Named> servers =
        operands.isEmpty()
            ? ServersFile.read(surroundings)
            : ServersFile.read(operands.get(0), surroundings);
    if (servers.isEmpty()) {
      throw new UsageException(
          "there is no [server NAME] in "
              + (operands.isEmpty() ? ServerNames.FILE + " of FDT_HOME" : operands.get(0)));
    }
    return new EndpointImport(servers, line.has(Endpoints.ACCEPT_NEW), surroundings);
  }

  /** Adds the new servers; refusals are reported at the end. */
  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    RestClient client = RestClient.open(context);
    Set<String> known =
        ServiceText.list(client.get("endpoints").json(), "endpoints").stream()
            .map(endpoint -> ServiceText.text(endpoint, "name"))
            .collect(Collectors.toSet());
    List<String> refused = new ArrayList<>();
    Table added = Endpoints.table();
    FdtException first = null;
    for (ServersFile.Named server : servers.values()) {
      if (known.contains(server.name())) {
        context.screen().line(server.name() + " is there already");
        continue;
      }
      try {
        RestClient.Answer answer = Endpoints.add(client, body(server), acceptsNew, context);
        added.add(Endpoints.cells(answer.json()));
      } catch (FdtException e) {
        refused.add(server.name() + ": " + e.getMessage());
        first = first == null ? e : first;
      }
    }
    added.show(context.screen());
    if (first != null) {
      throw new FdtException(first.code(), String.join("; ", refused), first);
    }
    return 0;
  }

  private Map<String, Object> body(ServersFile.Named server) throws FdtException {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("name", server.name());
    body.put("address", server.address().toString());
    server.fingerprint().ifPresent(print -> body.put("fingerprint", print));
    Optional<String> tokenFile = server.tokenFile(surroundings);
    if (tokenFile.isPresent()) {
      if (tokenFile.get().isEmpty()) { // and not FDT_TOKEN, which is meant for another server
        throw new FdtException(ErrorCode.USAGE, "token-file is empty; name a file, or remove it");
      }
      body.put("token", Endpoints.token(tokenFile.get(), surroundings));
    }
    return body;
  }
}
