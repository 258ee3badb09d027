package io.fdt.cli.ssh;

import io.fdt.client.FdtClient;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of this program and of its protocol, as in {@code 0.1.0/2}. Immutable.
 *
 * @param program dotted numbers, and any suffix
 */
record SshVersion(String program, int protocol) {
  private static final Pattern NUMBERS = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9})*");
  private static final Pattern FORM = Pattern.compile("([0-9A-Za-z.+~-]+)/([0-9]{1,9})");

  /** The version of this program. */
  static SshVersion own() {
    String program = SshVersion.class.getPackage().getImplementationVersion();
    return new SshVersion(program == null ? "0" : program, FdtClient.PROTOCOL_VERSION);
  }

  /**
   * Reads a version.
   *
   * @throws IllegalArgumentException the text is not a version
   */
  static SshVersion parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no version and protocol");
    }
    return new SshVersion(form.group(1), Integer.parseInt(form.group(2)));
  }

  /**
   * Whether a server of this version can serve a client of another one: the protocol is the same,
   * and this version is not older.
   */
  boolean fits(SshVersion near) {
    return protocol == near.protocol && compare(numbers(program), numbers(near.program)) >= 0;
  }

  private static String[] numbers(String program) {
    Matcher numbers = NUMBERS.matcher(program);
    return numbers.lookingAt() ? numbers.group().split("\\.") : new String[0];
  }

  private static int compare(String[] some, String[] others) {
    for (int i = 0; i < Math.max(some.length, others.length); i++) {
      int one = i < some.length ? Integer.parseInt(some[i]) : 0;
      int other = i < others.length ? Integer.parseInt(others[i]) : 0;
      if (one != other) {
        return Integer.compare(one, other);
      }
    }
    return 0;
  }

  @Override
  public String toString() {
    return program + "/" + protocol;
  }
}
