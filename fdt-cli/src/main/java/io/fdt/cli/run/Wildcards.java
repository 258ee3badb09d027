package io.fdt.cli.run;

import io.fdt.client.FdtClient;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteVisitor;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.Operand;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Expands wildcards in paths of a server, as a shell does with local ones: {@code *}, {@code ?} and
 * {@code [a-z]} stand for a part of a name, {@code **} for any number of directories. A path that
 * exists as it is written stands for itself. Names that start with a dot match only where the
 * pattern has the dot.
 *
 * <p>The server lists what the client may read; only directories that can hold a match are listed.
 * Blocks; not thread-safe.
 */
public final class Wildcards {
  private static final String ANY_DEPTH = "**";

  private final RemoteFiles files;
  private final Consumer<String> notices;

  /**
   * @param notices takes a line for each directory that cannot be listed
   */
  public Wildcards(RemoteFiles files, Consumer<String> notices) {
    this.files = files;
    this.notices = notices;
  }

  /**
   * A request without wildcards.
   *
   * @param client of the server that has the sources
   * @throws FdtException NOT_FOUND when nothing matches; as {@link RemoteFiles#list}
   */
  public static TransferRequest expanded(
      TransferRequest request, FdtClient client, Consumer<String> notices)
      throws FdtException, InterruptedException {
    List<Operand> sources = request.spec().sources();
    boolean isLocal = request.direction() == TransferRequest.Direction.PUSH;
    if (isLocal || sources.stream().noneMatch(Wildcards::isPattern)) {
      return request;
    }
    List<Operand> all = new ArrayList<>();
    try (RemoteFiles files = client.files()) {
      Wildcards wildcards = new Wildcards(files, notices);
      for (Operand source : sources) {
        if (isPattern(source)) {
          wildcards.matches(source.path()).forEach(path -> all.add(Operand.of(path)));
        } else {
          all.add(source);
        }
      }
    }
    try {
      return new TransferRequest(
          request.direction(),
          request.spec().toBuilder().sources(all).build(),
          request.explain(),
          request.monitor(),
          request.output(),
          request.input(),
          request.command());
    } catch (IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.USAGE, "%d paths match: %s".formatted(all.size(), e.getMessage()), e);
    }
  }

  private static boolean isPattern(Operand source) {
    return source.target().isEmpty() && isPattern(ByteText.decode(source.path().bytes()));
  }

  private static boolean isPattern(String text) {
    return text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
  }

  /**
   * The deepest directory that holds all that the paths name: all of a path with a slash at its
   * end.
   */
  public static BytePath directoryOf(List<BytePath> paths) {
    List<String> common = null;
    for (BytePath path : paths) {
      List<String> names = List.of(ByteText.decode(path.bytes()).split("/+", -1));
      int literal = 0;
      while (literal < names.size() - 1 && !isPattern(names.get(literal))) {
        literal++;
      }
      int same = 0;
      while (common != null
          && same < Math.min(common.size(), literal)
          && names.get(same).equals(common.get(same))) {
        same++;
      }
      common = names.subList(0, common == null ? literal : same);
    }
    return ByteText.path(common == null ? "" : String.join("/", common) + "/");
  }

  /**
   * The matching paths, sorted; the path itself when it is not a pattern, or exists.
   *
   * @throws FdtException NOT_FOUND when nothing matches
   */
  public List<BytePath> matches(BytePath pattern) throws FdtException, InterruptedException {
    String text = ByteText.decode(pattern.bytes());
    if (!isPattern(text) || exists(pattern)) {
      return List.of(pattern);
    }
    int scheme = text.indexOf("://");
    String root = scheme < 0 ? "" : text.substring(0, scheme + 2); // of a path such as s3://BUCKET
    List<String> names =
        List.of(text.substring(root.length()).split("/+", -1)).stream()
            .filter(s -> !s.isEmpty())
            .toList();
    boolean directoriesOnly = text.endsWith("/");
    List<BytePath> found = new ArrayList<>();
    collect(root, names, directoriesOnly, found);
    if (found.isEmpty()) {
      throw new FdtException(
          ErrorCode.NOT_FOUND,
          "'" + pattern + "': nothing that the server shows you matches; check it with fdt ls");
    }
    found.sort(Comparator.comparing(BytePath::toString));
    return found;
  }

  private boolean exists(BytePath path) throws FdtException, InterruptedException {
    try {
      RemoteFile unused = files.stat(path);
      return true;
    } catch (FdtException e) {
      if (e.code() == ErrorCode.NOT_FOUND
          || e.code() == ErrorCode.WRONG_KIND
          || e.code() == ErrorCode.FORBIDDEN) {
        return false;
      }
      throw e;
    }
  }

  /**
   * @param directory without the slash before the next name; empty for the root
   * @param names that remain of the pattern
   */
  private void collect(
      String directory, List<String> names, boolean directoriesOnly, List<BytePath> found)
      throws FdtException, InterruptedException {
    int literal = 0;
    while (literal < names.size() && !isPattern(names.get(literal))) {
      literal++;
    }
    String start = directory + joined(names.subList(0, literal));
    List<String> rest = names.subList(literal, names.size());
    if (rest.isEmpty()) {
      BytePath path = ByteText.path(start + (directoriesOnly ? "/" : ""));
      if (exists(path)) {
        found.add(path);
      }
    } else if (rest.get(0).equals(ANY_DEPTH)) {
      collectTree(start, rest, directoriesOnly, found);
    } else {
      collectLevel(start, rest, directoriesOnly, found);
    }
  }

  private void collectLevel(
      String directory, List<String> names, boolean directoriesOnly, List<BytePath> found)
      throws FdtException, InterruptedException {
    NamePattern pattern = pattern("/" + names.get(0));
    boolean isLast = names.size() == 1;
    boolean takesHidden = names.get(0).startsWith(".");
    for (RemoteFile file : listed(directory)) {
      boolean isDirectory = file.kind().equals(Optional.of(EntryKind.DIRECTORY));
      String name = ByteText.decode(file.name().bytes());
      if (!pattern.matches(characters(file.name()), isDirectory)
          || (name.startsWith(".") && !takesHidden)
          || ((directoriesOnly || !isLast) && !isDirectory)) {
        continue;
      }
      String path = directory + "/" + name;
      if (isLast) {
        found.add(ByteText.path(path + (directoriesOnly ? "/" : "")));
      } else {
        collect(path, names.subList(1, names.size()), directoriesOnly, found);
      }
    }
  }

  private List<RemoteFile> listed(String directory) throws FdtException, InterruptedException {
    try {
      return files.list(ByteText.path(directory.isEmpty() ? "/" : directory));
    } catch (FdtException e) {
      if (e.code() != ErrorCode.PERMISSION && e.code() != ErrorCode.FORBIDDEN) {
        throw e;
      }
      notices.accept(e.getMessage());
      return List.of();
    }
  }

  private void collectTree(
      String directory, List<String> names, boolean directoriesOnly, List<BytePath> found)
      throws FdtException, InterruptedException {
    NamePattern pattern = pattern(joined(names));
    // Only files: directories would copy their files a second time.
    boolean filesOnly = names.get(names.size() - 1).equals(ANY_DEPTH) && !directoriesOnly;
    files.list(
        ByteText.path(directory.isEmpty() ? "/" : directory),
        true,
        new RemoteVisitor() {
          @Override
          public void file(RemoteFile file) {
            boolean isDirectory = file.kind().equals(Optional.of(EntryKind.DIRECTORY));
            boolean isHidden =
                file.name().names().stream().anyMatch(name -> name.bytes()[0] == '.');
            boolean isWanted = isDirectory ? !filesOnly : !directoriesOnly;
            if (isWanted && !isHidden && pattern.matches(characters(file.name()), isDirectory)) {
              found.add(
                  ByteText.path(
                      directory
                          + "/"
                          + ByteText.decode(file.name().bytes())
                          + (directoriesOnly ? "/" : "")));
            }
          }

          @Override
          public void problem(String path, ErrorCode code, String message) {
            notices.accept(message);
          }
        });
  }

  private static NamePattern pattern(String text) throws FdtException {
    try {
      return new NamePattern(ByteText.path(text));
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
  }

  private static List<int[]> characters(BytePath path) {
    return path.names().stream().map(FileName::bytes).map(NamePattern::characters).toList();
  }

  private static String joined(List<String> names) {
    StringBuilder text = new StringBuilder();
    names.forEach(name -> text.append('/').append(name));
    return text.toString();
  }
}
