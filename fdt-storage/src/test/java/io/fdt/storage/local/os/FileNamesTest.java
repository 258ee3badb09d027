package io.fdt.storage.local.os;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.posix.Errno;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Paths that are split, temporary names, sizes for people. */
class FileNamesTest {
  @Test
  void pathIsSplitBeforeItsLastName() throws Exception {
    assertSplit("a", "", "a");
    assertSplit("a/b", "a/", "b");
    assertSplit("/a", "/", "a");
    assertSplit("../a", "../", "a");
    assertSplit("a//b", "a//", "b");
    assertSplit("...", "", "...");
    for (String directory : new String[] {"", "/", ".", "..", "a/", "a/.", "a/..", "./", "//"}) {
      assertSplit(directory, directory, null);
    }
    DestinationTreeContract.assertFails(
        () -> PathNames.split(BytePath.of("a/" + "x".repeat(256))), ErrorCode.BAD_NAME);
  }

  private static void assertSplit(String path, String directory, String last) throws Exception {
    PathNames split = PathNames.split(BytePath.of(path));
    assertThat(split.directory()).as(path).isEqualTo(BytePath.of(directory));
    assertThat(split.last()).as(path).isEqualTo(last == null ? null : FileName.of(last));
  }

  @Test
  void confinedPathHasNoWayUp() throws Exception {
    assertThat(PathNames.confined(BytePath.of("/a/./b//c/")))
        .containsExactly(FileName.of("a"), FileName.of("b"), FileName.of("c"));
    assertThat(PathNames.confined(BytePath.of("a..b/..c/d.."))).hasSize(3);
    for (String path : new String[] {"..", "a/..", "../a", "a/../b", "/..", "a/../"}) {
      DestinationTreeContract.assertFails(
          () -> PathNames.confined(BytePath.of(path)), ErrorCode.FORBIDDEN);
    }
  }

  @Test
  void temporaryNamesDifferAndHaveOneForm() {
    Set<FileName> names = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      FileName name = TemporaryName.of(FileName.of("file" + i));
      assertThat(name.length()).isEqualTo(26);
      assertThat(TemporaryName.isTemporary(name.bytes())).isTrue();
      names.add(name);
    }
    assertThat(names).hasSize(10_000);
    assertThat(TemporaryName.of(FileName.of("a"))).isEqualTo(TemporaryName.of(FileName.of("a")));
    assertThat(TemporaryName.Kind.PART.name(0x0123456789abcdefL))
        .isEqualTo(FileName.of(".fdt-0123456789abcdef.part"));
  }

  @Test
  void otherNamesAreNotTemporary() {
    for (String name :
        new String[] {
          ".fdt-0123456789abcdef.par",
          ".fdt-0123456789abcdef.part2",
          ".fdt-0123456789abcdeF.part",
          "xfdt-0123456789abcdef.part",
          ".fdt-0123456789abcdef.parT",
          "a"
        }) {
      assertThat(TemporaryName.isTemporary(name.getBytes(StandardCharsets.US_ASCII)))
          .as(name)
          .isFalse();
    }
  }

  @Test
  void everyErrorNumberHasARowAndOneLine() {
    for (int errno = 1; errno < 134; errno++) {
      String message = Errno.ofName(errno, "open", "a").getMessage();
      assertThat(message).startsWith("cannot open 'a': ").doesNotContain("\n");
    }
    assertThat(Errno.codeOf(Errno.ENOSPC)).isEqualTo(ErrorCode.STORAGE_FULL);
    assertThat(Errno.codeOf(Errno.EMFILE)).isEqualTo(ErrorCode.RESOURCES);
    assertThat(Errno.codeOf(Errno.EROFS)).isEqualTo(ErrorCode.READ_ONLY);
    assertThat(Errno.codeOf(Errno.EIO)).isEqualTo(ErrorCode.IO);
    assertThat(Errno.ofData(Errno.EINVAL, "write", "a").code()).isEqualTo(ErrorCode.IO);
    assertThat(Errno.ofName(Errno.EINVAL, "write", "a").code()).isEqualTo(ErrorCode.BAD_NAME);
  }
}
