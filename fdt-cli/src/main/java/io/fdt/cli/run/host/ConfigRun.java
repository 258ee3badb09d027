package io.fdt.cli.run.host;

import io.fdt.cli.output.Table;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.client.ServerNames;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Opens, checks and shows the configuration. */
public final class ConfigRun {
  private static final String SAMPLE =
      """
      # The servers of fdt clients; "fdt config --check" checks this file.
      # After [server NAME], NAME:/path is on this server in each command.

      # [server storage1]
      # address = dtn01.example.org
      # port = 54321

      # Login remembers these; they count here as well:
      # fingerprint = SHA256:...
      # token-file = ~/storage1.token

      # Any long option of "fdt copy" can stand here, without its dashes:
      # streams = 8
      """;

  private ConfigRun() {}

  /**
   * Opens the file in an editor, made with comments if it is missing, and checks it afterwards.
   *
   * @param problems reads the configuration and finds errors
   */
  public record Edit(Supplier<List<String>> problems) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException, InterruptedException {
      ServerNames names = new ServerNames(context.home());
      if (!Files.exists(names.file())) {
        names.add(SAMPLE);
      }
      String editor =
          Stream.of("VISUAL", "EDITOR")
              .map(name -> context.environment().getOrDefault(name, ""))
              .filter(text -> !text.isBlank())
              .findFirst()
              .orElseThrow(
                  () ->
                      new FdtException(
                          ErrorCode.USAGE,
                          "set EDITOR to the editor that opens '" + names.file() + "'"));
      int status = edited(editor, names.file());
      if (status != 0) {
        throw new FdtException(
            ErrorCode.USAGE,
            "the editor '%s' ended with status %d; set EDITOR to another one"
                .formatted(editor, status));
      }
      return new Check(problems, names.file().toString(), false).run(context);
    }

    private static int edited(String editor, Path file) throws FdtException, InterruptedException {
      try {
        return new ProcessBuilder("sh", "-c", editor + " \"$1\"", "sh", file.toString())
            .inheritIO()
            .start()
            .waitFor();
      } catch (IOException e) {
        throw new FdtException(
            ErrorCode.IO, "cannot run sh: " + IoReason.of(e) + "; edit '" + file + "' yourself", e);
      }
    }
  }

  /**
   * Reports the errors of the configuration.
   *
   * @param what the checked files, for display
   */
  public record Check(Supplier<List<String>> problems, String what, boolean json)
      implements Command {
    @Override
    public int run(CommandContext context) {
      List<String> found = problems.get();
      int status = found.isEmpty() ? 0 : ErrorCode.USAGE.exitStatus();
      if (json) {
        new JsonEvent("check").with("checked", what).with("problems", found).show(context.screen());
        JsonEvent.end(context.screen(), status);
        return status;
      }
      found.forEach(context.screen()::problem);
      if (found.isEmpty()) {
        context.screen().line(what + ": nothing is wrong");
      }
      return status;
    }
  }

  /**
   * A value in force.
   *
   * @param server the name of the only server that the value applies to; empty for all
   * @param from file and line, or a variable
   */
  public record Value(Optional<String> server, String setting, String value, String from) {}

  /** Lists the values in force. */
  public record Show(List<Value> values, boolean json) implements Command {
    @Override
    public int run(CommandContext context) {
      Table table = new Table().left("SERVER", "SETTING", "VALUE", "FROM");
      for (Value value : values) {
        if (json) {
          new JsonEvent("setting")
              .with("server", value.server())
              .with("setting", value.setting())
              .with("value", value.value())
              .with("from", value.from())
              .show(context.screen());
        } else {
          table.add(value.server().orElse(""), value.setting(), value.value(), value.from());
        }
      }
      table.show(context.screen());
      if (json) {
        JsonEvent.end(context.screen(), 0);
      }
      return 0;
    }
  }
}
