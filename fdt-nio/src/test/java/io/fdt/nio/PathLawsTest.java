package io.fdt.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Paths obey the laws of {@link Path}, as those of the default file system do. */
class PathLawsTest {
  private static final int CASES = 20_000;
  private static final String[] NAMES = {"a", "b", "..", ".", "", "a b", "ü", ".h", "..."};

  private final FileSystem own = open("fdt://laws-of-paths/");
  private final FileSystem other = open("fdt://other-laws-of-paths/");
  private final FileSystem jdk = FileSystems.getDefault();

  private static FileSystem open(String uri) {
    return new FdtFileSystemProvider().newFileSystem(URI.create(uri), Map.of());
  }

  @AfterEach
  void close() throws Exception {
    own.close();
    other.close();
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "/" : "");
    int names = random.nextInt(5);
    for (int i = 0; i < names; i++) {
      text.append(i > 0 ? "/" : "").append(NAMES[random.nextInt(NAMES.length)]);
    }
    return text.append(random.nextInt(8) == 0 ? "/" : "").toString();
  }

  /** The text of a result, or the kind of its exception. */
  private static String of(Supplier<?> result) {
    try {
      return String.valueOf(result.get());
    } catch (IllegalArgumentException e) {
      return e.getClass().getSimpleName();
    }
  }

  /** All that can be asked of two paths, as one text. */
  private static List<String> all(FileSystem fileSystem, String one, String two, Random random) {
    Path a = fileSystem.getPath(one);
    Path b = fileSystem.getPath(two);
    int begin = random.nextInt(4) - 1;
    int end = random.nextInt(5);
    List<String> all = new ArrayList<>();
    all.add("text " + a);
    all.add("absolute " + a.isAbsolute());
    all.add("root " + a.getRoot());
    all.add("parent " + a.getParent());
    all.add("file name " + a.getFileName());
    all.add("count " + a.getNameCount());
    all.add("names " + names(a));
    all.add("name " + of(() -> a.getName(begin)));
    all.add("subpath " + of(() -> a.subpath(begin, end)));
    all.add("normal " + a.normalize());
    all.add("resolved " + a.resolve(b) + " " + a.resolve(two));
    all.add("sibling " + a.resolveSibling(b));
    all.add("relative " + of(() -> a.relativize(b)));
    all.add("starts " + a.startsWith(b) + a.startsWith(two));
    all.add("ends " + a.endsWith(b) + a.endsWith(two));
    all.add("equals " + a.equals(b) + (a.compareTo(b) == 0));
    return all;
  }

  private static List<String> names(Path path) {
    List<String> names = new ArrayList<>();
    path.forEach(name -> names.add(name.toString()));
    return names;
  }

  @Test
  void everyAnswerIsThatOfTheDefaultFileSystem() {
    long seed = System.nanoTime();
    System.out.println("paths: seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < CASES; i++) {
      String one = text(random);
      String two = text(random);
      long of = random.nextLong();
      assertThat(all(own, one, two, new Random(of)))
          .as("'%s' and '%s'", one, two)
          .isEqualTo(all(jdk, one, two, new Random(of)));
    }
  }

  @Test
  void whatIsRelativizedResolvesAgain() {
    long seed = System.nanoTime();
    System.out.println("paths: seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < CASES; i++) {
      Path p = own.getPath(text(random)).normalize();
      Path q = own.getPath(text(random)).normalize();
      Path absolute = own.getPath("/" + text(random));
      assertThat(p.normalize()).isEqualTo(p);
      assertThat(absolute.relativize(absolute)).isEqualTo(own.getPath(""));
      assertThat(Path.of(absolute.toUri().getPath())).hasToString(absolute.toString());
      if (!q.isAbsolute() && !q.startsWith("..")) {
        assertThat(p.relativize(p.resolve(q))).as("%s %s", p, q).isEqualTo(q);
      }
      if (p.isAbsolute() && q.isAbsolute()) {
        assertThat(p.resolve(p.relativize(q)).normalize()).as("%s %s", p, q).isEqualTo(q);
      }
      assertThat(p.compareTo(q)).isEqualTo(-Integer.signum(q.compareTo(p)) * abs(p.compareTo(q)));
      assertThat(p.equals(q)).isEqualTo(p.compareTo(q) == 0);
      if (p.equals(q)) {
        assertThat(p).hasSameHashCodeAs(q);
      }
    }
  }

  private static int abs(int number) {
    return Math.abs(number);
  }

  @Test
  void pathsOfTwoServersDifferInASortedSet() {
    Path a = own.getPath("/x");
    Path b = other.getPath("/x");
    assertThat(a).isNotEqualTo(b);
    assertThat(new TreeSet<>(List.of(a, b))).hasSize(2);
    assertThat(Integer.signum(a.compareTo(b))).isEqualTo(-Integer.signum(b.compareTo(a)));
    assertThat(a.startsWith(b)).isFalse();
    assertThat(a.endsWith(other.getPath("x"))).isFalse();
    assertThatThrownBy(() -> a.relativize(b)).isInstanceOf(IllegalArgumentException.class);
    assertThat(own.getPath("").resolve(other.getPath("x")).getFileSystem()).isSameAs(own);
  }

  @Test
  void pathsOfOtherProvidersAreRefusedAsTheContractSays() {
    Path a = own.getPath("/x");
    Path foreign = Path.of("/x");
    assertThatThrownBy(() -> a.compareTo(foreign)).isInstanceOf(ClassCastException.class);
    assertThatThrownBy(() -> a.resolve(foreign)).isInstanceOf(ProviderMismatchException.class);
    assertThatThrownBy(() -> a.relativize(foreign)).isInstanceOf(ProviderMismatchException.class);
    assertThat(a.startsWith(foreign)).isFalse();
    assertThat(a.endsWith(foreign)).isFalse();
    assertThat(a.equals(foreign)).isFalse();
    assertThatThrownBy(a::toFile).isInstanceOf(UnsupportedOperationException.class);
  }

  /** As "?" it would name another file. */
  @Test
  void halfACharacterIsNoName() {
    for (String text : List.of("\ud800", "a/\ud83dx", "\udc00", "/b\udfff")) {
      assertThatThrownBy(() -> own.getPath(text)).isInstanceOf(InvalidPathException.class);
    }
    assertThat(own.getPath("\ud83d\ude00").toUri()).hasToString("fdt://laws-of-paths/%F0%9F%98%80");
    assertThat(own.getPath("\udcff").toUri()).hasToString("fdt://laws-of-paths/%FF");
  }
}
