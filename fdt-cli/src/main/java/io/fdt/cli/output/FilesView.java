package io.fdt.cli.output;

import io.fdt.cli.command.FileVerb;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteTotals;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import java.util.List;

/** How files of a server are shown. Not thread-safe. */
public interface FilesView {
  /** What a directory holds, as a whole. */
  void listed(List<RemoteFile> files, FileVerb.Look look);

  /** What a directory or tree holds, piece by piece. */
  RemoteVisitor listing(FileVerb.Look look);

  /** What comes of one path that was named. */
  RemoteVisitor at(BytePath path);

  void stat(RemoteFile file);

  void made(BytePath path);

  void renamed(BytePath from, BytePath to);

  /**
   * Something was removed.
   *
   * @param pretended a dry run: it would be
   */
  void removed(BytePath path, RemoteTotals totals, boolean pretended);

  void measured(BytePath path, RemoteTotals totals, boolean human);

  /** One thing that could not be done. */
  void failed(String path, ErrorCode code, String message);

  /** Everything was told; the exit status. */
  int end();
}
