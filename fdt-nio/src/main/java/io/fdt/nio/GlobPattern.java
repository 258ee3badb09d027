package io.fdt.nio;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Turns a glob into a regular expression, as specified by {@link
 * java.nio.file.FileSystem#getPathMatcher}: {@code *}, {@code **}, {@code ?}, {@code [a-z]}, {@code
 * [!a]}, {@code {a,b}} and the backslash. Pure.
 */
final class GlobPattern {
  private final String glob;
  private final StringBuilder regex = new StringBuilder();
  private int at;
  private boolean inGroup;

  private GlobPattern(String glob) {
    this.glob = glob;
  }

  /**
   * The expression that is equivalent to the glob.
   *
   * @throws PatternSyntaxException a bracket, a brace or a backslash is incomplete
   */
  static Pattern of(String glob) {
    GlobPattern pattern = new GlobPattern(glob);
    while (pattern.at < glob.length()) {
      pattern.next();
    }
    if (pattern.inGroup) {
      throw pattern.bad("a { without its }");
    }
    return Pattern.compile(pattern.regex.toString(), Pattern.DOTALL);
  }

  private PatternSyntaxException bad(String why) {
    return new PatternSyntaxException(why, glob, at - 1);
  }

  private void next() {
    char c = glob.charAt(at++);
    switch (c) {
      case '*' -> star();
      case '?' -> regex.append("[^/]");
      case '[' -> bracket();
      case '{' -> open();
      case '}' -> regex.append(inGroup ? close() : "\\}");
      case ',' -> regex.append(inGroup ? "|" : ",");
      case '\\' -> {
        if (at == glob.length()) {
          throw bad("a backslash at the end");
        }
        literal(glob.charAt(at++));
      }
      default -> literal(c);
    }
  }

  private void star() {
    if (at < glob.length() && glob.charAt(at) == '*') {
      at++;
      regex.append(".*");
    } else {
      regex.append("[^/]*");
    }
  }

  private void open() {
    if (inGroup) {
      throw bad("a { within another one");
    }
    inGroup = true;
    regex.append("(?:");
  }

  private String close() {
    inGroup = false;
    return ")";
  }

  private void bracket() {
    int end = glob.indexOf(']', at + 1);
    if (end < 0) {
      throw bad("a [ without its ]");
    }
    String set = glob.substring(at, end);
    at = end + 1;
    if (set.indexOf('/') >= 0) {
      throw bad("a slash in brackets");
    }
    boolean negated = set.startsWith("!");
    String members = (negated ? set.substring(1) : set).replaceAll("([\\[\\]\\\\^&])", "\\\\$1");
    // A range may include the slash.
    regex.append(negated ? "[^/" : "[[^/]&&[").append(members).append(negated ? "]" : "]]");
  }

  private void literal(char c) {
    if ("\\^$.|?*+()[]{}".indexOf(c) >= 0) {
      regex.append('\\');
    }
    regex.append(c);
  }
}
