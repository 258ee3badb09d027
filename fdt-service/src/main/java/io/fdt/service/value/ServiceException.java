package io.fdt.service.value;

import java.util.Map;

/** A refused request: a fault, and one line for the user. */
public final class ServiceException extends Exception {
  private static final long serialVersionUID = 1;

  private final Fault fault;
  private final transient Map<String, Object> more;

  public ServiceException(Fault fault, String message) {
    this(fault, message, Map.of());
  }

  /**
   * A refusal with more for programs.
   *
   * @param more further members of the problem document
   */
  public ServiceException(Fault fault, String message, Map<String, Object> more) {
    super(message);
    this.fault = fault;
    this.more = Map.copyOf(more);
  }

  public Fault fault() {
    return fault;
  }

  /** Further members of the problem document. */
  public Map<String, Object> more() {
    return more;
  }
}
