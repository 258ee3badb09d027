package io.fdt.cli.command;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Invocation;
import io.fdt.core.error.FdtException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Flags of the original FDT without an option of {@link FdtCommand}. A flag is replaced by an
 * option of the same meaning, or ignored with one note per run, or refused with a usage error that
 * says what to write. The flags are those that the original reads, version 0.27
 * (lia.util.net.common.Config and lia.util.net.copy.FDT).
 */
final class OriginalFlags {
  /** A flag, with {@code N} for a value and {@code [N]} for an optional one; a kind; a text. */
  private static final String TABLE =
      """
      -md5 = --checksum=md5
      -FDT_LISTEN N = --bind=%s
      -H = --help
      -help = --help
      -version = --version
      -N ~ Nagle's algorithm is always off
      -bio ~ there is one mode of I/O
      -nbio ~ there is one mode of I/O
      -iof N ~ there is one mode of I/O
      -sn N ~ the number of selectors follows from the processors
      -fbs ~ blocks have one size, -bs
      -nolock ~ only partial files are locked
      -nolocks ~ only partial files are locked
      -notmp ~ a file gets its name when it is verified
      -noupdates ~ this program never updates itself
      -silent ~ this program never updates itself
      -printStats ~ the summary and --explain have the figures
      -reportDelay N ~ progress is shown each second
      -limitDelay N ~ -limit holds over any 5 s
      -ka N ~ a silent peer is found by the protocol
      -pCount N ~ the program finds the disks
      -autoport ~ one port carries everything
      -portRange N ~ one port carries everything
      -writeMode N ~ --fsync has each file on the device
      -stable ~ transfers have no stable mode
      -fdtTAG N ~ a session has an id
      -shell N ~ the login shell starts FDT
      -monID N ~ MonALISA and OpenTSDB get nothing; a server has --metrics
      -enable_apmon [N] ~ MonALISA and OpenTSDB get nothing; a server has --metrics
      -apmon_rep_delay N ~ MonALISA and OpenTSDB get nothing; a server has --metrics
      -lisafdtclient [N] ~ MonALISA and OpenTSDB get nothing; a server has --metrics
      -lisafdtserver [N] ~ MonALISA and OpenTSDB get nothing; a server has --metrics
      -lisa_rep_delay N ~ MonALISA and OpenTSDB get nothing; a server has --metrics
      -enableLisaRestart ~ MonALISA and OpenTSDB get nothing; a server has --metrics
      -opentsdb N ~ MonALISA and OpenTSDB get nothing; a server has --metrics
      -loop ! write 'fdt watch', which copies each change, or a loop of the shell
      -genb ! write -nettest
      -ll ! write -nettest
      -gsi ! write --token-file FILE, or --tls-cert and --tls-key for certificates
      -gsip ! write --token-file FILE, or --tls-cert and --tls-key for certificates
      -gsissh ! write USER@HOST:/PATH without it; ssh takes its own keys and certificates
      -local ! write --bind ADDRESS at the server
      -remote ! set FDT_JAVA on the host, or install fdt there
      -ms ! mount the mass storage, or write -postFilters
      -mst ! mount the mass storage, or write -postFilters
      -sID ! write 'fdt task', or --report FILE at the copy
      -F ! write -f FILE
      -U ! get the new version's fdt.jar; this program never updates itself
      -update ! get the new version's fdt.jar; this program never updates itself
      """;

  /** By name, in alphabetical order. */
  static final Map<String, Flag> FLAGS = flags();

  private OriginalFlags() {}

  /** The treatment of a flag. */
  enum Kind {
    OURS,
    IGNORED,
    REFUSED
  }

  /**
   * A flag.
   *
   * @param value the value: none, N, or [N] for an optional one that does not begin with a dash
   * @param text the replacement, with %s for the value; the reason to ignore the flag; or the
   *     option to use instead
   */
  record Flag(String name, String value, Kind kind, String text) {
    boolean takes(String next) {
      return value.equals("N") || (value.equals("[N]") && !next.startsWith("-"));
    }
  }

  /**
   * A line without flags of the original.
   *
   * @param notes one for each ignored flag
   */
  record Line(List<String> words, List<String> notes) {
    /** Shows the notes before the command runs. */
    Invocation noted(Invocation invocation) {
      return notes.isEmpty()
          ? invocation
          : new Invocation(
              new Noted(invocation.command(), notes),
              invocation.verbosity(),
              invocation.affinity());
    }
  }

  private record Noted(Command command, List<String> notes) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException, InterruptedException {
      notes.forEach(context.screen()::note);
      return command.run(context);
    }

    @Override
    public boolean json() {
      return command.json();
    }

    @Override
    public int leastVerbosity() {
      return command.leastVerbosity();
    }
  }

  /** Replaces, drops or refuses the flags of a line up to {@code --}. */
  static Line translate(List<String> arguments) throws UsageException {
    List<String> words = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String word = arguments.get(i);
      if (word.equals("--")) {
        words.addAll(arguments.subList(i, arguments.size()));
        break;
      }
      Flag flag = FLAGS.get(word);
      if (flag == null) {
        words.add(word);
        continue;
      }
      if (flag.kind() == Kind.REFUSED) {
        throw new UsageException(word + ": " + flag.text());
      }
      String value = "";
      if (i + 1 < arguments.size() && flag.takes(arguments.get(i + 1))) {
        value = arguments.get(++i);
      } else if (flag.value().equals("N")) {
        throw new UsageException(word + " needs a value");
      }
      if (word.equals("-md5") && isServer(arguments)) {
        notes.add(word + " changes nothing: clients choose the digest");
      } else if (flag.kind() == Kind.OURS) {
        words.add(flag.text().replace("%s", value));
      } else if (notes.stream().noneMatch(note -> note.endsWith(": " + flag.text()))) {
        notes.add(word + " changes nothing: " + flag.text());
      }
    }
    return new Line(words, notes);
  }

  private static boolean isServer(List<String> arguments) {
    return arguments.stream().noneMatch(word -> word.matches("-c|-c=.*|--connect.*|-coord|.+:.*"));
  }

  private static Map<String, Flag> flags() {
    Map<String, Flag> flags = new TreeMap<>();
    for (String line : TABLE.split("\n", -1)) {
      String[] words = line.split(" ", 3);
      if (words.length < 3) {
        continue;
      }
      boolean hasValue = words[1].endsWith("N") || words[1].endsWith("]");
      String rest = hasValue ? words[2] : words[1] + " " + words[2];
      Kind kind =
          switch (rest.charAt(0)) {
            case '=' -> Kind.OURS;
            case '~' -> Kind.IGNORED;
            default -> Kind.REFUSED;
          };
      flags.put(words[0], new Flag(words[0], hasValue ? words[1] : "", kind, rest.substring(2)));
    }
    return flags;
  }
}
