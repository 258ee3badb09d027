package io.fdt.cli.output;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;

/** A line as sha256sum writes it. Pure. */
public final class CheckLine {
  private CheckLine() {}

  /** Escapes a name that would break its line, and puts a backslash before the digest. */
  public static String of(String digest, BytePath path) {
    String name = ByteText.decode(path.bytes());
    String escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    return (escaped.equals(name) ? "" : "\\") + digest + "  " + escaped;
  }
}
