package io.fdt.cli.option;

import io.fdt.core.model.ByteText;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The format of a configuration file: {@code name = value} on each line, where the names are those
 * of the command's options without their dashes. An option that may be given more than once may
 * stand on more than one line; one without a value is followed by yes or no. Empty lines and lines
 * that start with # are skipped; a value ends with its line and needs no quotes. Pure.
 */
final class SettingsFile {
  private SettingsFile() {}

  /**
   * Reads a file.
   *
   * @param file how messages call it
   */
  static List<Setting> parse(String file, byte[] content, CommandSpec spec) throws UsageException {
    List<Setting> settings = new ArrayList<>();
    String[] lines = ByteText.decode(content).split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        settings.add(setting(file + ":" + (i + 1), line, spec));
      }
    }
    return settings;
  }

  private static Setting setting(String where, String line, CommandSpec spec)
      throws UsageException {
    int equals = line.indexOf('=');
    if (equals < 0) {
      throw new UsageException(where + ": '" + line + "' is not of the form: name = value");
    }
    String name = line.substring(0, equals).strip();
    return Setting.of(where, name, line.substring(equals + 1).strip(), spec);
  }
}
