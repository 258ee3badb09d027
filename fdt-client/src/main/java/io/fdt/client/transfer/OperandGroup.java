package io.fdt.client.transfer;

import io.fdt.client.SourceListing;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Operands of one walk. The path of an entry at the destination identifies its operand.
 *
 * @param contents the operand whose entries are directly beneath the destination; empty for none
 * @param byArrival the others
 */
public record OperandGroup(Optional<Operand> contents, Map<BytePath, Operand> byArrival) {
  public List<Operand> operands() {
    return contents.isPresent() ? List.of(contents.get()) : List.copyOf(byArrival.values());
  }

  /** The destination itself. */
  SourceListing.Directory root() {
    return new SourceListing.Directory(contents.map(Operand::path).orElse(null), BytePath.EMPTY);
  }

  /** A subdirectory; its source is null above all operands. */
  SourceListing.Directory child(SourceListing.Directory parent, FileName name) {
    if (parent.source() != null) {
      return parent.child(name);
    }
    BytePath arrival = parent.arrival().resolve(BytePath.of(name.bytes()));
    Operand operand = byArrival.get(arrival);
    return new SourceListing.Directory(operand == null ? null : operand.path(), arrival);
  }

  void report(
      SourceListing.Directory parent,
      FileName name,
      EntryKind kind,
      long size,
      SourceListing.Visitor visitor)
      throws FdtException {
    if (parent.source() != null) {
      visitor.file(parent, name, kind, size);
      return;
    }
    Operand operand = byArrival.get(parent.arrival().resolve(BytePath.of(name.bytes())));
    if (operand != null) {
      visitor.operand(operand, kind, size);
    }
  }
}
