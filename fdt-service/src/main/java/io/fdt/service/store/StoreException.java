package io.fdt.service.store;

/** The database cannot be used now; the same call may succeed later. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * A failure of the database.
   *
   * @param message for users: without details of the database
   */
  StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
