package io.fdt.cli.option;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** The word that somebody may have meant who typed another one. Pure. */
public final class Suggestion {
  private Suggestion() {}

  /** The known word that is nearest to what was typed, if any is near enough to be meant. */
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

  /** Letters to insert, delete or replace between two words (Levenshtein). */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
