package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.option.Surroundings;
import io.fdt.cli.ssh.FarEnd;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.io.OutputStream;

/** The far end of a copy by SSH. */
public final class SshEndRun {
  private SshEndRun() {}

  /** Serves until standard input ends; the result is an exit status. */
  public static int serve(Operation.ServeSsh serve, CommandContext context) throws FdtException {
    if (serve.fits().isPresent() && !FarEnd.fits(serve.fits().get())) {
      return FarEnd.DOES_NOT_FIT;
    }
    Surroundings surroundings = context.surroundings();
    try (OutputStream out = surroundings.output()) {
      if (serve.fits().isPresent()) {
        serve.end().greet(out);
      }
      return serve.end().run(surroundings.input(), out);
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      return ErrorCode.UNREACHABLE.exitStatus(); // nobody is there to be told
    }
  }
}
