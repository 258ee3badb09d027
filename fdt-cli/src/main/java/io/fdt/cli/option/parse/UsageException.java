package io.fdt.cli.option.parse;

/** A command line that makes no sense; the message is one line for the person who typed it. */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  private final String option;

  public UsageException(String message) {
    this(message, "");
  }

  private UsageException(String message, String option) {
    super(message);
    this.option = option;
  }

  /** An option that has no meaning for what the line asks for. */
  public static UsageException notWith(String option, String action) {
    return new UsageException(option + " does not go with " + action, option);
  }

  /** The option that has no meaning here; empty when that is not what is wrong. */
  String superfluousOption() {
    return option;
  }
}
