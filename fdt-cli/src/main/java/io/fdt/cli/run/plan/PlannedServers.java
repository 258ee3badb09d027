package io.fdt.cli.run.plan;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.CongestionOption;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.TransportOption;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.client.FdtClient;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The access to the servers of a plan, as text in its header. It has the absolute paths of files,
 * such as those of tokens, never their contents. Pure.
 */
final class PlannedServers {
  static final String SOURCE = "source_";
  static final String TOKEN_FILE = "token_file";
  static final String VIA_TOKEN_FILE = "via_token_file";

  private PlannedServers() {}

  /** The settings of a copy. */
  static Map<String, String> encode(Copy copy, Path workingDirectory) {
    Map<String, String> settings = new TreeMap<>();
    put(settings, "", copy.server(), copy.access(), workingDirectory);
    copy.source()
        .ifPresent(
            source -> put(settings, SOURCE, source.address(), source.access(), workingDirectory));
    return settings;
  }

  private static void put(
      Map<String, String> settings,
      String prefix,
      ServerAddress server,
      ClientAccess access,
      Path workingDirectory) {
    settings.put(prefix + "server", server.toString());
    access.fingerprint().ifPresent(text -> settings.put(prefix + "fingerprint", text));
    putFile(settings, prefix + "tls_ca", access.authority(), workingDirectory);
    putFile(settings, prefix + "tls_cert", access.certificate(), workingDirectory);
    putFile(settings, prefix + "tls_key", access.key(), workingDirectory);
    putFile(settings, prefix + TOKEN_FILE, access.tokenFile(), workingDirectory);
    putFile(settings, prefix + VIA_TOKEN_FILE, access.via().tokenFile(), workingDirectory);
    putFlag(settings, prefix + "accept_new", access.acceptNew());
    putFlag(settings, prefix + "encrypt", access.encrypt());
    settings.put(prefix + "transport", access.transport().text());
    putParts(settings, prefix + "congestions", access.congestion().parts());
    putFlag(settings, prefix + "tunes_congestion", access.congestion().isTuned());
    settings.put(prefix + "retry_seconds", String.valueOf(access.retryTimeout().toSeconds()));
    putRelays(settings, prefix + "via", access.via().relays());
    if (access.via().isOpen()) {
      settings.put(prefix + "via_auto", "");
    }
    putRelays(settings, prefix + "via_choice", access.via().choice());
  }

  private static void putParts(Map<String, String> settings, String name, List<String> parts) {
    if (!parts.isEmpty()) {
      settings.put(name, String.join(",", parts));
    }
  }

  private static List<String> parts(Map<String, String> settings, String name) {
    return settings.containsKey(name) ? List.of(settings.get(name).split(",", -1)) : List.of();
  }

  private static void putRelays(
      Map<String, String> settings, String name, List<ViaOptions.Relay> relays) {
    List<String> all =
        relays.stream()
            .map(relay -> relay.address() + relay.fingerprint().map(f -> " " + f).orElse(""))
            .toList();
    if (!all.isEmpty()) {
      settings.put(name, String.join(",", all));
    }
  }

  private static void putFile(
      Map<String, String> settings, String name, Optional<Path> file, Path workingDirectory) {
    file.ifPresent(path -> settings.put(name, workingDirectory.resolve(path).toString()));
  }

  private static void putFlag(Map<String, String> settings, String name, boolean value) {
    if (value) {
      settings.put(name, "true");
    }
  }

  /** The server of a copy; between two servers, of the destination. */
  static Copy.Server server(Map<String, String> settings) throws FdtException {
    return decode(settings, "");
  }

  /** The server of the source; empty unless the copy is between two servers. */
  static Optional<Copy.Server> source(Map<String, String> settings) throws FdtException {
    return settings.containsKey(SOURCE + "server")
        ? Optional.of(decode(settings, SOURCE))
        : Optional.empty();
  }

  private static Copy.Server decode(Map<String, String> settings, String prefix)
      throws FdtException {
    try {
      ServerAddress server = ServerAddress.parse(settings.getOrDefault(prefix + "server", ""), 0);
      ClientAccess access =
          new ClientAccess(
              Optional.ofNullable(settings.get(prefix + "fingerprint")),
              settings.containsKey(prefix + "accept_new"),
              file(settings, prefix + "tls_ca"),
              file(settings, prefix + "tls_cert"),
              file(settings, prefix + "tls_key"),
              file(settings, prefix + TOKEN_FILE),
              settings.containsKey(prefix + "encrypt"),
              TransportOption.parse(settings.getOrDefault(prefix + "transport", "tcp")),
              new CongestionOption(
                  parts(settings, prefix + "congestions"),
                  settings.containsKey(prefix + "tunes_congestion")),
              Duration.ofSeconds(Long.parseLong(settings.get(prefix + "retry_seconds"))),
              new ViaOptions(
                  relays(settings, prefix + "via"),
                  file(settings, prefix + VIA_TOKEN_FILE),
                  settings.containsKey(prefix + "via_auto"),
                  relays(settings, prefix + "via_choice"),
                  Optional.empty()));
      return new Copy.Server(server, access);
    } catch (UsageException | IllegalArgumentException e) {
      throw new FdtException(ErrorCode.IO, "the settings of the plan: " + e.getMessage(), e);
    }
  }

  private static List<ViaOptions.Relay> relays(Map<String, String> settings, String name)
      throws UsageException {
    List<ViaOptions.Relay> relays = new ArrayList<>();
    if (settings.containsKey(name)) {
      for (String relay : settings.get(name).split(",", -1)) {
        String[] parts = relay.split(" ", -1);
        relays.add(
            new ViaOptions.Relay(
                ServerAddress.parse(parts[0], FdtClient.DEFAULT_PORT),
                parts.length > 1 ? Optional.of(parts[1]) : Optional.empty()));
      }
    }
    return List.copyOf(relays);
  }

  private static Optional<Path> file(Map<String, String> settings, String name) {
    return Optional.ofNullable(settings.get(name)).map(Path::of);
  }
}
