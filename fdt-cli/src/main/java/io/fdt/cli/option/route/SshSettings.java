package io.fdt.cli.option.route;

import io.fdt.cli.option.parse.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How servers are started over SSH. Immutable.
 *
 * @param command the words of a program in place of ssh; empty for ssh
 * @param alwaysTunnels whether all data goes through SSH
 * @param port of the server; empty for any free one
 * @param identity the file of a key; empty for the choice of ssh
 * @param computes whether a copy needs more than the default checksum
 */
public record SshSettings(
    List<String> command,
    boolean alwaysTunnels,
    OptionalInt port,
    Optional<String> identity,
    boolean computes) {
  /**
   * Splits a command into words as rsync does: at spaces, but not within quotes.
   *
   * @throws UsageException there is no word, or a quote has no end
   */
  public static List<String> words(String command) throws UsageException {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean within = false;
    char quote = 0;
    for (int i = 0; i < command.length(); i++) {
      char c = command.charAt(i);
      if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word.append(c);
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
        within = true;
      } else if (c == ' ' || c == '\t') {
        if (within) {
          words.add(word.toString());
          word.setLength(0);
        }
        within = false;
      } else {
        word.append(c);
        within = true;
      }
    }
    if (quote != 0) {
      throw new UsageException("'" + command + "': a quote has no end");
    }
    if (within) {
      words.add(word.toString());
    }
    if (words.isEmpty()) {
      throw new UsageException("the command in place of ssh is empty");
    }
    return List.copyOf(words);
  }

  /** The words that run a command on a host. */
  public List<String> run(SshHost host, String command) {
    List<String> words = new ArrayList<>(program());
    if (isSsh()) {
      // Overrides settings of the user for logins: a terminal, a command, and forwarded ports,
      // which a second connection cannot have.
      words.addAll(List.of("-T", "-x", "-a"));
      for (String option :
          List.of("RemoteCommand=none", "ClearAllForwardings=yes", "PermitLocalCommand=no")) {
        words.addAll(List.of("-o", option));
      }
    }
    addHost(host, words);
    words.add(command);
    return words;
  }

  /** The words that print ssh's configuration of a host; empty for another program. */
  public Optional<List<String>> describe(SshHost host) {
    if (!isSsh()) {
      return Optional.empty();
    }
    List<String> words = new ArrayList<>(program());
    words.add("-G");
    addHost(host, words);
    return Optional.of(words);
  }

  /** Whether the program is ssh, whose options are known. */
  private boolean isSsh() {
    String program = program().get(0);
    return program.substring(program.lastIndexOf('/') + 1).equals("ssh");
  }

  private List<String> program() {
    return command.isEmpty() ? List.of("ssh") : command;
  }

  private void addHost(SshHost host, List<String> words) {
    identity.ifPresent(file -> words.addAll(List.of("-i", file)));
    if (host.port().isPresent()) {
      words.addAll(List.of("-p", Integer.toString(host.port().getAsInt())));
    }
    host.user().ifPresent(user -> words.addAll(List.of("-l", user)));
    words.add(host.name());
  }
}
