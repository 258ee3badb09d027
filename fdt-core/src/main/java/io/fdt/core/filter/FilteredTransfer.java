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

/** What a filter sees of a transfer, at its end. Immutable. */
public final class FilteredTransfer {
  private final boolean sends;
  private final String peer;
  private final List<Operand> sources;
  private final BytePath destination;
  private final UnaryOperator<BytePath> onThisMachine;

  /**
   * @param sends whether this end has the sources
   * @param peer the other end, for people
   * @param sources as they were asked for; empty at a server that receives
   * @param destination where they go; empty at a server that sends
   * @param onThisMachine where a path of this end is: a server's paths begin at its exports; null
   *     for what is nowhere
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

  /** Whether this end has the sources; otherwise it has the destination. */
  public boolean sends() {
    return sends;
  }

  /** The other end, for people: a host, with its port. */
  public String peer() {
    return peer;
  }

  /**
   * What was asked for: files, and directories that stand for all beneath them. Paths of the end
   * that has them; a server that receives does not know them, and has an empty list.
   */
  public List<Operand> sources() {
    return sources;
  }

  /** Where it goes, at the end that receives; empty at a server that sends. */
  public BytePath destination() {
    return destination;
  }

  /**
   * The file of this machine that a path of this end names. Links in it are not looked at: whoever
   * opens it follows them.
   *
   * @return empty for a path that is nowhere here, or that this Java has no name for: one that is
   *     not text in UTF-8
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
   * The same transfer of other sources. Only the end that sends, or the client, can change them; of
   * a server they must be in its exports, and within the client's rights.
   */
  public FilteredTransfer withSources(List<Operand> others) {
    return new FilteredTransfer(sends, peer, others, destination, onThisMachine);
  }

  /** The same transfer to another destination. Only the end that receives, or the client, can. */
  public FilteredTransfer withDestination(BytePath other) {
    return new FilteredTransfer(sends, peer, sources, other, onThisMachine);
  }
}
