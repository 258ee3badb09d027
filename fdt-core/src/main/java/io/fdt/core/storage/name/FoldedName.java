package io.fdt.core.storage.name;

import io.fdt.core.model.FileName;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Names that a file system may treat as one: by case, by forms of accents (Unicode), or by trailing
 * dots and blanks. Pure functions.
 */
public final class FoldedName {
  private static final int SIGMA = 0x3C3;

  /** Lower case of a sigma at the end of a word. */
  private static final int FINAL_SIGMA = 0x3C2;

  private FoldedName() {}

  /**
   * A key that is equal for all names that some file system treats as one. Coarser than any one
   * file system: it may keep two names with one key apart.
   */
  public static byte[] of(FileName name) {
    byte[] bytes = name.bytes();
    int length = bytes.length;
    while (length > 1 && isPadding(bytes[length - 1])) {
      length--;
    }
    byte[] folded = new byte[length];
    for (int i = 0; i < length; i++) {
      byte b = bytes[i];
      if (b < 0) {
        // Bytes that are no UTF-8 are stored as digits if names are encoded; the rest folds.
        String text = text(bytes).orElseGet(() -> new String(bytes, StandardCharsets.ISO_8859_1));
        return withoutPadding(lower(text)).getBytes(StandardCharsets.UTF_8);
      }
      folded[i] = b >= 'A' && b <= 'Z' ? (byte) (b + ('a' - 'A')) : b;
    }
    return folded;
  }

  private static boolean isPadding(byte b) {
    return b == '.' || b == ' ';
  }

  private static String withoutPadding(String text) {
    int length = text.length();
    while (length > 1 && (text.charAt(length - 1) == '.' || text.charAt(length - 1) == ' ')) {
      length--;
    }
    return text.substring(0, length);
  }

  private static Optional<String> text(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /**
   * Upper case first: it splits some ligatures into two letters, and unifies letters that look
   * alike.
   */
  private static String lower(String text) {
    String decomposed = Normalizer.normalize(text, Normalizer.Form.NFKD);
    String lower = decomposed.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    StringBuilder kept = new StringBuilder(lower.length());
    Normalizer.normalize(lower, Normalizer.Form.NFKD)
        .codePoints()
        .filter(point -> !Character.isIdentifierIgnorable(point))
        .map(point -> point == FINAL_SIGMA ? SIGMA : point)
        .forEach(kept::appendCodePoint);
    return kept.toString();
  }

  /** Other spellings by which a file system that folds a name finds it. */
  public static Set<FileName> spellings(FileName name) {
    byte[] bytes = name.bytes();
    Optional<String> text = text(bytes);
    Set<FileName> spellings = new LinkedHashSet<>();
    if (text.isEmpty()) {
      return spellings;
    }
    String plain = text.get();
    String upper = plain.toUpperCase(Locale.ROOT);
    add(spellings, upper);
    add(spellings, upper.toLowerCase(Locale.ROOT));
    add(spellings, plain.toLowerCase(Locale.ROOT));
    add(spellings, Normalizer.normalize(plain, Normalizer.Form.NFC));
    add(spellings, Normalizer.normalize(plain, Normalizer.Form.NFD));
    add(spellings, withoutPadding(plain));
    add(spellings, plain + ".");
    spellings.remove(name);
    return spellings;
  }

  private static void add(Set<FileName> spellings, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (FileName.flawOf(bytes) == null) {
      spellings.add(FileName.of(bytes));
    }
  }
}
