package io.fdt.cli.option.route;

import io.fdt.cli.option.parse.UsageException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A host for ssh. Immutable.
 *
 * @param user empty for the one of ssh's configuration
 * @param name as in ssh's configuration; an IPv6 address has no brackets
 * @param port empty for the one of ssh's configuration
 */
public record SshHost(Optional<String> user, String name, OptionalInt port) {
  /**
   * Refuses options of ssh and words of a shell.
   *
   * @param whole the text on the command line, for messages
   */
  public static SshHost of(Optional<String> user, String name, OptionalInt port, String whole)
      throws UsageException {
    check(name, "host", whole);
    if (user.isPresent()) {
      check(user.get(), "user", whole);
    }
    return new SshHost(user, name, port);
  }

  private static void check(String word, String what, String whole) throws UsageException {
    if (word.isEmpty()) {
      throw new UsageException("'" + whole + "': the " + what + " is missing");
    }
    boolean valid =
        word.charAt(0) != '-'
            && word.chars()
                .allMatch(c -> Character.isLetterOrDigit(c) || "._-:%+\\@".indexOf(c) >= 0);
    if (!valid) {
      throw new UsageException("'" + whole + "': '" + word + "' cannot be a " + what);
    }
  }

  /** The same with this port, unless it has one. */
  public SshHost withPort(OptionalInt other) {
    return new SshHost(user, name, port.isPresent() ? port : other);
  }

  /** The arguments of ssh. */
  @Override
  public String toString() {
    return user.map(name -> name + "@").orElse("")
        + name
        + (port.isPresent() ? " port " + port.getAsInt() : "");
  }
}
