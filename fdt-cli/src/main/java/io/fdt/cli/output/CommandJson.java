package io.fdt.cli.output;

import io.fdt.client.Cleanup;
import io.fdt.client.NettestRequest;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.NamedToken;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What commands tell a program that neither copy nor look at files, as
 * docs/json-commands.schema.json describes it: one object on one line each. Pure.
 */
public final class CommandJson {
  private CommandJson() {}

  /** The rate of a network test in about a second. */
  public static String rate(TransferProgress progress, double bytesPerSecond) {
    return new JsonEvent("rate")
        .with("seconds", progress.elapsed())
        .with("bits_per_second", Math.round(bytesPerSecond * Byte.SIZE))
        .line();
  }

  /** What a command has printed that makes a text for something else. */
  public static String text(String text) {
    return new JsonEvent("text").with("text", text).line();
  }

  /**
   * A server that is ready for clients.
   *
   * @param anonymous the access of clients without a token
   * @param workingDirectory base of the directories of exports
   * @param hosts names and addresses of the server
   */
  public static String ready(
      List<Export> exports,
      Optional<Export.Access> anonymous,
      Path workingDirectory,
      List<String> hosts,
      FdtServer server) {
    BytePath here = BytePath.of(workingDirectory);
    JsonEvent event =
        new JsonEvent("ready")
            .withTexts("hosts", hosts)
            .with("port", server.address().getPort())
            .with("data_port", server.dataPort())
            .with("fingerprint", server.fingerprint())
            .with("anonymous", anonymous.map(CommandJson::access).orElse("none"));
    return event
        .withObjects(
            "exports",
            exports,
            export ->
                event
                    .withPath(export.name() == null ? "/" : "/" + export.name())
                    .withPath("directory", here.resolve(export.directory()).toString())
                    .with("access", access(export.access())))
        .line();
  }

  private static String access(Export.Access access) {
    return access == Export.Access.READ_WRITE ? "rw" : "ro";
  }

  /** The result of a network test. */
  public static String nettest(String server, NettestRequest request, TransferReport report) {
    double seconds = report.elapsed().toNanos() / 1e9;
    return new JsonEvent("nettest")
        .with("server", server)
        .with("direction", request.direction().name().toLowerCase(Locale.ROOT))
        .with("streams", request.streams())
        .with("seconds", report.elapsed())
        .with("bytes", report.bytes())
        .with(
            "bits_per_second",
            seconds == 0 ? 0 : Math.round(report.bytes() * (double) Byte.SIZE / seconds))
        .line();
  }

  /**
   * A named token.
   *
   * @param secret the token itself, which is known when it is made; otherwise empty
   */
  public static String token(NamedToken token, Optional<String> secret) {
    JsonEvent event = new JsonEvent("token").with("name", token.name());
    secret.ifPresent(text -> event.with("token", text));
    event.with("created", token.created().toString());
    token.expires().ifPresent(time -> event.with("expires", time.toString()));
    return event
        .with("read_only", token.readOnly())
        .withTexts("exports", token.exports().stream().map(FileName::toString).sorted().toList())
        .withTexts("addresses", List.copyOf(token.addresses()))
        .with("third_party", token.thirdParty())
        .with("data_node", token.dataNode())
        .with("relay", token.relaying().allowed())
        .withTexts("relay_to", token.relaying().to())
        .with("relay_bytes_per_second", token.relaying().bytesPerSecond())
        .with("spool_bytes", token.relaying().spoolBytes())
        .line();
  }

  /** A token that is good for nothing now. */
  public static String revoked(String name) {
    return new JsonEvent("revoked").with("name", name).line();
  }

  /** Something that an interrupted transfer left. */
  public static String leftover(Cleanup.Leftover file, boolean pretended) {
    JsonEvent event =
        new JsonEvent("leftover")
            .withPath(file.path())
            .with("bytes", file.bytes())
            .with("in_use", file.inUse())
            .with("put_back", file.putBack())
            .with("pretended", pretended);
    if (!file.finalPath().isEmpty()) {
      event.withPath("of", file.finalPath());
    }
    return event.line();
  }

  /** Something that could not be done, where the rest went on. */
  public static String problem(String path, FdtException cause) {
    return FileEvents.withError(
            new JsonEvent("problem").withPath(path), cause.code(), cause.getMessage())
        .line();
  }

  /**
   * A session that has ended.
   *
   * @param now whether it has ended for that
   */
  public static String cancelled(String session, boolean now) {
    return new JsonEvent("cancelled").with("session", session).with("now", now).line();
  }

  /** A server that is remembered. */
  public static String login(String server, String fingerprint, boolean hasToken) {
    return new JsonEvent("login")
        .with("server", server)
        .with("fingerprint", fingerprint)
        .with("token", hasToken)
        .line();
  }

  /** A server that is forgotten. */
  public static String logout(String server) {
    return new JsonEvent("logout").with("server", server).line();
  }

  /** What a code means. */
  public static String explained(ErrorCode code, String happened, String remedy) {
    return new JsonEvent("explanation")
        .with("code", code.name())
        .with("exit_status", code.exitStatus())
        .with("retry", code.retry() == ErrorCode.Retry.LATER)
        .with("happened", happened)
        .with("remedy", remedy)
        .line();
  }
}
