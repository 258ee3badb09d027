package io.fdt.core.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A pattern of paths, as in a .gitignore (<a
 * href="https://git-scm.com/docs/gitignore#_pattern_format">its documentation</a>). Immutable.
 *
 * <p>{@code *} matches any characters but a slash, {@code ?} one, {@code [a-z]} and {@code [!a-z]}
 * one of a set; a backslash escapes the next character. A slash at the start or in the middle ties
 * the pattern to the directory that was named; without one it matches at any depth. A slash at the
 * end: directories only. {@code **} between slashes stands for any number of directories.
 *
 * <p>Names are compared as characters; each byte that is not UTF-8 is a character.
 */
public final class NamePattern {
  /** Most bytes of one pattern: no path is longer. */
  public static final int MAX_LENGTH = 4096;

  /** Matches any number of names. */
  private static final int[] ANY_NAMES = {};

  private static final int ANY = -1;
  private static final int ONE = -2;

  private final BytePath text;
  private final List<int[]> names = new ArrayList<>();
  private final boolean directoriesOnly;

  /**
   * @throws IllegalArgumentException when it can match nothing (empty, or an unterminated set) or
   *     is longer than {@link #MAX_LENGTH}
   */
  public NamePattern(BytePath text) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a pattern of " + text.length() + " bytes; at most " + MAX_LENGTH + " are allowed");
    }
    this.text = text;
    String pattern = ByteText.decode(text.bytes());
    directoriesOnly = pattern.endsWith("/");
    String body = directoriesOnly ? pattern.substring(0, pattern.length() - 1) : pattern;
    if (body.isEmpty()) {
      throw new IllegalArgumentException("an empty pattern matches nothing");
    }
    boolean tied = body.contains("/");
    if (!tied) {
      names.add(ANY_NAMES);
    }
    for (String name : (body.startsWith("/") ? body.substring(1) : body).split("/", -1)) {
      if (name.isEmpty()) {
        throw new IllegalArgumentException(text + ": a name is empty");
      }
      boolean again = !names.isEmpty() && names.get(names.size() - 1) == ANY_NAMES;
      if (!name.equals("**")) {
        names.add(compile(name));
      } else if (!again) {
        names.add(ANY_NAMES);
      }
    }
  }

  public BytePath text() {
    return text;
  }

  /** The characters of one name, as {@link #matches} needs them. */
  public static int[] characters(byte[] name) {
    return ByteText.decode(name).codePoints().toArray();
  }

  /**
   * Whether a path matches.
   *
   * @param path names from the directory that was named
   */
  public boolean matches(List<int[]> path, boolean isDirectory) {
    if (directoriesOnly && !isDirectory) {
      return false;
    }
    // reached[i]: the first i names of the path match the names of the pattern so far.
    boolean[] reached = new boolean[path.size() + 1];
    reached[0] = true;
    for (int p = 0; p < names.size(); p++) {
      int[] wanted = names.get(p);
      boolean last = p == names.size() - 1;
      boolean[] next = new boolean[reached.length];
      for (int i = 0; i < reached.length; i++) {
        if (wanted == ANY_NAMES) {
          // A trailing "a/**" matches the contents of a, not a itself.
          next[i] = (i > 0 && (next[i - 1] || reached[i - 1])) || (!last && reached[i]);
        } else {
          next[i] = i > 0 && reached[i - 1] && matches(wanted, path.get(i - 1));
        }
      }
      reached = next;
    }
    return reached[path.size()];
  }

  /** Wildcards with one point to backtrack to: linear except for repeated stars. */
  private static boolean matches(int[] pattern, int[] name) {
    int p = 0;
    int n = 0;
    int star = -1;
    int resume = 0;
    while (n < name.length) {
      int end = p < pattern.length && pattern[p] != ANY ? afterMatch(pattern, p, name[n]) : -1;
      if (end >= 0) {
        p = end;
        n++;
      } else if (p < pattern.length && pattern[p] == ANY) {
        star = p++;
        resume = n;
      } else if (star >= 0) {
        p = star + 1;
        n = ++resume;
      } else {
        return false;
      }
    }
    while (p < pattern.length && pattern[p] == ANY) {
      p++;
    }
    return p == pattern.length;
  }

  /** The position after a match of one character; -1 for no match. */
  private static int afterMatch(int[] pattern, int at, int character) {
    if (pattern[at] == ONE) {
      return at + 1;
    }
    if (pattern[at] > -3) {
      return pattern[at] == character ? at + 1 : -1;
    }
    // A set: -3 - (2 * number of ranges + 1 when negated), then the ranges.
    int code = -3 - pattern[at];
    boolean negated = (code & 1) == 1;
    int end = at + 1 + (code & ~1);
    boolean in = false;
    for (int i = at + 1; i < end && !in; i += 2) {
      in = character >= pattern[i] && character <= pattern[i + 1];
    }
    return in != negated ? end : -1;
  }

  private static int[] compile(String name) {
    int[] source = name.codePoints().toArray();
    int[] compiled = new int[2 * source.length + 2];
    int length = 0;
    for (int i = 0; i < source.length; i++) {
      switch (source[i]) {
        case '*' -> compiled[length++] = ANY;
        case '?' -> compiled[length++] = ONE;
        case '\\' -> {
          if (++i == source.length) {
            throw new IllegalArgumentException(name + ": nothing follows the backslash");
          }
          compiled[length++] = source[i];
        }
        case '[' -> {
          int end = endOfSet(source, i, name);
          length = compileSet(source, i + 1, end, compiled, length);
          i = end;
        }
        default -> compiled[length++] = source[i];
      }
    }
    return Arrays.copyOf(compiled, length);
  }

  private static int endOfSet(int[] source, int start, String name) {
    // A leading ] belongs to the set.
    int i = start + 1;
    if (i < source.length && (source[i] == '!' || source[i] == '^')) {
      i++;
    }
    for (i++; i < source.length; i++) {
      if (source[i] == ']') {
        return i;
      }
    }
    throw new IllegalArgumentException(name + ": the set has no end: ] is missing");
  }

  private static int compileSet(int[] source, int start, int end, int[] compiled, int length) {
    boolean negated = source[start] == '!' || source[start] == '^';
    int head = length++;
    int ranges = 0;
    for (int i = negated ? start + 1 : start; i < end; i++) {
      boolean isRange = i + 2 < end && source[i + 1] == '-';
      compiled[length++] = source[i];
      compiled[length++] = isRange ? source[i + 2] : source[i];
      ranges++;
      i += isRange ? 2 : 0;
    }
    compiled[head] = -3 - (2 * ranges + (negated ? 1 : 0));
    return length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NamePattern that && that.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
