package io.fdt.cli.run.copy;

import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.run.Command;
import java.util.function.UnaryOperator;

/** A command that copies. */
public interface Copier extends Command {
  /** The copy; servers that are still to be started count as running. */
  Copy copy();

  /** The same with a change of the copy. */
  Copier with(UnaryOperator<Copy> change);

  @Override
  default boolean json() {
    return copy().output().json();
  }
}
