package io.fdt.core.model;

import io.fdt.core.error.FdtException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One source as the user named it.
 *
 * @param path a trailing slash stands for the contents of that directory
 * @param target its path beneath the destination, unless it keeps its last name
 */
public record Operand(BytePath path, Optional<BytePath> target) {
  public static Operand of(BytePath path) {
    return new Operand(path, Optional.empty());
  }

  /**
   * The path beneath the destination of a directory named like this, with slashes between the
   * names. Empty when that cannot be a name.
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
   * The names beneath the destination: its own last name, or the new one; a new name with a
   * trailing slash is the directory it goes into.
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
