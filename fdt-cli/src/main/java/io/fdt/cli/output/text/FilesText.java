package io.fdt.cli.output.text;

import io.fdt.cli.option.transfer.FileVerb;
import io.fdt.cli.output.CheckLine;
import io.fdt.cli.output.FilesView;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.Table;
import io.fdt.client.RemoteDigest;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteTotals;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.PathText;
import io.fdt.core.unit.NumberText;
import java.util.List;
import java.util.Locale;

/** Files of a server, as text. */
public final class FilesText implements FilesView {
  /** The column width of sizes when the largest is not known yet: up to 999 GB. */
  private static final int SIZE_WIDTH = 12;

  private final Screen screen;

  /** The note in place of a listing without entries; empty as soon as there is one. */
  private String none = "";

  private final Table details = ListingLine.table(0);
  private final Table pieces = ListingLine.table(SIZE_WIDTH);
  private final Table usage =
      new Table().right("SIZE").wide(SIZE_WIDTH).right("FILES", "DIRECTORIES").left("NAME");
  private int status;

  public FilesText(Screen screen) {
    this.screen = screen;
  }

  @Override
  public void listed(List<RemoteFile> files, FileVerb.Look look) {
    none = "'" + look.path() + "' is empty";
    files.forEach(file -> add(file, look, details));
    details.show(screen);
  }

  private void add(RemoteFile file, FileVerb.Look look, Table table) {
    none = "";
    if (look.detailed()) {
      table.add(ListingLine.cells(file, look.human()));
    } else {
      screen.line(ListingLine.name(file));
    }
  }

  @Override
  public RemoteVisitor listing(FileVerb.Look look) {
    none = "'" + look.path() + "' is empty";
    return new RemoteVisitor() {
      @Override
      public void file(RemoteFile file) {
        add(file, look, pieces);
        pieces.show(screen);
      }

      @Override
      public void problem(String path, ErrorCode code, String message) {
        failed(path, code, message);
      }
    };
  }

  @Override
  public RemoteVisitor at(BytePath path) {
    return digests(path, BytePath.EMPTY);
  }

  @Override
  public RemoteVisitor digests(BytePath path, BytePath directory) {
    return new RemoteVisitor() {
      @Override
      public void digest(RemoteDigest digest) {
        BytePath whole = FilesView.whole(path, digest.path());
        screen.listLine(CheckLine.of(labelled(digest), whole.beneath(directory)));
      }

      @Override
      public void problem(String failed, ErrorCode code, String message) {
        failed(failed, code, message);
      }

      @Override
      public void working(long files, long bytes) {
        screen.status(
            "%s: %s, %s".formatted(path, NumberText.count(files, "file"), NumberText.bytes(bytes)));
      }
    };
  }

  @Override
  public void stat(RemoteFile file) {
    screen.line("path:     " + file.name());
    screen.line("kind:     " + FilesView.kind(file));
    screen.line("size:     %d (%s)".formatted(file.size(), NumberText.bytes(file.size())));
    screen.line("mode:     " + String.format(Locale.US, "%04o", file.mode() & ~FilesView.TYPE));
    screen.line("modified: " + FilesView.time(file.modified()));
    if (!file.linkTarget().isEmpty()) {
      screen.line("target:   " + file.linkTarget());
    }
  }

  /** Prints nothing, as mkdir. */
  @Override
  public void made(BytePath path) {}

  @Override
  public void renamed(BytePath from, BytePath to) {}

  @Override
  public void removed(BytePath path, RemoteTotals totals, boolean pretended) {
    if (pretended) {
      screen.line(
          "would remove %s (%s, %s, %s)"
              .formatted(
                  path,
                  NumberText.count(totals.files() + totals.links() + totals.others(), "file"),
                  directories(totals.directories()),
                  NumberText.bytes(totals.bytes())));
    }
  }

  @Override
  public void measured(BytePath path, RemoteTotals totals, boolean human) {
    usage.add(
        human ? NumberText.bytes(totals.bytes()) : Long.toString(totals.bytes()),
        NumberText.count(totals.files()),
        NumberText.count(totals.directories()),
        path.toString());
    usage.show(screen);
  }

  /** Prefixes a digest with its construction, unless common tools compute it. */
  private static String labelled(RemoteDigest digest) {
    return digest.construction().indexOf('-') < 0
        ? digest.digest()
        : digest.construction() + ":" + digest.digest();
  }

  private static String directories(long count) {
    return NumberText.count(count) + (count == 1 ? " directory" : " directories");
  }

  @Override
  public void failed(String path, ErrorCode code, String message) {
    screen.problem(PathText.named(path, message));
    status = status == 0 ? code.exitStatus() : status;
  }

  @Override
  public int end() {
    screen.endStatus();
    if (!none.isEmpty() && status == 0) {
      screen.note(none);
    }
    return status;
  }
}
