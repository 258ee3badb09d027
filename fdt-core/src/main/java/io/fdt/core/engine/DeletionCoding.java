package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Deletion;
import io.fdt.core.wire.SelectionCoding;
import io.fdt.core.wire.control.OpenSession;
import java.util.Optional;

/** What is to be deleted, in the message that opens a session and out of it. */
public final class DeletionCoding {
  private DeletionCoding() {}

  /** Puts it into the message that opens a session. */
  public static void encode(Deletion deletion, OpenSession.Builder open) {
    if (deletion.isWanted()) {
      open.setDelete(true)
          .setMostDeletedPlusOne(deletion.most() == Long.MAX_VALUE ? 0 : deletion.most() + 1)
          .setSelection(SelectionCoding.encode(deletion.selection()));
    }
  }

  /**
   * Takes it from the message that opens a session.
   *
   * @throws FdtException PROTOCOL when no client that keeps the rules could have sent it
   */
  public static Deletion decode(OpenSession open) throws FdtException {
    if (!open.getDelete()) {
      return Deletion.NONE;
    }
    long most = open.getMostDeletedPlusOne();
    try {
      return new Deletion(
          true,
          most == 0 ? Long.MAX_VALUE : most - 1,
          SelectionCoding.decode(open.getSelection()),
          Optional.empty());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + e.getMessage(), e);
    }
  }
}
