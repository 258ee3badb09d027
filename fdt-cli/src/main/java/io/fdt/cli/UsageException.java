package io.fdt.cli;

/** A command line that makes no sense; the message is one line for the person who typed it. */
final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
