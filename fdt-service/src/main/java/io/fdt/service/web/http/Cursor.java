package io.fdt.service.web.http;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The start of the next page of a list: a number, and an id to break ties. Clients return it
 * unchanged. Immutable.
 */
public record Cursor(long number, String id) {
  /** The start of a descending list. */
  public static final Cursor NEWEST = new Cursor(Long.MAX_VALUE, "");

  /** The start of an ascending list. */
  public static final Cursor FIRST = new Cursor(0, "");

  public static Cursor of(RequestContext request, Cursor beginning) throws ServiceException {
    String text = request.query().get("cursor");
    if (text == null) {
      return beginning;
    }
    try {
      String[] parts =
          new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(":", 2);
      if (parts.length == 2 && parts[1].matches("[0-9a-f]{0,40}")) {
        return new Cursor(Long.parseLong(parts[0]), parts[1]);
      }
    } catch (IllegalArgumentException e) {
      // The same error as for a cursor with a missing part.
    }
    throw Fault.INVALID.of("'cursor' is not one that this service has given");
  }

  public String text() {
    byte[] bytes = (number + ":" + id).getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
