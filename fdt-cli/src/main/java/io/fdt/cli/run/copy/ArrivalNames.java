package io.fdt.cli.run.copy;

import io.fdt.cli.option.transfer.CopySums;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Operand;
import io.fdt.core.model.PathText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names of files at the destination, from the paths of a listener: paths of the destination
 * where files are received, of the source where they are sent. Immutable.
 */
final class ArrivalNames {
  /**
   * A source.
   *
   * @param path normalized, as the user named it
   * @param arrival beneath the destination; empty for the contents of a directory
   */
  private record Source(String path, String arrival) {}

  private final boolean pull;
  private final BytePath destination;
  private final String normalDestination;
  private final List<Source> sources = new ArrayList<>();

  /** The arrival of each path of a source. */
  private final Map<String, String> arrivals = new HashMap<>();

  ArrivalNames(TransferRequest request) {
    this.pull = request.direction() == TransferRequest.Direction.PULL;
    this.destination = request.spec().destination();
    this.normalDestination = normal(destination);
    if (!pull) {
      request.spec().sources().forEach(operand -> sources.add(source(operand)));
    }
    sources.forEach(source -> arrivals.putIfAbsent(source.path(), source.arrival()));
  }

  private static Source source(Operand operand) {
    String path = normal(operand.path());
    String last = path.substring(path.lastIndexOf('/') + 1);
    if (operand.target().isEmpty()) {
      boolean isContents = operand.path().endsWithSlash() || path.isEmpty() || last.equals("..");
      return new Source(path, isContents ? "" : last);
    }
    String target = normal(operand.target().get());
    boolean isDirectory = target.isEmpty() || operand.target().get().endsWithSlash();
    return new Source(path, isDirectory ? joined(target, last) : target);
  }

  private static String normal(BytePath path) {
    return CopySums.normal(ByteText.decode(path.bytes()));
  }

  private static String joined(String directory, String name) {
    return directory.isEmpty() ? name : name.isEmpty() ? directory : directory + "/" + name;
  }

  /** Whether files arrive on this machine. */
  boolean isPull() {
    return pull;
  }

  /**
   * Whether a file is the only source, which may get the destination's name.
   *
   * @param name beneath the destination, under its own name
   */
  boolean isOnlySource(String name) {
    return sources.size() == 1 && sources.get(0).arrival().equals(name);
  }

  /**
   * Refuses sources with two names at the destination: a listener gets paths of the source.
   *
   * @throws FdtException USAGE when a source is beneath another one, and arrives elsewhere
   */
  void requireDistinct() throws FdtException {
    for (Source source : sources) {
      String outer = source.path();
      while (!outer.isEmpty()) {
        String arrival = arrivals.get(outer);
        String rest = rest(source.path(), outer);
        if (arrival != null && !joined(arrival, rest).equals(source.arrival())) {
          throw new FdtException(
              ErrorCode.USAGE,
              "'%s' is copied with '%s' already: leave it out, or copy it without --manifest and --expect"
                  .formatted(source.path(), outer));
        }
        outer = outer.substring(0, Math.max(0, outer.lastIndexOf('/')));
      }
    }
  }

  BytePath destination() {
    return destination;
  }

  /**
   * The directory that names are relative to.
   *
   * @param isFile whether the destination is a file
   */
  BytePath base(boolean isFile) {
    if (!isFile) {
      return destination;
    }
    int slash = normalDestination.lastIndexOf('/');
    return slash < 0
        ? BytePath.of(".")
        : ByteText.path(normalDestination.substring(0, Math.max(slash, 1)));
  }

  /** The name of the destination itself. */
  String last() {
    return last(normalDestination);
  }

  /**
   * The path of a file beneath the destination, or its own name when it is the destination.
   *
   * @param escaped the path of a listener, escaped
   */
  String of(String escaped) {
    String path = CopySums.normal(ByteText.decode(PathText.unescape(escaped)));
    String outer = path;
    while (!arrivals.containsKey(outer) && !outer.isEmpty()) {
      outer = outer.substring(0, Math.max(0, outer.lastIndexOf('/')));
    }
    String arrival = arrivals.get(outer);
    if (arrival != null) {
      boolean isFile = outer.equals(path) && arrival.isEmpty();
      return joined(arrival, isFile ? last(path) : rest(path, outer));
    }
    return path.equals(normalDestination)
        ? last(path)
        : isBeneath(path, normalDestination) ? rest(path, normalDestination) : path;
  }

  private static String last(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static boolean isBeneath(String path, String directory) {
    return directory.isEmpty() || directory.equals("/") || path.startsWith(directory + "/");
  }

  private static String rest(String path, String directory) {
    if (path.equals(directory)) {
      return "";
    }
    return directory.isEmpty() || directory.equals("/")
        ? path.substring(directory.length())
        : path.substring(directory.length() + 1);
  }
}
