package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.option.Surroundings;
import io.fdt.cli.option.UsageException;
import io.fdt.cli.output.Screen;
import io.fdt.cli.ssh.FarEnd;
import io.fdt.cli.ssh.SshServers;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.io.OutputStream;

/** Both ends of a copy that begins with SSH. */
public final class SshRun {
  private SshRun() {}

  /** Starts the servers and moves a dataset; the result is an exit status. */
  public static int copy(Operation.CopyBySsh copy, boolean listsFiles, CommandContext context)
      throws InterruptedException, FdtException {
    boolean usesOutput = copy.sample().request().output().isPresent();
    Screen screen = usesOutput ? context.screen().withoutOutput() : context.screen();
    try (SshServers servers = new SshServers(copy.settings(), screen)) {
      Operation.Copy onServers;
      try (Interruption interruption = context.onInterruption(servers::kill)) {
        onServers = start(copy, servers, interruption);
        if (onServers == null) {
          return TransferRun.INTERRUPTED;
        }
      }
      return CopyRun.copy(onServers, listsFiles, context, servers);
    } catch (UsageException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
  }

  /** Null when it was interrupted: then all has ended. */
  private static Operation.Copy start(
      Operation.CopyBySsh copy, SshServers servers, Interruption interruption)
      throws InterruptedException, FdtException, UsageException {
    try {
      boolean quiet = copy.sample().output().quiet();
      Operation.Copy started = copy.onServers().copy(servers.start(copy.locations(), quiet));
      return interruption.hasHappened() ? null : started;
    } catch (FdtException e) {
      if (interruption.hasHappened()) {
        return null;
      }
      throw e;
    }
  }

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
