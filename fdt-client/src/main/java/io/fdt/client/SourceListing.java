package io.fdt.client;

import io.fdt.client.transfer.LocalListing;
import io.fdt.client.transfer.OperandGroup;
import io.fdt.client.transfer.ServerListing;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.spec.TransferSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Lists the files and links that a transfer would send, by the same walk: patterns, sizes, ages,
 * depth and links mean the same. Ignores the destination. Memory does not grow with the number of
 * files.
 *
 * <p>Several names of one file are listed as separate files.
 */
public final class SourceListing {
  private static final BytePath NOWHERE = BytePath.of(".");

  /**
   * A directory beneath an operand.
   *
   * @param source its path at the source, starting with the operand's path
   * @param arrival its path beneath the destination; empty for the destination itself
   */
  public record Directory(BytePath source, BytePath arrival) {
    /** A subdirectory. */
    public Directory child(FileName name) {
      BytePath last = BytePath.of(name.bytes());
      return new Directory(source.resolve(last), arrival.resolve(last));
    }
  }

  /**
   * Receives results. One call at a time, on threads of the listing; it may be slow: the source
   * waits. An exception ends the listing.
   */
  public interface Visitor {
    /**
     * A file or link in a directory.
     *
     * @param size bytes; 0 for a link
     */
    void file(Directory directory, FileName name, EntryKind kind, long size) throws FdtException;

    /**
     * An operand that is itself a file or link.
     *
     * @param size bytes; 0 for a link
     */
    void operand(Operand operand, EntryKind kind, long size) throws FdtException;

    /** A name that cannot be read, or a kind that is never copied. */
    void problem(FileProblem problem) throws FdtException;
  }

  private SourceListing() {}

  /**
   * Lists sources on a client's server. Waits for the end.
   *
   * @throws FdtException the server cannot be reached or refuses; any failure of the visitor
   */
  public static void ofServer(FdtClient client, TransferSpec spec, Visitor visitor)
      throws FdtException, InterruptedException {
    for (OperandGroup group : groups(spec.sources())) {
      ServerListing.run(client.dialer(), listing(spec, group.operands()), group, visitor);
    }
  }

  /**
   * Lists sources on this machine.
   *
   * @throws FdtException any failure of the visitor
   */
  public static void ofThisMachine(TransferSpec spec, Visitor visitor)
      throws FdtException, InterruptedException {
    for (OperandGroup group : groups(spec.sources())) {
      LocalListing.run(listing(spec, group.operands()), group, visitor);
    }
  }

  private static TransferSpec listing(TransferSpec spec, List<Operand> operands) {
    return TransferSpec.builder()
        .sources(operands)
        .destination(NOWHERE)
        .destinationIsDirectory(true)
        .recursive(spec.recursive())
        .selection(spec.selection())
        .preservation(Preservation.of(Set.of()).withLinks(spec.preservation().links()))
        .dryRun(true)
        .streams(1)
        .build();
  }

  /** One walk of all operands when their paths at the destination differ; otherwise one each. */
  private static List<OperandGroup> groups(List<Operand> operands) {
    Map<BytePath, Operand> byArrival = new HashMap<>();
    for (Operand operand : operands) {
      BytePath arrival = arrival(operand);
      if (arrival.isEmpty() || byArrival.put(arrival, operand) != null) {
        return operands.stream().map(SourceListing::alone).toList();
      }
    }
    boolean isNested = byArrival.keySet().stream().anyMatch(path -> isBeneath(path, byArrival));
    return isNested
        ? operands.stream().map(SourceListing::alone).toList()
        : List.of(new OperandGroup(Optional.empty(), byArrival));
  }

  private static boolean isBeneath(BytePath path, Map<BytePath, Operand> others) {
    List<FileName> names = path.names();
    BytePath above = BytePath.EMPTY;
    for (FileName name : new ArrayList<>(names).subList(0, names.size() - 1)) {
      above = above.resolve(BytePath.of(name.bytes()));
      if (others.containsKey(above)) {
        return true;
      }
    }
    return false;
  }

  private static OperandGroup alone(Operand operand) {
    BytePath arrival = arrival(operand);
    return arrival.isEmpty()
        ? new OperandGroup(Optional.of(operand), Map.of())
        : new OperandGroup(Optional.empty(), Map.of(arrival, operand));
  }

  /**
   * The path of an operand beneath the destination; empty for an invalid path, which the walk
   * reports.
   */
  private static BytePath arrival(Operand operand) {
    return operand.arrival().orElse(BytePath.EMPTY);
  }
}
