package org.example.fdt;

import io.fdt.core.filter.FileResult;
import io.fdt.core.filter.FilteredTransfer;
import io.fdt.core.filter.PostFilter;
import io.fdt.core.filter.TransferOutcome;
import io.fdt.core.model.Operand;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.GZIPInputStream;

/**
 * At the end that receives: each FILE.gz that has arrived becomes FILE. At the end that sends: the
 * compressed copies are removed.
 */
public final class CompressAfter implements PostFilter {
  private static final String SUFFIX = ".gz";

  @Override
  public void after(FilteredTransfer transfer, TransferOutcome outcome) throws IOException {
    if (transfer.sends()) {
      for (Operand source : transfer.sources()) {
        Path copy = transfer.file(source.path()).orElseThrow();
        Path directory = copy.getParent();
        if (directory.getFileName().toString().startsWith(CompressBefore.DIRECTORY)) {
          Files.deleteIfExists(copy);
          Files.deleteIfExists(directory);
        }
      }
      return;
    }
    for (FileResult file : outcome.files()) {
      Path arrived = transfer.file(file.path()).orElseThrow();
      if (file.outcome() == FileResult.FileOutcome.DONE && arrived.toString().endsWith(SUFFIX)) {
        expand(arrived);
      }
    }
  }

  private static void expand(Path compressed) throws IOException {
    String name = compressed.getFileName().toString();
    Path file = compressed.resolveSibling(name.substring(0, name.length() - SUFFIX.length()));
    Path unfinished = compressed.resolveSibling(name + ".part");
    try (InputStream in = new GZIPInputStream(Files.newInputStream(compressed))) {
      Files.copy(in, unfinished, StandardCopyOption.REPLACE_EXISTING);
    }
    Files.setLastModifiedTime(unfinished, Files.getLastModifiedTime(compressed));
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    Files.delete(compressed);
  }
}
