package io.fdt.nio;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;

/**
 * A path on a server. Names are {@link ByteText}: bytes that are not text are kept. A relative path
 * is resolved against the root of the server. Immutable except for cached attributes.
 */
final class FdtPath implements Path {
  private final FdtFileSystem fileSystem;
  private final boolean absolute;
  private final List<String> names;

  /** The attributes from the listing that returned this path; null without a listing. */
  private volatile SeenFile seen;

  private FdtPath(FdtFileSystem fileSystem, boolean absolute, List<String> names) {
    this.fileSystem = fileSystem;
    this.absolute = absolute;
    this.names = names;
  }

  /**
   * The path with this text.
   *
   * @throws InvalidPathException it has a NUL, or an unpaired surrogate
   */
  static FdtPath of(FdtFileSystem fileSystem, String text) {
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int character = text.codePointAt(i);
      if (character == 0) {
        throw new InvalidPathException(text, "a path has no NUL character", i);
      }
      boolean isHalf = character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
      if (isHalf && !ByteText.isEscape((char) character)) {
        throw new InvalidPathException(text, "unpaired surrogate", i);
      }
    }
    List<String> names = new ArrayList<>();
    for (String name : text.split("/")) {
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
    boolean absolute = text.startsWith("/");
    if (!absolute && names.isEmpty()) {
      names.add(""); // the empty path has one empty name
    }
    return new FdtPath(fileSystem, absolute, List.copyOf(names));
  }

  /**
   * Casts a path to this class.
   *
   * @throws ProviderMismatchException it belongs to another provider
   */
  static FdtPath of(Path path) {
    if (path instanceof FdtPath own) {
      return own;
    }
    throw new ProviderMismatchException("'" + path + "' is not a path of an FDT server");
  }

  private FdtPath with(boolean isAbsolute, List<String> otherNames) {
    List<String> all = !isAbsolute && otherNames.isEmpty() ? List.of("") : otherNames;
    return new FdtPath(fileSystem, isAbsolute, List.copyOf(all));
  }

  private boolean isEmpty() {
    return !absolute && names.size() == 1 && names.get(0).isEmpty();
  }

  /** The names; none for the empty path. */
  private List<String> realNames() {
    return isEmpty() ? List.of() : names;
  }

  /** The path for the server: absolute, without "." and "..". */
  BytePath bytes() {
    return ByteText.path(toAbsolutePath().normalize().toString());
  }

  SeenFile seen() {
    return seen;
  }

  /** The same path without cached attributes. */
  FdtPath unseen() {
    return seen == null ? this : new FdtPath(fileSystem, absolute, names);
  }

  /** The same path with attributes from a listing. */
  FdtPath seenAs(SeenFile file) {
    FdtPath path = new FdtPath(fileSystem, absolute, names);
    path.seen = file;
    return path;
  }

  @Override
  public FdtFileSystem getFileSystem() {
    return fileSystem;
  }

  @Override
  public boolean isAbsolute() {
    return absolute;
  }

  @Override
  public FdtPath getRoot() {
    return absolute ? with(true, List.of()) : null;
  }

  @Override
  public FdtPath getFileName() {
    return names.isEmpty() ? null : with(false, names.subList(names.size() - 1, names.size()));
  }

  @Override
  public FdtPath getParent() {
    if (names.isEmpty() || (!absolute && names.size() == 1)) {
      return null;
    }
    return with(absolute, names.subList(0, names.size() - 1));
  }

  @Override
  public int getNameCount() {
    return names.size();
  }

  @Override
  public FdtPath getName(int index) {
    return subpath(index, index + 1);
  }

  @Override
  public FdtPath subpath(int begin, int end) {
    if (begin < 0 || end > names.size() || begin >= end) {
      throw new IllegalArgumentException(
          "no names " + begin + " to " + end + " in '" + this + "' with " + names.size());
    }
    return with(false, names.subList(begin, end));
  }

  @Override
  public boolean startsWith(Path other) {
    return other instanceof FdtPath path
        && path.fileSystem.equals(fileSystem)
        && path.absolute == absolute
        && path.isEmpty() == isEmpty()
        && path.names.size() <= names.size()
        && names.subList(0, path.names.size()).equals(path.names);
  }

  @Override
  public boolean endsWith(Path other) {
    if (!(other instanceof FdtPath path) || !path.fileSystem.equals(fileSystem)) {
      return false;
    }
    if (path.absolute) {
      return equals(path);
    }
    int start = names.size() - path.names.size();
    return path.isEmpty() == isEmpty()
        && start >= 0
        && names.subList(start, names.size()).equals(path.names);
  }

  @Override
  public FdtPath normalize() {
    List<String> kept = new ArrayList<>();
    for (String name : realNames()) {
      boolean isUp = name.equals("..");
      boolean hasParent = !kept.isEmpty() && !kept.get(kept.size() - 1).equals("..");
      if (isUp && hasParent) {
        kept.remove(kept.size() - 1);
      } else if (!name.equals(".") && !(isUp && absolute)) {
        kept.add(name);
      }
    }
    return with(absolute, kept);
  }

  @Override
  public FdtPath resolve(Path other) {
    FdtPath path = of(other);
    if (path.absolute) {
      return path;
    }
    if (path.isEmpty()) {
      return this;
    }
    List<String> all = new ArrayList<>(realNames());
    all.addAll(path.names);
    return with(absolute, all);
  }

  @Override
  public FdtPath resolve(String other) {
    return resolve(of(fileSystem, other));
  }

  @Override
  public FdtPath relativize(Path other) {
    FdtPath path = of(other);
    if (path.absolute != absolute || !path.fileSystem.equals(fileSystem)) {
      throw new IllegalArgumentException(
          "'%s' and '%s': no relative path leads from one to the other".formatted(this, other));
    }
    boolean isPlain = isEmpty() || (!hasDots(names) && !hasDots(path.names));
    List<String> from = (isPlain ? this : normalize()).realNames();
    List<String> to = (isPlain ? path : path.normalize()).realNames();
    int same = 0;
    while (same < Math.min(from.size(), to.size()) && from.get(same).equals(to.get(same))) {
      same++;
    }
    List<String> way = new ArrayList<>();
    for (String left : from.subList(same, from.size())) {
      if (left.equals("..")) {
        throw new IllegalArgumentException(
            "'" + this + "' holds '..': no relative path leads from there");
      }
      way.add("..");
    }
    way.addAll(to.subList(same, to.size()));
    return with(false, way);
  }

  private static boolean hasDots(List<String> names) {
    return names.contains(".") || names.contains("..");
  }

  @Override
  public URI toUri() {
    return fileSystem.uriOf(toAbsolutePath().toString());
  }

  @Override
  public FdtPath toAbsolutePath() {
    return absolute ? this : with(true, realNames());
  }

  @Override
  public FdtPath toRealPath(LinkOption... options) throws IOException {
    boolean follow = LinkOptions.follows(options);
    return fileSystem.remote().find(this, follow).path();
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException("files of a server cannot be watched: list them again");
  }

  /** {@inheritDoc} Paths with the same text are ordered by server. */
  @Override
  public int compareTo(Path other) {
    FdtPath path = (FdtPath) other; // as the contract says: ClassCastException
    int byText = toString().compareTo(path.toString());
    return byText != 0 || path.fileSystem.equals(fileSystem)
        ? byText
        : fileSystem.toString().compareTo(path.fileSystem.toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FdtPath path
        && path.absolute == absolute
        && path.names.equals(names)
        && path.fileSystem.equals(fileSystem);
  }

  @Override
  public int hashCode() {
    return names.hashCode() * 31 + fileSystem.hashCode();
  }

  @Override
  public String toString() {
    return (absolute ? "/" : "") + String.join("/", names);
  }
}
