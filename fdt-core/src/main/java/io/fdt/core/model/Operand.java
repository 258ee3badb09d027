package io.fdt.core.model;

import io.fdt.core.error.FdtException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One source as the user named it.
 *
 * @param path where it is; with a trailing slash, the contents of that directory
 * @param target where it shall be beneath the destination, when not under its own last name
 */
public record Operand(BytePath path, Optional<BytePath> target) {
  public static Operand of(BytePath path) {
    return new Operand(path, Optional.empty());
  }

  /**
   * Where a directory that was named like this arrives, beneath the destination: names with slashes
   * between them. Empty when its name cannot be one.
   */
  public Optional<BytePath> arrival() {
    try {
      BytePath arrival = BytePath.EMPTY;
      for (FileName name : arrivalOf(PathNames.split(path).last())) {
        arrival = arrival.resolve(BytePath.of(name.bytes()));
      }
      return Optional.of(arrival);
    } catch (FdtException e) {
      return Optional.empty();
    }
  }

  /**
   * The names that it gets beneath the destination: its own last name, or the new one; a new name
   * with a trailing slash is a directory for it.
   *
   * @param last its own last name; null when it has none
   * @throws FdtException FORBIDDEN for ".." in the new name, BAD_NAME
   */
  public List<FileName> arrivalOf(FileName last) throws FdtException {
    BytePath newName = target.orElse(BytePath.EMPTY);
    List<FileName> arrival = new ArrayList<>(PathNames.confined(newName));
    if (last != null && (arrival.isEmpty() || newName.endsWithSlash())) {
      arrival.add(last);
    }
    return List.copyOf(arrival);
  }
}
