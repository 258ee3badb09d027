package io.fdt.cli.service;

import io.fdt.cli.output.Screen;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.FdtException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the end of a task.
 *
 * @param path of the task
 * @param seconds the longest wait; 0 for no limit
 * @param lateStatus the exit status after that time
 * @param heartbeat whether to print a dot each second
 */
record TaskWait(String path, int seconds, int lateStatus, boolean heartbeat, ServiceOutput output)
    implements Command {
  /** The longest wait of one request. */
  private static final long ROUND_SECONDS = 30;

  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    RestClient client = RestClient.open(context);
    long start = System.nanoTime();
    while (true) {
      long left =
          seconds == 0
              ? ROUND_SECONDS
              : seconds - TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
      long round = Math.max(0, Math.min(heartbeat ? 1 : ROUND_SECONDS, left));
      RestClient.Answer answer = client.get(path + "?wait=" + round);
      String state = ServiceText.text(answer.json(), "state");
      boolean hasEnded = !ServiceText.text(answer.json(), "ended").isEmpty();
      if (hasEnded || left <= 0) {
        output.show(answer, TaskWait::show, context.screen());
        if (!hasEnded) {
          return lateStatus;
        }
        return state.equals("succeeded") ? 0 : 1;
      }
      if (heartbeat) {
        context.screen().note(".");
      }
    }
  }

  private static void show(Map<String, Object> task, Screen screen) {
    screen.line(ServiceText.text(task, "state") + "  " + ServiceText.text(task, "message"));
  }
}
