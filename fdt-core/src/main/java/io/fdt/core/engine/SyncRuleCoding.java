package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.SyncRule;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.SyncLevel;

/** The rule for files that are there already, in the message that opens a session and out of it. */
public final class SyncRuleCoding {
  private SyncRuleCoding() {}

  /** Puts it into the message that opens a session. */
  public static void encode(SyncRule rule, OpenSession.Builder open) {
    open.setSync(
            switch (rule.level()) {
              case MTIME -> SyncLevel.SYNC_MTIME;
              case SIZE -> SyncLevel.SYNC_SIZE;
              case EXISTS -> SyncLevel.SYNC_EXISTS;
              case CHECKSUM -> SyncLevel.SYNC_CHECKSUM;
              case NEVER -> SyncLevel.SYNC_NEVER;
            })
        .setUpdate(rule.update());
  }

  /**
   * Takes it from the message that opens a session.
   *
   * @throws FdtException PROTOCOL when this version does not know it
   */
  public static SyncRule decode(OpenSession open) throws FdtException {
    SyncRule.Level level =
        switch (open.getSync()) {
          case SYNC_MTIME -> SyncRule.Level.MTIME;
          case SYNC_SIZE -> SyncRule.Level.SIZE;
          case SYNC_EXISTS -> SyncRule.Level.EXISTS;
          case SYNC_CHECKSUM -> SyncRule.Level.CHECKSUM;
          case SYNC_NEVER -> SyncRule.Level.NEVER;
          case UNRECOGNIZED ->
              throw new FdtException(
                  ErrorCode.PROTOCOL,
                  "bad request: this version does not know the level of sync that is asked for");
        };
    if (level == SyncRule.Level.CHECKSUM
        && open.getChecksum() == io.fdt.core.wire.control.Checksum.CHECKSUM_NONE) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "bad request: without a checksum there is nothing to compare by");
    }
    return new SyncRule(level, open.getUpdate());
  }
}
