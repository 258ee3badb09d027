package io.fdt.cli.run.copy;

import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The notice of a dry run about the slash at the end of a source: where a directory arrives, with
 * and without it. Any thread.
 */
final class SlashRule implements TransferListener {
  /** With more sources, the user has not typed each: no notice. */
  private static final int MOST_SOURCES = 3;

  private final List<Operand> sources;
  private final BytePath destination;
  private final ArrivalNames names;

  /** The names, without their paths, of sources that are directories. */
  private final Set<String> directories = ConcurrentHashMap.newKeySet();

  SlashRule(TransferRequest request) {
    this.sources = request.spec().sources();
    this.destination = request.spec().destination();
    this.names = new ArrivalNames(request);
  }

  @Override
  public void fileDue(FoundFile file) {
    found(file.path());
  }

  @Override
  public void fileUnchanged(FoundFile file) {
    found(file.path());
  }

  @Override
  public void problem(FileProblem problem) {
    // Another listener shows it.
  }

  private void found(String path) {
    if (directories.size() >= MOST_SOURCES) {
      return;
    }
    String name = names.of(path);
    int slash = name.indexOf('/');
    if (slash > 0) {
      directories.add(name.substring(0, slash));
    }
  }

  /** One line for each source that is a directory; none for lists and patterns of sources. */
  List<String> lines(TransferReport report) {
    List<String> lines = new ArrayList<>();
    boolean isTyped =
        sources.size() <= MOST_SOURCES && sources.stream().allMatch(s -> s.target().isEmpty());
    for (Operand source : isTyped ? sources : List.<Operand>of()) {
      String text = source.path().toString();
      String path = text.replaceFirst("/+$", "");
      String last = path.substring(path.lastIndexOf('/') + 1);
      boolean hasName = !last.isEmpty() && !last.equals(".") && !last.equals("..");
      boolean isOnlyDirectory = sources.size() == 1 && report.figures().directories() > 0;
      if (!hasName) {
        continue; // always its contents
      }
      if (source.path().endsWithSlash()) {
        lines.add(
            "the contents of '%s' arrive in '%s'; without the trailing slash, '%s' would arrive as '%s'"
                .formatted(text, destination, path, beneath(last)));
      } else if (directories.contains(last) || isOnlyDirectory) {
        lines.add(
            "'%s' arrives as '%s'; with a trailing slash, '%s/', its contents would arrive in '%s'"
                .formatted(text, beneath(last), text, destination));
      }
    }
    return lines;
  }

  private String beneath(String name) {
    String directory = destination.toString();
    return directory.isEmpty() || directory.endsWith("/")
        ? directory + name
        : directory + "/" + name;
  }
}
