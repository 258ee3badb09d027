package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What patterns match, held against git's documentation and check-ignore. */
class NamePatternTest {
  @ParameterizedTest
  @CsvSource({
    // pattern, path (a slash at its end: a directory), matches
    "*.o, a.o, true",
    "*.o, dir/sub/a.o, true",
    "*.o, a.o.c, false",
    "*.o, .o, true",
    "a, a, true",
    "a, x/a, true",
    "a, ab, false",
    "/a, a, true",
    "/a, x/a, false",
    "x/a, x/a, true",
    "x/a, y/x/a, false",
    "a/, a, false",
    "a/, a/, true",
    "a/, x/a/, true",
    "/a/, x/a/, false",
    "a?c, abc, true",
    "a?c, ac, false",
    "a?c, aéc, true",
    "[a-c]x, bx, true",
    "[a-c]x, dx, false",
    "[!a-c]x, dx, true",
    "[^a-c]x, ax, false",
    "[]x]y, ]y, true",
    "[a-]b, -b, true",
    "a*b*c, aXXbYYc, true",
    "a*b*c, aXXcYYb, false",
    "*, anything, true",
    "**/b, b, true",
    "**/b, x/y/b, true",
    "a/**, a/b, true",
    "a/**, a/b/c, true",
    "a/**, a/, false",
    "a/**/b, a/b, true",
    "a/**/b, a/x/y/b, true",
    "a/**/b, a/x, false",
    "**, x/y, true",
    "a/**/**/b, a/b, true",
    "**/**, x, true",
    "a**b, a/b, false",
    "a**b, axxb, true",
    "'\\*', '*', true",
    "'\\*', x, false",
    "'\\[a]', '[a]', true",
    "*/x, a/x, true",
    "*/x, a/b/x, false",
  })
  void matches(String pattern, String path, boolean expected) {
    boolean directory = path.endsWith("/");
    assertThat(matches(new NamePattern(BytePath.of(pattern)), path, directory)).isEqualTo(expected);
  }

  @Test
  void bytesThatAreNoTextMatchAsOneCharacterEach() {
    byte[] name = {'a', (byte) 0xFF, 'b'};
    List<int[]> path = List.of(NamePattern.characters(name));
    assertThat(new NamePattern(BytePath.of("a?b")).matches(path, false)).isTrue();
    assertThat(new NamePattern(BytePath.of(name)).matches(path, false)).isTrue();
    assertThat(new NamePattern(BytePath.of("a??b")).matches(path, false)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "a//b", "[a", "a\\"})
  void whatCanMatchNothingIsRefused(String pattern) {
    assertThatThrownBy(() -> new NamePattern(BytePath.of(pattern)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void patternsOfOneSelectionAreBoundedTogether() {
    NamePattern pattern = new NamePattern(BytePath.of("x".repeat(NamePattern.MAX_LENGTH)));
    List<Selection.Rule> four = Collections.nCopies(4, new Selection.Rule(pattern, false));
    List<Selection.Rule> five = Collections.nCopies(5, new Selection.Rule(pattern, false));
    assertThat(of(four).rules()).hasSize(4);
    assertThatThrownBy(() -> of(five))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("patterns of 20480 bytes; at most 16384 are allowed");
  }

  private static Selection of(List<Selection.Rule> rules) {
    return new Selection(rules, 0, Long.MAX_VALUE, null, null, Integer.MAX_VALUE, false);
  }

  private static boolean matches(NamePattern pattern, String path, boolean directory) {
    List<int[]> names =
        Arrays.stream(path.split("/", -1))
            .filter(name -> !name.isEmpty())
            .map(name -> NamePattern.characters(BytePath.of(name).bytes()))
            .toList();
    return pattern.matches(names, directory);
  }
}
