package io.fdt.core.filter;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** A transfer as a filter at one end sees it. Immutable. */
public final class FilteredTransfer {
  private final boolean sends;
  private final String peer;
  private final List<Operand> sources;
  private final BytePath destination;
  private final UnaryOperator<BytePath> onThisMachine;

  /**
   * @param sends whether this end has the sources
   * @param peer the other end, for messages
   * @param sources as requested; empty at a server that receives
   * @param destination of the files; empty at a server that sends
   * @param onThisMachine the local file of a path of this end (a server's paths begin at its
   *     exports); null for no file
   */
  public FilteredTransfer(
      boolean sends,
      String peer,
      List<Operand> sources,
      BytePath destination,
      UnaryOperator<BytePath> onThisMachine) {
    this.sends = sends;
    this.peer = peer;
    this.sources = List.copyOf(sources);
    this.destination = destination;
    this.onThisMachine = onThisMachine;
  }

  /** Whether this end has the sources, not the destination. */
  public boolean sends() {
    return sends;
  }

  /** The peer as text: host and port. */
  public String peer() {
    return peer;
  }

  /**
   * The requested files and directories, as paths of the sending end; empty at a server that
   * receives.
   */
  public List<Operand> sources() {
    return sources;
  }

  /** The destination, at the receiving end; empty at a server that sends. */
  public BytePath destination() {
    return destination;
  }

  /**
   * The local file that a path of this end names; links in it are not resolved.
   *
   * @return empty for a path outside the exports, or one that is not UTF-8 and has no {@link Path}
   */
  public Optional<Path> file(BytePath path) {
    BytePath here = onThisMachine.apply(path);
    if (here == null) {
      return Optional.empty();
    }
    String text = new String(here.bytes(), StandardCharsets.UTF_8);
    if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), here.bytes())) {
      return Optional.empty();
    }
    try {
      return Optional.of(Path.of(text));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /**
   * A copy with other sources. Only the sending end or the client can change them; at a server they
   * must be in its exports and within the client's rights.
   */
  public FilteredTransfer withSources(List<Operand> others) {
    return new FilteredTransfer(sends, peer, others, destination, onThisMachine);
  }

  /** A copy with another destination. Only the receiving end or the client can change it. */
  public FilteredTransfer withDestination(BytePath other) {
    return new FilteredTransfer(sends, peer, sources, other, onThisMachine);
  }
}
