package io.fdt.storage.local.destination;

/** A journal that another version of this program wrote. */
final class UnknownJournalException extends Exception {
  UnknownJournalException() {
    super("journal of another version");
  }
}
