package io.fdt.cli.run.serve;

import io.fdt.cli.output.Screen;
import io.fdt.cli.output.Table;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Help;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.NumberText;
import io.fdt.server.NamedTokens;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** Creates, lists and revokes tokens. */
public final class TokenRun {
  private TokenRun() {}

  /** Creates a token. */
  public record Create(Grant token, boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      NamedTokens tokens = tokens(context);
      List<FileName> unknown = tokens.unknownExports(token);
      String secret = tokens.create(token);
      Screen screen = context.screen();
      for (FileName export : unknown) {
        screen.note(
            "the server that started last has no export '%s': until one has it, the token is of no use there"
                .formatted(export));
      }
      if (json) {
        event(token, Optional.of(secret)).show(screen);
        JsonEvent.end(screen, 0);
        return 0;
      }
      screen.line(secret);
      screen.note("this is the only time that it is shown; hand it over as you would a password");
      return 0;
    }
  }

  /** Lists the named tokens. */
  public record Listing(boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      Screen screen = context.screen();
      List<String> flaws = new ArrayList<>();
      List<Grant> tokens = tokens(context).list(flaws);
      flaws.forEach(screen::note);
      Instant now = context.surroundings().clock().instant();
      if (json) {
        tokens.forEach(
            token -> event(token, Optional.empty()).with("state", state(token, now)).show(screen));
        JsonEvent.end(screen, 0);
        return 0;
      }
      Table table =
          new Table()
              .left("NAME", "STATE", "ACCESS", "EXPORTS", "ADDRESSES", "CREATED", "EXPIRES")
              .left("RIGHTS")
              .none(Help.named("no tokens; to make one: java -jar fdt.jar token create NAME"));
      tokens.forEach(token -> table.add(row(token, now)));
      table.show(screen);
      return 0;
    }
  }

  /** Revokes a token. */
  public record Revoke(String name, boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException {
      tokens(context).revoke(name);
      Screen screen = context.screen();
      if (json) {
        new JsonEvent("revoked").with("name", name).show(screen);
        JsonEvent.end(screen, 0);
      } else {
        screen.line("revoked " + name);
      }
      return 0;
    }
  }

  private static JsonEvent event(Grant token, Optional<String> secret) {
    return new JsonEvent("token")
        .with("name", token.name())
        .with("token", secret)
        .with("created", token.created())
        .with("expires", token.expires())
        .with("read_only", token.readOnly())
        .with("exports", token.exports().stream().map(FileName::toString).sorted().toList())
        .with("addresses", token.addresses())
        .with("third_party", token.thirdParty())
        .with("data_node", token.dataNode())
        .with("relay", token.relay().allowed())
        .with("relay_to", token.relay().to())
        .with("relay_bytes_per_second", token.relay().bytesPerSecond())
        .with("spool_bytes", token.relay().spoolBytes());
  }

  private static NamedTokens tokens(CommandContext context) {
    return NamedTokens.ofHome(context.home());
  }

  private static String state(Grant token, Instant now) {
    return token.hasExpired(now) ? "expired" : "valid";
  }

  private static List<String> row(Grant token, Instant now) {
    return List.of(
        token.name(),
        state(token, now),
        token.readOnly() ? "read" : "read, write",
        token.exports().isEmpty()
            ? "all"
            : token.exports().stream()
                .map(Object::toString)
                .sorted()
                .collect(Collectors.joining(",")),
        token.addresses().isEmpty() ? "all" : String.join(",", token.addresses()),
        NumberText.time(token.created(), ZoneId.systemDefault()),
        token.expires().map(time -> NumberText.time(time, ZoneId.systemDefault())).orElse("never"),
        rights(token));
  }

  /** The rights that differ from those of other tokens. */
  private static String rights(Grant token) {
    StringJoiner rights = new StringJoiner(" ");
    if (!token.thirdParty()) {
      rights.add("third-party=no");
    }
    if (token.dataNode()) {
      rights.add("data-node=yes");
    }
    RelayGrant relaying = token.relay();
    if (relaying.allowed() != token.thirdParty()) {
      rights.add("relay=" + (relaying.allowed() ? "yes" : "no"));
    }
    if (!relaying.to().isEmpty()) {
      rights.add("relay-to=" + String.join(",", relaying.to()));
    }
    if (relaying.bytesPerSecond() > 0) {
      rights.add("relay-limit=" + BitRate.ofBytesPerSecond(relaying.bytesPerSecond()));
    }
    if (relaying.spoolBytes() > 0) {
      rights.add("spool=" + NumberText.bytes(relaying.spoolBytes()));
    }
    return rights.toString();
  }
}
