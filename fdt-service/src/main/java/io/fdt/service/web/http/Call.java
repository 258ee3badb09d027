package io.fdt.service.web.http;

import io.fdt.service.store.access.Principal;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A request that has passed the checks of access. Immutable.
 *
 * @param user null where a route is for everybody
 * @param path the variable parts of the path, by name
 * @param query parameters of the address, by name
 * @param ifMatch the header; empty without
 * @param idempotencyKey the header, without quotes around it; empty without
 * @param cookie the cookie of the session; empty without
 * @param attempt the cookie of a sign-in that has begun; empty without
 * @param body the text of the body; empty without
 * @param network where it comes from, as limits count it
 * @param isSecure whether the browser says that it came by TLS
 * @param isGoodStill whether the user may still do this, when it takes long
 */
public record Call(
    Principal user,
    Map<String, String> path,
    Map<String, String> query,
    String ifMatch,
    String idempotencyKey,
    String cookie,
    String attempt,
    String body,
    String network,
    boolean isSecure,
    BooleanSupplier isGoodStill) {
  public static final String IDEMPOTENCY_KEY = "Idempotency-Key";

  public Call {
    idempotencyKey = idempotencyKey.replaceFirst("^\"(.*)\"$", "$1");
  }

  /** The fields of the body. */
  public Fields fields() throws ServiceException {
    return Fields.ofJson(body);
  }

  /** A parameter that is a whole number. */
  public long number(String name, long least, long most, long otherwise) throws ServiceException {
    String text = query.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The same answer as for a number that is out of range.
    }
    throw new ServiceException(
        Fault.INVALID, "'%s' must be a whole number, %d to %d".formatted(name, least, most));
  }

  /** A parameter that is a time, as milliseconds since 1970; empty without. */
  public Optional<Long> time(String name) throws ServiceException {
    String text = query.get(name);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Instant.parse(text).toEpochMilli());
    } catch (DateTimeException | ArithmeticException e) {
      throw new ServiceException(
          Fault.INVALID, "'%s' must be a time such as 2027-01-31T12:00:00Z".formatted(name));
    }
  }

  /** A parameter that is true or false; false without. */
  public boolean flag(String name) throws ServiceException {
    String text = query.getOrDefault(name, "false");
    if (!text.equals("true") && !text.equals("false")) {
      throw new ServiceException(Fault.INVALID, "'" + name + "' must be true or false");
    }
    return text.equals("true");
  }

  /**
   * The version that If-Match names; 0 for any.
   *
   * @throws ServiceException IF_MATCH when the header is missing
   */
  public long version() throws ServiceException {
    if (ifMatch.isEmpty()) {
      throw new ServiceException(
          Fault.IF_MATCH, "this needs the header If-Match with the ETag that you have seen, or *");
    }
    if (ifMatch.equals("*")) {
      return 0;
    }
    try {
      return Long.parseLong(ifMatch.replace("\"", ""));
    } catch (NumberFormatException e) {
      throw new ServiceException(Fault.CHANGED, "If-Match " + ifMatch + " was never an ETag here");
    }
  }
}
