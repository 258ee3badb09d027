package io.fdt.cli.option.parse;

/** A wrong command line; the message is one line for the user. */
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

  /** The error for an option that has no meaning for the action of the line. */
  public static UsageException notWith(String option, String action) {
    return new UsageException(option + " cannot be combined with " + action, option);
  }

  /** The option that has no meaning; empty for any other error. */
  String superfluousOption() {
    return option;
  }
}
