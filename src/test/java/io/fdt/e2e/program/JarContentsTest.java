package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in the built jar, and that the native libraries in it load. */
class JarContentsTest {
  private static final Path JAR = Path.of(System.getProperty("fdt.jar"));

  @TempDir Path directory;

  @Test
  void nativeLibrariesAreThoseOfLinuxMacosAndWindows() {
    assertThat(names())
        .filteredOn(name -> name.matches(".*\\.(so|a|dll|jnilib|dylib)"))
        .containsExactlyInAnyOrder(
            "META-INF/native/libnetty_tcnative_linux_aarch_64.so",
            "META-INF/native/libnetty_tcnative_linux_x86_64.so",
            "META-INF/native/libnetty_transport_native_epoll_aarch_64.so",
            "META-INF/native/libnetty_transport_native_epoll_x86_64.so",
            "com/sun/jna/darwin-aarch64/libjnidispatch.jnilib",
            "com/sun/jna/darwin-x86-64/libjnidispatch.jnilib",
            "com/sun/jna/linux-aarch64/libjnidispatch.so",
            "com/sun/jna/linux-x86-64/libjnidispatch.so",
            "com/sun/jna/win32-x86-64/jnidispatch.dll",
            "darwin/aarch64/libzstd-jni-1.5.7-28.dylib",
            "darwin/x86_64/libzstd-jni-1.5.7-28.dylib",
            "linux/aarch64/libzstd-jni-1.5.7-28.so",
            "linux/amd64/libzstd-jni-1.5.7-28.so",
            "net/jpountz/util/darwin/aarch64/liblz4-java.dylib",
            "net/jpountz/util/darwin/x86_64/liblz4-java.dylib",
            "net/jpountz/util/linux/aarch64/liblz4-java.so",
            "net/jpountz/util/linux/amd64/liblz4-java.so",
            "net/jpountz/util/windows/amd64/liblz4-java.dll",
            "win/amd64/libzstd-jni-1.5.7-28.dll");
  }

  @Test
  void noNameIsThereTwice() {
    assertThat(names()).doesNotHaveDuplicates();
  }

  @Test
  void licencesAreThereAndNothingOfASingleLibrary() {
    assertThat(names())
        .contains("META-INF/LICENSE", "META-INF/NOTICE")
        .noneMatch(name -> name.endsWith("module-info.class"))
        .noneMatch(name -> name.matches("META-INF/[^/]*\\.(SF|RSA|DSA)"));
  }

  @Test
  void jnaLoadsFromTheJar() throws Exception {
    assertThat(runFromTheJar(JAR.toString(), "com.sun.jna.Native")).contains("Native: ");
  }

  @Test
  void epollLoadsFromTheJar() throws Exception {
    Path tests =
        Path.of(EpollProbe.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String classPath = JAR + File.pathSeparator + tests;

    assertThat(runFromTheJar(classPath, EpollProbe.class.getName())).contains("epoll: null");
  }

  /** Says why epoll does not load; in a JVM of its own, because native code is loaded only once. */
  static final class EpollProbe {
    private EpollProbe() {}

    public static void main(String[] arguments) {
      System.out.println("epoll: " + Epoll.unavailabilityCause());
    }
  }

  private String runFromTheJar(String classPath, String main)
      throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(java, "-cp", classPath, main)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended in time").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).isZero();
    return Files.readString(output, StandardCharsets.UTF_8);
  }

  private static List<String> names() {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return jar.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
