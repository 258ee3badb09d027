package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.core.error.FdtException;
import io.fdt.server.NamedToken;
import io.fdt.server.NamedTokens;
import java.util.stream.Collectors;

/** Makes, shows and revokes tokens. */
public final class TokenRun {
  private TokenRun() {}

  public static int create(Operation.CreateToken command, CommandContext context)
      throws FdtException {
    context.screen().line(tokens(context).create(command.token()));
    context
        .screen()
        .note("this is the only time that it is shown; hand it over as you would a password");
    return 0;
  }

  public static int list(CommandContext context) throws FdtException {
    for (NamedToken token : tokens(context).list()) {
      context.screen().line(line(token));
    }
    return 0;
  }

  public static int revoke(Operation.RevokeToken command, CommandContext context)
      throws FdtException {
    tokens(context).revoke(command.name());
    context.screen().line("revoked " + command.name());
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
    return line.toString();
  }
}
