package io.fdt.cli.output;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.client.PathTest;
import io.fdt.client.RemoteHost;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.tuning.Advice;
import io.fdt.core.tuning.Finding;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.Side;
import java.util.Optional;

/** How it is shown what is in the way of transfers. Not thread-safe. */
public interface DoctorView {
  /** Whom something concerns. */
  enum Place {
    HERE("here"),
    SERVER("server"),
    /** Neither host, but the command that moves files. */
    COMMAND("command");

    private final String word;

    Place(String word) {
      this.word = word;
    }

    /** For programs. */
    public String word() {
      return word;
    }

    /** The host that an end of a transfer is. */
    public static Place of(Optional<Side> side, boolean isPush) {
      if (side.isEmpty()) {
        return COMMAND;
      }
      return side.get() == Side.SENDER == isPush ? HERE : SERVER;
    }
  }

  /** The server answers. */
  void server(ServerAddress address, RemoteHost server);

  /** One direction was tested. */
  void test(PathTest test);

  /** Findings on this host follow. */
  void thisHost(HostLimits limits);

  /** Findings on the server's host follow. */
  void serverHost(RemoteHost server);

  void finding(Place place, Finding finding);

  /** What helps in one direction. */
  void advice(Direction direction, Place place, Advice advice);

  /**
   * Everything was told.
   *
   * @param works whether nothing keeps FDT from working
   * @return the exit status
   */
  int end(boolean works);
}
