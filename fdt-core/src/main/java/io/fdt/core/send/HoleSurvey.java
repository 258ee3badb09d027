package io.fdt.core.send;

import io.fdt.core.engine.DiskWork;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.session.OutgoingFile;
import io.fdt.core.session.SenderSession;
import io.fdt.core.storage.SourceTree.SourceFile;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks where a sparse file has holes, on a reader thread, and tells the session.
 *
 * @param file which one
 * @param reader what has it open
 */
record HoleSurvey(OutgoingFile<SourceFile> file, SharedReader reader) {
  /** Runs on a reader thread; the result is to be run on the session's event loop. */
  Runnable run(SenderSession<SourceFile> session) {
    List<Range> holes = new ArrayList<>();
    FdtException failure = DiskWork.attempt(() -> holes.addAll(reader.holes()));
    return () -> {
      if (failure == null) {
        session.onSurveyed(file, holes);
      } else {
        session.onReadFailed(file, failure);
      }
    };
  }
}
