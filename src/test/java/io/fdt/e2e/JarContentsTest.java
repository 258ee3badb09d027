package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
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
  void nativeLibrariesAreThoseOfLinuxOnTwoProcessors() {
    assertThat(names())
        .filteredOn(name -> name.matches(".*\\.(so|a|dll|jnilib|dylib)"))
        .containsExactlyInAnyOrder(
            "META-INF/native/libnetty_tcnative_linux_aarch_64.so",
            "META-INF/native/libnetty_tcnative_linux_x86_64.so",
            "META-INF/native/libnetty_transport_native_epoll_aarch_64.so",
            "META-INF/native/libnetty_transport_native_epoll_x86_64.so",
            "com/sun/jna/linux-aarch64/libjnidispatch.so",
            "com/sun/jna/linux-x86-64/libjnidispatch.so");
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
  void jnaLoadsFromTheJar() throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    Process jna =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                JAR.toString(),
                "com.sun.jna.Native")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(jna.waitFor(60, TimeUnit.SECONDS)).as("ended in time").isTrue();
    } finally {
      jna.destroyForcibly();
    }
    assertThat(output).content(StandardCharsets.UTF_8).contains("Native: ");
    assertThat(jna.exitValue()).isZero();
  }

  @Test
  void epollLoadsFromTheJar() throws IOException, ReflectiveOperationException {
    URL[] jarAlone = {JAR.toUri().toURL()};
    try (URLClassLoader loader =
        new URLClassLoader(jarAlone, ClassLoader.getPlatformClassLoader())) {
      Class<?> epoll = loader.loadClass(Epoll.class.getName());
      assertThat(epoll).isNotSameAs(Epoll.class);
      assertThat(epoll.getMethod("unavailabilityCause").invoke(null)).isNull();
    }
  }

  private static List<String> names() {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return jar.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
