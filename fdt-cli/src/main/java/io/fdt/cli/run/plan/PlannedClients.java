package io.fdt.cli.run.plan;

import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.TokenSource;
import io.fdt.client.FdtClient;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.plan.work.Transfers;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The clients that copy the units of a plan: one, or two for a copy between servers. Any thread.
 * The caller closes it, which cancels what runs.
 */
public final class PlannedClients implements Transfers, AutoCloseable {
  /** The settings that name files with tokens, and the variables that can have them instead. */
  private static final Map<String, String> VARIABLES =
      Map.of(
          PlannedServers.TOKEN_FILE,
          "FDT_TOKEN",
          PlannedServers.SOURCE + PlannedServers.TOKEN_FILE,
          "FDT_SOURCE_TOKEN",
          PlannedServers.VIA_TOKEN_FILE,
          ViaOptions.VARIABLE);

  private final FdtClient client;

  /** The client of the source's server; null unless there are two servers. */
  private final FdtClient source;

  private PlannedClients(FdtClient client, FdtClient source) {
    this.client = client;
    this.source = source;
  }

  /**
   * Clients for the settings of a plan. Tokens come from the files that the settings name, from the
   * environment, or from the home of the user.
   *
   * @param settings those of {@link io.fdt.plan.PlanHeader}
   * @throws FdtException a setting is wrong, or a file of a token cannot be read
   */
  public static PlannedClients open(Map<String, String> settings, CommandContext context)
      throws FdtException {
    return open(PlannedServers.server(settings), PlannedServers.source(settings), context);
  }

  static PlannedClients open(
      Copy.Server server, Optional<Copy.Server> source, CommandContext context)
      throws FdtException {
    FdtClient client =
        Clients.open(
            server.address(),
            server.access(),
            TokenSource.given(server.access(), context.environment()),
            context);
    try {
      return new PlannedClients(client, source.isEmpty() ? null : open(source.get(), context));
    } catch (FdtException e) {
      client.close();
      throw e;
    }
  }

  private static FdtClient open(Copy.Server source, CommandContext context) throws FdtException {
    return Clients.open(
        source.address(),
        source.access(),
        TokenSource.givenForSource(source.access(), context.environment()),
        context);
  }

  /**
   * The tokens given to this process, by the variables for another process; without those in the
   * home of the user.
   *
   * @throws FdtException a file cannot be read
   */
  public static Map<String, String> givenTokens(
      Map<String, String> settings, Map<String, String> environment) throws FdtException {
    Map<String, String> tokens = new TreeMap<>();
    for (Map.Entry<String, String> variable : VARIABLES.entrySet()) {
      String file = settings.get(variable.getKey());
      Optional<String> token =
          file == null
              ? Optional.ofNullable(environment.get(variable.getValue()))
              : Optional.of(TokenSource.textOf(Path.of(file), "the token file"));
      token
          .filter(secret -> !secret.isBlank())
          .ifPresent(secret -> tokens.put(variable.getValue(), secret));
    }
    return tokens;
  }

  /** The settings without the names of files with tokens. */
  public static Map<String, String> withoutTokenFiles(Map<String, String> settings) {
    Map<String, String> others = new LinkedHashMap<>(settings);
    others.keySet().removeAll(VARIABLES.keySet());
    return others;
  }

  @Override
  public Transfer start(TransferRequest request, TransferListener listener) {
    return source == null
        ? client.start(request, listener)
        : source.start(client, request, listener);
  }

  @Override
  public void close() {
    try {
      client.close();
    } finally {
      if (source != null) {
        source.close();
      }
    }
  }
}
