package io.fdt.cli.run.copy;

import io.fdt.cli.monitor.MonitorView;
import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.TransferView;
import io.fdt.cli.output.json.JsonView;
import io.fdt.cli.output.text.Explanation;
import io.fdt.cli.output.text.TextView;
import io.fdt.cli.run.CommandContext;
import java.util.Optional;

/** Chooses the view of a copy: events, lines, or a page. */
final class CopyViews {
  private CopyViews() {}

  static TransferView of(Copy copy, Explanation explanation, CommandContext context) {
    Screen screen = context.screen();
    boolean monitor = copy.output().monitor();
    if (copy.output().json()) {
      return new JsonView(
          JsonView.start(copy),
          Optional.of(copy.request().spec().sync().level()),
          copy.request().spec().backups(),
          copy.output().explain(),
          monitor,
          screen);
    }
    TransferView text =
        new TextView(
            copy, new ArrivalNames(copy.request())::of, context.listsFiles(), explanation, screen);
    if (monitor && !screen.canAsk()) {
      screen.note(
          "--monitor needs a terminal at standard input and standard error: lines in place of a"
              + " page");
      return text;
    }
    return monitor ? new MonitorView(text, copy, context.environment(), screen) : text;
  }
}
