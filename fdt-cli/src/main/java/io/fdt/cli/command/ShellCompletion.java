package io.fdt.cli.command;

import io.fdt.cli.option.parse.Options;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The completion scripts for shells, made from the help. Pure. */
final class ShellCompletion {
  /** Subcommands whose operands the command itself completes. */
  private static final String ASKED =
      Stream.of(CompleteWordCommand.OF_PATHS, CompleteWordCommand.OF_SERVERS, Set.of("token"))
          .flatMap(Set::stream)
          .sorted()
          .collect(Collectors.joining(" "));

  /** Subcommands whose operands are not files. */
  private static final String NO_FILES =
      Stream.of(CompleteWordCommand.OF_SERVERS, Set.of("token"))
          .flatMap(Set::stream)
          .sorted()
          .collect(Collectors.joining(" "));

  /** Subcommands, without the command line of FDT's flags. */
  private final Map<String, CommandSpec> subcommands;

  private final CommandSpec flags;

  /**
   * @param commands all command lines by the name of their subcommand; the line without a
   *     subcommand has ""
   */
  ShellCompletion(Map<String, CommandSpec> commands) {
    this.subcommands = new TreeMap<>(commands);
    this.flags = subcommands.remove("");
    List<String> topics = new ArrayList<>(subcommands.keySet());
    topics.add(Subcommands.FLAGS);
    subcommands.put("help", help(topics));
  }

  private static CommandSpec help(List<String> topics) {
    CommandSpec spec = Options.command("fdt help", "Shows the help of a subcommand.");
    Options.operands(spec, topics, "SUBCOMMAND", "What the help is about.");
    return spec;
  }

  /** The options of a command that its help shows. */
  static List<OptionSpec> options(CommandSpec spec) {
    return spec.options().stream().filter(option -> !option.hidden()).toList();
  }

  static boolean takesValue(OptionSpec option) {
    return option.arity().max() > 0;
  }

  /** The possible values of an option; empty for any value. */
  static List<String> choices(OptionSpec option) {
    return words(option.completionCandidates());
  }

  /** The possible first operands of a command; empty for any operand. */
  static List<String> choices(CommandSpec spec) {
    return spec.positionalParameters().stream()
        .flatMap(operand -> words(operand.completionCandidates()).stream())
        .toList();
  }

  private static List<String> words(Iterable<String> candidates) {
    List<String> words = new ArrayList<>();
    if (candidates != null) {
      candidates.forEach(words::add);
    }
    return words;
  }

  /** A description in one line. */
  static String description(String[] lines) {
    return String.join(" ", lines).replace("%n", " ").replace("%%", "%").strip();
  }

  String bash() {
    StringBuilder text =
        new StringBuilder(
            """
            # bash completion for fdt, printed by: fdt completion bash
            _fdt() {
              local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
              local options values operands choices=
              if [[ $word == = ]]; then
                word=
              elif [[ $previous == = ]]; then
                previous=${COMP_WORDS[COMP_CWORD-2]}
              fi
              case ${COMP_WORDS[1]} in
            """);
    subcommands.forEach((name, spec) -> text.append(bash(name, spec)));
    text.append(bash("*", flags));
    text.append(
        """
          esac
          COMPREPLY=()
          if [[ -n $choices ]]; then
            COMPREPLY=($(compgen -W "$choices" -- "$word"))
          elif [[ " $values " == *" $previous "* ]]; then
            return
          elif [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "$options" -- "$word"))
          elif ((COMP_CWORD == 1)); then
            COMPREPLY=($(compgen -W "SUBCOMMANDS" -- "$word"))
          elif ((COMP_CWORD == 2)) && [[ -n $operands ]]; then
            COMPREPLY=($(compgen -W "$operands" -- "$word"))
          elif [[ " ASKED " == *" ${COMP_WORDS[1]} "* ]]; then
            _fdt_ask "$word"
          fi
        }
        # Asks fdt, which knows servers, their paths and tokens. Readline takes what follows a colon as the word.
        # What comes from servers is quoted: a name is never read as a command.
        _fdt_ask() {
          local line=${COMP_LINE:0:COMP_POINT} part=$1 typed= whole before one
          local -a found
          [[ $part == : ]] && part=
          local pattern='(([^[:space:]\\\\]|\\\\.)*)$'
          [[ $line =~ $pattern ]] && typed=${BASH_REMATCH[1]}
          local unescaped=${typed//\\\\?/}
          [[ $unescaped == [/.~]* || $unescaped == *[\\'\\"\\$\\`]* ]] && return
          IFS= read whole <<<"$typed"
          IFS= read before <<<"${typed%"$part"}"
          mapfile -t found < <("${COMP_WORDS[0]}" ASK "${COMP_WORDS[1]}" "${COMP_WORDS[2]}" "$whole" 2>/dev/null)
          ((${#found[@]})) || return
          [[ ${found[0]} == */ ]] && compopt -o nospace 2>/dev/null
          for one in "${found[@]}"; do
            [[ -n ${one#"$before"} ]] && COMPREPLY+=("$(printf %q "${one#"$before"}")")
          done
        }
        complete -o default -F _fdt fdt
        """
            .replace("SUBCOMMANDS", String.join(" ", subcommands.keySet()))
            .replace("ASKED", ASKED)
            .replace("ASK", CompleteWordCommand.NAME));
    return text.toString();
  }

  private static String bash(String pattern, CommandSpec spec) {
    return "    %s)\n      options='%s'\n      values='%s'\n      operands='%s'\n%s      ;;\n"
        .formatted(
            pattern,
            names(options(spec)),
            names(options(spec).stream().filter(ShellCompletion::takesValue).toList()),
            String.join(" ", choices(spec)),
            bashChoices(spec));
  }

  private static String bashChoices(CommandSpec spec) {
    StringBuilder cases = new StringBuilder();
    for (OptionSpec option : options(spec)) {
      if (!choices(option).isEmpty()) {
        cases.append(
            "        %s) choices='%s' ;;\n"
                .formatted(String.join("|", option.names()), String.join(" ", choices(option))));
      }
    }
    return cases.isEmpty() ? "" : "      case $previous in\n" + cases + "      esac\n";
  }

  private static String names(List<OptionSpec> options) {
    return options.stream()
        .flatMap(option -> List.of(option.names()).stream())
        .collect(Collectors.joining(" "));
  }

  String zsh() {
    StringBuilder text =
        new StringBuilder(
            """
            #compdef fdt
            # zsh completion for fdt, printed by: fdt completion zsh
            # Asks fdt, which knows servers, their paths and tokens.
            _fdt_ask() {
              local -a found
              if [[ $PREFIX != [/.~]* ]]; then
                found=(${(f)"$($fdt_words[1] ASK $fdt_words[2] $fdt_words[3] "${(Q)PREFIX}" 2>/dev/null)"})
              fi
              if (($#found)); then
                [[ $found[1] == */ ]] && compadd -S '' -- $found || compadd -- $found
              else
                _files
              fi
            }
            _fdt() {
              local -a subcommands fdt_words
              fdt_words=("${(@)words}")
              subcommands=(
            """
                .replace("ASK", CompleteWordCommand.NAME));
    subcommands.forEach(
        (name, spec) ->
            text.append("    ")
                .append(quoted(name + ":" + description(spec.usageMessage().description())))
                .append('\n'));
    text.append(
        """
          )
          if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
            _describe -t commands subcommand subcommands
            _files
            return
          fi
          case $words[2] in
        """);
    subcommands.forEach(
        (name, spec) ->
            text.append("    %s)\n      shift words\n      ((CURRENT--))\n".formatted(name))
                .append(zshArguments(spec)));
    text.append("    *)\n").append(zshArguments(flags));
    text.append("  esac\n}\n_fdt \"$@\"\n");
    return text.toString();
  }

  private static String zshArguments(CommandSpec spec) {
    List<String> lines = new ArrayList<>();
    for (OptionSpec option : options(spec)) {
      for (String name : option.names()) {
        String what = description(option.description()).replaceAll("([\\[\\]:\\\\])", "\\\\$1");
        String value =
            takesValue(option) ? ":" + option.paramLabel() + ":" + zshAction(choices(option)) : "";
        lines.add(quoted("*" + name + "[" + what + "]" + value));
      }
    }
    if (!choices(spec).isEmpty()) {
      lines.add("'1:word:" + zshAction(choices(spec)) + "'");
    }
    boolean isAsked = Set.of(ASKED.split(" ")).contains(spec.name().replace("fdt ", ""));
    lines.add(isAsked ? "'*:file:_fdt_ask'" : "'*:file:_files'");
    return "      _arguments \\\n        " + String.join(" \\\n        ", lines) + "\n      ;;\n";
  }

  private static String zshAction(List<String> choices) {
    return choices.isEmpty() ? "_files" : "(" + String.join(" ", choices) + ")";
  }

  String fish() {
    StringBuilder text =
        new StringBuilder("# fish completion for fdt, printed by: fdt completion fish\n");
    String all = String.join(" ", subcommands.keySet());
    subcommands.forEach(
        (name, spec) -> {
          text.append(
              "complete -c fdt -n __fish_use_subcommand -a %s -d %s\n"
                  .formatted(name, fishQuoted(description(spec.usageMessage().description()))));
          fish(text, "__fish_seen_subcommand_from " + name, spec);
          String words = String.join(" ", choices(spec));
          if (!words.isEmpty()) {
            text.append(
                "complete -c fdt -f -n '__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from %s' -a '%s'\n"
                    .formatted(name, words, words));
          }
        });
    fish(text, "not __fish_seen_subcommand_from " + all, flags);
    text.append(
        """
        function __fdt_ask
          set -l words (commandline -opc)
          set -l word (commandline -ct)
          type -q $words[1]; or return
          string match -qr '^[-/.~]' -- $word; and return
          set -q words[3]; or set words $words ''
          command $words[1] ASK $words[2] $words[3] (string unescape -- $word; or echo) 2>/dev/null
        end
        complete -c fdt -n '__fish_seen_subcommand_from PATHS' -a '(__fdt_ask)'
        complete -c fdt -f -n '__fish_seen_subcommand_from OTHERS' -a '(__fdt_ask)'
        """
            .replace("PATHS", String.join(" ", new TreeSet<>(CompleteWordCommand.OF_PATHS)))
            .replace("OTHERS", NO_FILES)
            .replace("ASK", CompleteWordCommand.NAME));
    return text.toString();
  }

  private static void fish(StringBuilder text, String condition, CommandSpec spec) {
    for (OptionSpec option : options(spec)) {
      text.append("complete -c fdt -n '").append(condition).append("'");
      for (String name : option.names()) {
        text.append(
            name.startsWith("--")
                ? " -l " + name.substring(2)
                : (name.length() == 2 ? " -s " : " -o ") + name.substring(1));
      }
      text.append(takesValue(option) ? fishValue(choices(option)) : "")
          .append(" -d ")
          .append(fishQuoted(description(option.description())))
          .append('\n');
    }
  }

  private static String fishValue(List<String> choices) {
    return choices.isEmpty() ? " -r" : " -x -a '" + String.join(" ", choices) + "'";
  }

  /** A word quoted for bash and zsh. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  private static String fishQuoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
