package io.fdt.cli.run.serve;

import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.ssh.SshServerMain;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * Runs the other end of a copy by SSH until standard input ends.
 *
 * @param fits the version that this server must fit; empty for any
 */
public record SshEndRun(SshServerMain end, Optional<String> fits) implements Command {
  @Override
  public int run(CommandContext context) throws FdtException {
    if (fits.isPresent() && !SshServerMain.fits(fits.get())) {
      return SshServerMain.DOES_NOT_FIT;
    }
    Surroundings surroundings = context.surroundings();
    try (OutputStream out = surroundings.output()) {
      if (fits.isPresent()) {
        end.greet(out);
      }
      return end.run(surroundings.input(), out);
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      return ErrorCode.UNREACHABLE.exitStatus(); // there is no peer to report to
    }
  }
}
