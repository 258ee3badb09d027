package io.fdt.cli.output.json;

import io.fdt.cli.option.transfer.FileVerb;
import io.fdt.cli.output.FilesView;
import io.fdt.cli.output.Screen;
import io.fdt.client.RemoteDigest;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteTotals;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import java.util.List;
import java.util.Locale;

/** Files of a server for a program: docs/json-files.schema.json. */
public final class FilesJson implements FilesView {
  private final Screen screen;
  private int status;

  public FilesJson(Screen screen) {
    this.screen = screen;
  }

  @Override
  public void listed(List<RemoteFile> files, FileVerb.Look look) {
    files.forEach(listing(look)::file);
  }

  @Override
  public RemoteVisitor listing(FileVerb.Look look) {
    return new RemoteVisitor() {
      @Override
      public void file(RemoteFile file) {
        entry(file, FilesView.whole(look.path(), file.name()));
      }

      @Override
      public void problem(String path, ErrorCode code, String message) {
        failed(path, code, message);
      }
    };
  }

  private void entry(RemoteFile file, BytePath path) {
    JsonEvent event =
        new JsonEvent("entry")
            .withPath(path.toString())
            .with("kind", FilesView.kind(file))
            .with("size", file.size())
            .with("mode", String.format(Locale.US, "%04o", file.mode() & ~FilesView.TYPE))
            .with("modified", FilesView.time(file.modified()));
    if (!file.linkTarget().isEmpty()) {
      event.withPath("target", file.linkTarget().toString());
    }
    event.show(screen);
  }

  @Override
  public RemoteVisitor at(BytePath path) {
    return new RemoteVisitor() {
      @Override
      public void digest(RemoteDigest digest) {
        new JsonEvent("digest")
            .withPath(FilesView.whole(path, digest.path()).toString())
            .with("size", digest.size())
            .with("checksum", digest.construction())
            .with("digest", digest.digest())
            .show(screen);
      }

      @Override
      public void problem(String failed, ErrorCode code, String message) {
        failed(failed, code, message);
      }
    };
  }

  @Override
  public void stat(RemoteFile file) {
    entry(file, file.name());
  }

  @Override
  public void made(BytePath path) {
    new JsonEvent("made").withPath(path.toString()).show(screen);
  }

  @Override
  public void renamed(BytePath from, BytePath to) {
    new JsonEvent("renamed").withPath(from.toString()).withPath("to", to.toString()).show(screen);
  }

  @Override
  public void removed(BytePath path, RemoteTotals totals, boolean pretended) {
    totals("removed", path, totals).with("pretended", pretended).show(screen);
  }

  @Override
  public void measured(BytePath path, RemoteTotals totals, boolean human) {
    totals("usage", path, totals).show(screen);
  }

  private static JsonEvent totals(String kind, BytePath path, RemoteTotals totals) {
    return new JsonEvent(kind)
        .withPath(path.toString())
        .with("files", totals.files())
        .with("directories", totals.directories())
        .with("links", totals.links())
        .with("others", totals.others())
        .with("bytes", totals.bytes());
  }

  @Override
  public void failed(String path, ErrorCode code, String message) {
    new JsonEvent("problem").withPath(path).withError(code, message).show(screen);
    status = status == 0 ? code.exitStatus() : status;
  }

  @Override
  public int end() {
    JsonEvent.end(screen, status);
    return status;
  }
}
