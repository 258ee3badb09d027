package org.example.fdt;

import io.fdt.core.filter.FilteredTransfer;
import io.fdt.core.filter.PreFilter;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * At the end that sends: each file that is named becomes a compressed copy FILE.gz in a new
 * directory for temporary files, and that is sent instead. {@link CompressAfter} removes the copies.
 */
public final class CompressBefore implements PreFilter {
  /** The beginning of the names of the directories that hold the copies. */
  static final String DIRECTORY = "fdt-compressed-";

  @Override
  public FilteredTransfer before(FilteredTransfer transfer) throws IOException {
    if (!transfer.sends()) {
      return transfer;
    }
    List<Operand> compressed = new ArrayList<>();
    for (Operand source : transfer.sources()) {
      Path file =
          transfer
              .file(source.path())
              .filter(Files::isRegularFile)
              .orElseThrow(() -> new IOException(source.path() + " is no file to compress"));
      Path copy = Files.createTempDirectory(DIRECTORY).resolve(file.getFileName() + ".gz");
      try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(copy))) {
        Files.copy(file, out);
      }
      Files.setLastModifiedTime(copy, Files.getLastModifiedTime(file));
      compressed.add(Operand.of(BytePath.of(copy)));
    }
    return transfer.withSources(compressed);
  }
}
