package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.output.CommandJson;
import io.fdt.cli.output.Figures;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.Screen;
import io.fdt.core.error.FdtException;
import io.fdt.server.NamedToken;
import io.fdt.server.NamedTokens;
import java.util.Optional;
import java.util.stream.Collectors;

/** Makes, shows and revokes tokens. */
public final class TokenRun {
  private TokenRun() {}

  public static int create(Operation.CreateToken command, CommandContext context)
      throws FdtException {
    String secret = tokens(context).create(command.token());
    Screen screen = context.screen();
    if (command.json()) {
      screen.text(CommandJson.token(command.token(), Optional.of(secret)));
      JsonView.tellEnd(screen, 0);
      return 0;
    }
    screen.line(secret);
    screen.note("this is the only time that it is shown; hand it over as you would a password");
    return 0;
  }

  public static int list(Operation.ListTokens command, CommandContext context) throws FdtException {
    Screen screen = context.screen();
    for (NamedToken token : tokens(context).list()) {
      if (command.json()) {
        screen.text(CommandJson.token(token, Optional.empty()));
      } else {
        screen.line(line(token));
      }
    }
    if (command.json()) {
      JsonView.tellEnd(screen, 0);
    }
    return 0;
  }

  public static int revoke(Operation.RevokeToken command, CommandContext context)
      throws FdtException {
    tokens(context).revoke(command.name());
    Screen screen = context.screen();
    if (command.json()) {
      screen.text(CommandJson.revoked(command.name()));
      JsonView.tellEnd(screen, 0);
    } else {
      screen.line("revoked " + command.name());
    }
    return 0;
  }

  private static NamedTokens tokens(CommandContext context) {
    return NamedTokens.ofHome(context.home());
  }

  static String line(NamedToken token) {
    StringBuilder line = new StringBuilder(token.name());
    line.append(" created=").append(token.created());
    line.append(" expires=").append(token.expires().map(Object::toString).orElse("never"));
    line.append(" access=").append(token.readOnly() ? "ro" : "as the export");
    line.append(" exports=")
        .append(
            token.exports().isEmpty()
                ? "all"
                : token.exports().stream()
                    .map(Object::toString)
                    .sorted()
                    .collect(Collectors.joining(",")));
    line.append(" addresses=")
        .append(token.addresses().isEmpty() ? "all" : String.join(",", token.addresses()));
    if (!token.thirdParty()) {
      line.append(" third-party=no");
    }
    if (token.dataNode()) {
      line.append(" data-node=yes");
    }
    NamedToken.Relaying relaying = token.relaying();
    if (relaying.allowed() != token.thirdParty()) {
      line.append(" relay=").append(relaying.allowed() ? "yes" : "no");
    }
    if (!relaying.to().isEmpty()) {
      line.append(" relay-to=").append(String.join(",", relaying.to()));
    }
    if (relaying.bytesPerSecond() > 0) {
      line.append(" relay-limit=").append(Figures.rate(relaying.bytesPerSecond()));
    }
    if (relaying.spoolBytes() > 0) {
      line.append(" spool=").append(Figures.bytes(relaying.spoolBytes()));
    }
    return line.toString();
  }
}
