package io.fdt.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The commands {@code fdt} of a line of shell: in pipes, lists, subshells, {@code $(...)}, behind
 * prompts, assignments and other commands that start commands, and in quoted words that are
 * commands themselves. A variable becomes a word that is an id, too, and nothing else is expanded.
 */
final class ShellLine {
  /** What variables hold in pages, in part. */
  private static final String VALUE = "1f0c22ab";

  private static final Set<String> STARTERS = Set.of("exec", "nohup", "time", "sudo", "srun");

  private final String text;
  private final List<List<String>> commands = new ArrayList<>();
  private final List<String> simple = new ArrayList<>();
  private int at;

  private ShellLine(String text) {
    this.text = text;
  }

  /** What follows {@code fdt} or {@code java -jar fdt.jar} in each command. */
  static List<List<String>> commands(String line) {
    ShellLine shell =
        new ShellLine(
            line.strip().replaceFirst("^\\w*\\$ +", "").replaceFirst("^([0-9*,/-]+ +){5}", ""));
    shell.read();
    return shell.commands;
  }

  private void read() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
      } else if (c == '#') {
        break;
      } else if ("|&;()".indexOf(c) >= 0) {
        at++;
        end();
      } else if (text.startsWith("2>", at) || c == '>' || c == '<') {
        at += c == '2' ? 2 : 1;
        skipTarget();
      } else {
        simple.add(word());
      }
    }
    end();
  }

  private void skipTarget() {
    while (at < text.length() && "> &".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String unused = word();
  }

  private String word() {
    StringBuilder word = new StringBuilder();
    while (at < text.length()
        && !Character.isWhitespace(text.charAt(at))
        && "|&;()<>".indexOf(text.charAt(at)) < 0) {
      char c = text.charAt(at++);
      if (c == '\'' || c == '"') {
        int end = text.indexOf(c, at);
        String quoted = text.substring(at, end < 0 ? text.length() : end);
        at += quoted.length() + 1;
        commands.addAll(quoted.startsWith("fdt ") ? commands(quoted) : List.of());
        word.append(quoted);
      } else if (c == '$' && text.startsWith("(", at)) {
        int end = text.indexOf(')', at);
        commands.addAll(commands(text.substring(at + 1, end)));
        word.append(VALUE);
        at = end + 1;
      } else {
        word.append(c);
      }
    }
    return word.toString().replaceAll("\\$\\w+", VALUE);
  }

  private void end() {
    arguments().ifPresent(commands::add);
    simple.clear();
  }

  private Optional<List<String>> arguments() {
    int first = 0;
    while (first < simple.size() && isBeforeCommand(simple.get(first))) {
      boolean hasUser = simple.get(first).equals("-u");
      first += hasUser ? 2 : 1;
    }
    List<String> command = simple.subList(Math.min(first, simple.size()), simple.size());
    if (command.size() > 2
        && command.get(0).equals("java")
        && command.get(1).equals("-jar")
        && command.get(2).endsWith("fdt.jar")) {
      return Optional.of(List.copyOf(command.subList(3, command.size())));
    }
    return command.isEmpty() || !command.get(0).equals("fdt")
        ? Optional.empty()
        : Optional.of(List.copyOf(command.subList(1, command.size())));
  }

  private static boolean isBeforeCommand(String word) {
    return STARTERS.contains(word) || word.startsWith("-") || word.matches("\\w+=.*");
  }
}
