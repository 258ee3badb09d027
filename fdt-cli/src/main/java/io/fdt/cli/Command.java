package io.fdt.cli;

import io.fdt.client.NettestRequest;
import io.fdt.client.TransferRequest;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.unit.BitRate;
import io.fdt.server.Export;
import io.fdt.server.NamedToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** What a command line asks for, whichever spelling it was written in. Immutable. */
sealed interface Command {
  /** Whether a program reads the output. */
  default boolean json() {
    return false;
  }

  /**
   * Show a text of our own: help, or what is made of it.
   *
   * @param spec the command line that it is about
   */
  record Help(String text, CommandSpec spec) implements Command {}

  /** Show the version. */
  record Version() implements Command {}

  /** Move a dataset. */
  record Copy(
      ServerAddress server,
      TransferRequest request,
      ClientAccess access,
      FilterNames filters,
      CopyOutput output)
      implements Command {
    @Override
    public boolean json() {
      return output.json();
    }
  }

  /**
   * Look at, make, rename or remove files of a server.
   *
   * @param json whether a program reads the output
   */
  record Files(ServerAddress server, FileVerb verb, boolean json, ClientAccess access)
      implements Command {}

  /** Measure the network. */
  record Nettest(ServerAddress server, NettestRequest request, ClientAccess access)
      implements Command {}

  /**
   * Look for what is in the way of transfers.
   *
   * @param rate that the path shall carry
   * @param roundTrip of the path
   * @param json whether a program reads the output
   * @param path to a server; empty for this host alone
   */
  record Doctor(
      Optional<BitRate> rate, Optional<Duration> roundTrip, boolean json, Optional<DoctorPath> path)
      implements Command {}

  /**
   * A server to look at, and the path to it.
   *
   * @param test how long each direction is tested; empty for no test
   * @param streams of the test
   */
  record DoctorPath(
      ServerAddress server, Optional<Duration> test, int streams, ClientAccess access) {}

  /** Remove what interrupted transfers left. */
  record CleanUp(BytePath directory, boolean dryRun) implements Command {}

  /** Make a token. */
  record CreateToken(NamedToken token) implements Command {}

  /** Show the named tokens. */
  record ListTokens() implements Command {}

  /** Make a token good for nothing. */
  record RevokeToken(String name) implements Command {}

  /**
   * Be a server.
   *
   * @param port 0 for any free one
   * @param bind address to listen on; all when empty
   * @param metrics where Prometheus may ask
   * @param unusedOptions what FDT's servers take and this one leaves to its clients
   */
  record Serve(
      int port,
      Optional<String> bind,
      List<Export> exports,
      boolean stopAfterLastClient,
      ServerAccess access,
      FilterNames filters,
      Optional<ServerAddress> metrics,
      List<String> unusedOptions)
      implements Command {}
}
