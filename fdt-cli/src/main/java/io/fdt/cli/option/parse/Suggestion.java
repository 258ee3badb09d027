package io.fdt.cli.option.parse;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that was probably meant by a mistyped one. Pure. */
public final class Suggestion {
  private Suggestion() {}

  /** The known word nearest to a typed one, if any is near enough. */
  public static Optional<String> nearest(String typed, Collection<String> known) {
    String word = bare(typed);
    String best = null;
    int bestDistance = Integer.MAX_VALUE;
    for (String candidate : known) {
      int distance = distance(word, bare(candidate));
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    // A third of the letters may be wrong; of one letter, only its case.
    return bestDistance <= word.length() / 3 ? Optional.ofNullable(best) : Optional.empty();
  }

  /** Without dashes, value and case: "--Pull" and "-pull" are the same word. */
  private static String bare(String word) {
    String name = word.replaceFirst("^-+", "");
    int equals = name.indexOf('=');
    return (equals < 0 ? name : name.substring(0, equals)).toLowerCase(Locale.ROOT);
  }

  /**
   * Letters to insert, delete or replace, and neighbours to swap, between two words (optimal string
   * alignment): "cpoy" is one mistake away from "copy".
   */
  private static int distance(String a, String b) {
    int[][] rows = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      rows[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      rows[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        boolean isSame = a.charAt(i - 1) == b.charAt(j - 1);
        int replaced = rows[i - 1][j - 1] + (isSame ? 0 : 1);
        rows[i][j] = Math.min(replaced, Math.min(rows[i - 1][j], rows[i][j - 1]) + 1);
        if (i > 1 && j > 1 && isSwapped(a, i, b, j)) {
          rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
      }
    }
    return rows[a.length()][b.length()];
  }

  /** Whether the two letters before i and j are swapped. */
  private static boolean isSwapped(String a, int i, String b, int j) {
    return a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
  }
}
