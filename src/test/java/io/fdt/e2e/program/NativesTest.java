package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The command where no native library can be loaded, as on a system of another C library. */
class NativesTest {
  private static final String FOREIGN =
      "com/sun/jna/linux-%s/libjnidispatch.so"
          .formatted(System.getProperty("os.arch").equals("amd64") ? "aarch64" : "x86-64");

  @RegisterExtension private final Lab lab = new Lab();

  @Test
  void aServerTakesEncryptedAndCompressedFilesWithoutThem() throws IOException {
    Path jar = lab.root().resolve("fdt.jar");
    copyWithForeignLibraries(Path.of(System.getProperty("fdt.jar")), jar);
    Path source = lab.directory("source");
    Shell.run(
        source,
        "mkdir d; seq 100000 > d/numbers; ln d/numbers hard; ln -s hard link;"
            + " touch -h -d @1700000000 d/numbers link d ."); // files without libc: microseconds
    Path copy = lab.directory("copy");
    CommandProcess server =
        lab.startJava(
            List.of("-XX:TieredStopAtLevel=1", "-jar", jar.toString()),
            List.of("serve", "--bind", "127.0.0.1", "--port", "0", "x=" + copy + ":rw"));
    String url = "fdt://127.0.0.1:" + server.port() + "/x/";

    lab.run(source, "copy", "-r", "-H", "--encrypt", "--compress", "lz4", "./", url).expect(0);

    Tree.assertSame(copy, source);
    Path java = Path.of(System.getProperty("java.home")).toRealPath();
    assertThat(server.mappedLibraries()).isNotEmpty().allMatch(file -> file.startsWith(java));
  }

  private static void copyWithForeignLibraries(Path jar, Path copy) throws IOException {
    try (ZipFile in = new ZipFile(jar.toFile());
        OutputStream file = Files.newOutputStream(copy);
        ZipOutputStream out = new ZipOutputStream(file)) {
      out.setLevel(0);
      for (ZipEntry entry : Collections.list(in.entries())) {
        boolean isNative = entry.getName().endsWith(".so");
        out.putNextEntry(new ZipEntry(entry.getName()));
        try (InputStream bytes = in.getInputStream(isNative ? in.getEntry(FOREIGN) : entry)) {
          bytes.transferTo(out);
        }
      }
    }
  }
}
