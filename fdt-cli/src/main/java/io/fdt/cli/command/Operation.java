package io.fdt.cli.command;

import io.fdt.cli.option.CheckOptions;
import io.fdt.cli.option.ClientAccess;
import io.fdt.cli.option.CopyOutput;
import io.fdt.cli.option.FilterNames;
import io.fdt.cli.option.Location;
import io.fdt.cli.option.ServerAccess;
import io.fdt.cli.option.ServerAddress;
import io.fdt.cli.option.ServersFile;
import io.fdt.cli.option.UsageException;
import io.fdt.cli.service.ServiceRequest;
import io.fdt.cli.ssh.FarEnd;
import io.fdt.cli.ssh.NearAddress;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.client.NettestRequest;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.unit.BitRate;
import io.fdt.plan.UnitLimits;
import io.fdt.plan.WorkerOptions;
import io.fdt.server.Export;
import io.fdt.server.NamedToken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** What a command line asks for, whichever spelling it was written in. Immutable. */
public sealed interface Operation {
  /** Whether a program reads the output. */
  default boolean json() {
    return false;
  }

  /**
   * Show a text of our own: help, or what is made of it.
   *
   * @param spec the command line that it is about
   * @param json whether a program reads it
   */
  record Help(String text, CommandSpec spec, boolean json) implements Operation {
    public Help(String text, CommandSpec spec) {
      this(text, spec, false);
    }
  }

  /** A code, what has happened, and what to do. */
  record ExplainedCode(ErrorCode code, String happened, String remedy) {}

  /**
   * Say what an exit status or codes mean.
   *
   * @param text for a person
   */
  record Explain(String text, List<ExplainedCode> codes, boolean json) implements Operation {
    public Explain {
      codes = List.copyOf(codes);
    }
  }

  /** Complete the name of a token. */
  record CompleteToken(String word) implements Operation {}

  /**
   * Complete a server.
   *
   * @param isPath whether a path follows
   * @param named those that have a name
   */
  record CompleteServer(String word, boolean isPath, Map<String, ServersFile.Named> named)
      implements Operation {
    public CompleteServer {
      named = Map.copyOf(named);
    }
  }

  /**
   * Complete a path on a server.
   *
   * @param listing of the directory
   * @param directory as it was typed, with a slash at its end
   * @param start of the name in it
   */
  record CompletePath(Files listing, String directory, String start) implements Operation {}

  /** Show the version. */
  record Version() implements Operation {}

  /** A server, and how to reach it. */
  record Server(ServerAddress address, ClientAccess access) {}

  /**
   * Move a dataset.
   *
   * @param server the one at the other end; between two servers that of the destination
   * @param source the server of the source; empty unless the copy is between two servers
   * @param detach whether it is left to the servers
   */
  record Copy(
      ServerAddress server,
      TransferRequest request,
      ClientAccess access,
      Optional<Server> source,
      FilterNames filters,
      CopyOutput output,
      boolean detach)
      implements Operation {
    @Override
    public boolean json() {
      return output.json();
    }
  }

  /** Follow a transfer between two servers. */
  record Attach(SessionName session, CopyOutput output, ClientAccess access) implements Operation {
    @Override
    public boolean json() {
      return output.json();
    }
  }

  /** End a transfer between two servers. */
  record Cancel(SessionName session, boolean json, ClientAccess access) implements Operation {}

  /**
   * List transfers between servers.
   *
   * @param servers whom to ask; empty for those of transfers that this user has left
   * @param json whether a program reads the output
   */
  record Sessions(List<ServerAddress> servers, boolean json, ClientAccess access)
      implements Operation {}

  /**
   * Move a dataset when servers have been started for it: by SSH, or on this machine.
   *
   * @param sample the same, as if the servers ran already: only what it says of its output counts
   * @param locations of the sources, and of the destination at the end
   * @param near where the other side's server connects to this machine; empty if it does not
   */
  record StartedCopy(
      Copy sample,
      List<Location> locations,
      SshSettings ssh,
      Optional<NearAddress> near,
      OnServers onServers)
      implements Operation {
    @Override
    public boolean json() {
      return sample.json();
    }
  }

  /** Makes a copy of locations none of which is one of SSH. */
  @FunctionalInterface
  interface OnServers {
    Copy copy(List<Location> locations) throws UsageException;
  }

  /**
   * Mirror a tree, after a person has seen what that would do.
   *
   * @param rehearsal the dry run of the copy
   * @param copy a {@link Copy} or {@link StartedCopy}, as the rehearsal is
   * @param asks whether a person at the terminal is asked in between
   */
  record Sync(Operation rehearsal, Operation copy, boolean asks) implements Operation {
    @Override
    public boolean json() {
      return copy.json();
    }
  }

  /**
   * Keep a destination in step.
   *
   * @param copy a {@link Copy} or {@link StartedCopy}
   * @param ofEmpty the same for a source that is known and has become empty
   * @param sources on this machine, which are watched; empty where they are on a server
   * @param afterChange how long they are quiet before they are copied
   * @param every period of copies that need no change
   */
  record Watch(
      Operation copy,
      Operation ofEmpty,
      List<Path> sources,
      Duration afterChange,
      Optional<Duration> every)
      implements Operation {
    @Override
    public boolean json() {
      return copy.json();
    }

    /** Whether only what goes wrong is told. */
    public boolean quiet() {
      Copy sample = copy instanceof StartedCopy started ? started.sample() : (Copy) copy;
      return sample.output().quiet();
    }
  }

  /**
   * Be the other end of a copy by SSH; for the script that SSH runs, not for people.
   *
   * @param fits the version that this one must have; empty for any
   */
  record ServeSsh(FarEnd end, Optional<String> fits) implements Operation {}

  /**
   * Look at, make, rename or remove files of a server.
   *
   * @param json whether a program reads the output
   */
  record Files(ServerAddress server, FileVerb verb, boolean json, ClientAccess access)
      implements Operation {}

  /**
   * Show digests of files of this machine.
   *
   * @param json whether a program reads the output
   */
  record LocalDigests(FileVerb.Digests digests, boolean json) implements Operation {}

  /**
   * Compare files with a list of digests.
   *
   * @param server that has them; empty for this machine
   * @param checksum of whole files, as other tools make it
   * @param json whether a program reads the output
   */
  record Check(
      Optional<ServerAddress> server,
      List<CheckOptions.Expected> files,
      Checksum checksum,
      boolean json,
      ClientAccess access)
      implements Operation {}

  /**
   * Remember a server and a token for it.
   *
   * @param inSecretService whether the token shall be in the desktop's secret service
   */
  record Login(ServerAddress server, boolean inSecretService, boolean json, ClientAccess access)
      implements Operation {}

  /** Forget a server and the token for it. */
  record Logout(ServerAddress server, boolean json) implements Operation {}

  /**
   * List the servers that the user knows.
   *
   * @param named those that have a name
   * @param json whether a program reads the output
   */
  record Servers(List<ServersFile.Named> named, boolean json) implements Operation {}

  /** Measure the network. */
  record Nettest(ServerAddress server, NettestRequest request, boolean json, ClientAccess access)
      implements Operation {}

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
      implements Operation {}

  /**
   * A server to look at, and the path to it.
   *
   * @param test how long each direction is tested; empty for no test
   * @param streams of the test
   */
  record DoctorPath(
      ServerAddress server, Optional<Duration> test, int streams, ClientAccess access) {}

  /** Remove what interrupted transfers left. */
  record CleanUp(BytePath directory, boolean dryRun, boolean json) implements Operation {}

  /** Make a token. */
  record CreateToken(NamedToken token, boolean json) implements Operation {}

  /** Show the named tokens. */
  record ListTokens(boolean json) implements Operation {}

  /** Make a token good for nothing. */
  record RevokeToken(String name, boolean json) implements Operation {}

  /**
   * Ask the transfer service.
   *
   * @param json whether a program reads the output
   */
  record Service(ServiceRequest request, boolean json) implements Operation {}

  /** Be the transfer service; with these words of its own command line. */
  record StartService(List<String> words) implements Operation {}

  /**
   * Plan a copy.
   *
   * @param directory of the plan
   * @param limits how large units are
   * @param takeover after how long a silent worker counts as dead
   */
  record Plan(Path directory, Copy copy, UnitLimits limits, Duration takeover)
      implements Operation {
    @Override
    public boolean json() {
      return copy.json();
    }
  }

  /**
   * Say how far the workers of a plan are.
   *
   * @param json whether a program reads the output
   */
  record PlanStatus(Path directory, boolean json) implements Operation {}

  /** Print what became of each file of a plan. */
  record PlanReport(Path directory) implements Operation {}

  /**
   * Copy units of a plan.
   *
   * @param tokenFile in place of that of the plan
   * @param sourceTokenFile in place of that of the plan
   * @param json whether a program reads the output
   */
  record Work(
      Path directory,
      WorkerOptions options,
      Optional<Path> tokenFile,
      Optional<Path> sourceTokenFile,
      Optional<String> fingerprint,
      boolean acceptNew,
      boolean json)
      implements Operation {}

  /** From one port to another, both included. */
  record Ports(int low, int high) {}

  /**
   * Be a server.
   *
   * @param port 0 for any free one
   * @param bind addresses to listen on; all when empty
   * @param dataPorts for data connections; {@code port} when empty
   * @param metrics where Prometheus may ask
   * @param json whether a program reads where the server is
   * @param unusedOptions what FDT's servers take and this one leaves to its clients
   */
  record Serve(
      int port,
      List<String> bind,
      Optional<Ports> dataPorts,
      List<Export> exports,
      boolean stopAfterLastClient,
      ServerAccess access,
      FilterNames filters,
      Optional<ServerAddress> metrics,
      boolean json,
      List<String> unusedOptions)
      implements Operation {}
}
