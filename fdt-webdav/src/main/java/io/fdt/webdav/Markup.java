package io.fdt.webdav;

/** Text in HTML and XML. Stateless. */
final class Markup {
  private Markup() {}

  /** Escapes text for an element or a quoted attribute; characters that XML lacks are replaced. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '&' -> escaped.append("&amp;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.appendCodePoint(isText(c) ? c : 0xFFFD);
              }
            });
    return escaped.toString();
  }

  private static boolean isText(int c) {
    return c >= ' ' && c != 0x7F && c != 0xFFFE && c != 0xFFFF && !(c >= 0xD800 && c <= 0xDFFF);
  }
}
