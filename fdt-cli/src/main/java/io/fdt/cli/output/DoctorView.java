package io.fdt.cli.output;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.client.PathTest;
import io.fdt.client.RemoteHost;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.tuning.Advice;
import io.fdt.core.tuning.Finding;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.Side;
import java.util.List;
import java.util.Optional;

/** Shows the findings of fdt doctor. Not thread-safe. */
public interface DoctorView {
  /** The subject of a finding. */
  enum Place {
    HERE("here"),
    SERVER("server"),
    /** Neither host: the command that copies files. */
    COMMAND("command");

    private final String word;

    Place(String word) {
      this.word = word;
    }

    /** The word in JSON. */
    public String word() {
      return word;
    }

    /** The host at one end of a transfer. */
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

  /** Advice for one direction, or for both. */
  void advice(List<Direction> directions, Place place, Advice advice);

  /**
   * The end of the findings.
   *
   * @param works whether no problem was found
   * @return the exit status
   */
  int end(boolean works);
}
