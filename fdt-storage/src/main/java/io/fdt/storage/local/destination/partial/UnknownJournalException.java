package io.fdt.storage.local.destination.partial;

/** A journal that another version of this program wrote. */
public final class UnknownJournalException extends Exception {
  public UnknownJournalException() {
    super("journal of another version");
  }
}
