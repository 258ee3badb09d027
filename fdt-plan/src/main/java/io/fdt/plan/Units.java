package io.fdt.plan;

import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Selection;
import io.fdt.core.spec.TransferSpec;
import java.util.List;
import java.util.Optional;

/** The transfers of a plan. Pure. */
public final class Units {
  private Units() {}

  /** An operand with its last name as an explicit target. */
  static Operand withTarget(Operand operand) {
    if (operand.target().isPresent() && !operand.target().get().endsWithSlash()) {
      return operand;
    }
    List<FileName> names = operand.path().names();
    BytePath last = BytePath.of(names.get(names.size() - 1).bytes());
    return new Operand(
        operand.path(), Optional.of(operand.target().orElse(BytePath.EMPTY).resolve(last)));
  }

  /**
   * The transfer of a unit.
   *
   * @param text of the unit
   * @param where for messages
   * @throws FdtException IO when the text is damaged
   */
  public static TransferRequest transfer(PlanHeader header, int number, byte[] text, String where)
      throws FdtException {
    UnitText.Content content = UnitText.read(number, text, where);
    List<Operand> operands = content.operands();
    boolean mayBeNewName = operands.stream().anyMatch(operand -> operand.target().isEmpty());
    TransferSpec.Builder spec =
        header.spec().toBuilder()
            .sources(operands)
            .recursive(false)
            .selection(Selection.ALL)
            .delete(false);
    if (!mayBeNewName) {
      spec.destinationIsDirectory(true);
    }
    if (content.part().cut().isPresent()) {
      // The record of a finished range must not survive a power failure that loses its data.
      spec.part(content.part()).fsync(true).verify(false);
    }
    return request(header, spec.build());
  }

  /** Whether a unit is a range of a file, which another unit completes. */
  public static boolean isRange(TransferRequest unit) {
    return unit.spec().part().cut().isPresent();
  }

  /**
   * The last step: directories and links, no file.
   *
   * @param deletes whether all units have succeeded, so that a deletion is allowed
   */
  public static TransferRequest lastStep(PlanHeader header, boolean deletes) {
    TransferSpec whole = header.spec();
    Selection chosen = whole.selection();
    return request(
        header,
        whole.toBuilder()
            .selection(
                new Selection(
                    chosen.rules(),
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    null,
                    null,
                    chosen.maxDepth(),
                    chosen.oneFileSystem()))
            .delete(whole.delete() && deletes)
            .build());
  }

  private static TransferRequest request(PlanHeader header, TransferSpec spec) {
    return new TransferRequest(
        header.direction(), spec, false, false, Optional.empty(), Optional.empty(), "");
  }
}
