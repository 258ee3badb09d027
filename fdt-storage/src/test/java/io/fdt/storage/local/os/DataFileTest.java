package io.fdt.storage.local.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.model.DirectIo;
import io.fdt.storage.local.LinuxOnly;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.FileCalls;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@LinuxOnly("the page cache and direct I/O")
class DataFileTest {
  private static final int MIB = 1 << 20;
  private static final int PAGE = 4096;

  /** Not a multiple of a page. */
  private static final int SIZE = 33 * MIB + 1234;

  private static final byte[] CONTENT = new byte[SIZE];

  static {
    new Random(1).nextBytes(CONTENT);
  }

  @TempDir Path directory;

  @BeforeEach
  void needsDisk() throws IOException {
    assumeTrue(!Files.getFileStore(directory).type().equals("tmpfs"), "no device, no cache");
  }

  @Test
  void largeCopyLeavesNothingOfTheCopyInThePageCache() throws Exception {
    Path copy = directory.resolve("copy");
    write(copy, SIZE, policy(DirectIo.AUTO, SIZE));
    assertThat(Files.readAllBytes(copy)).isEqualTo(CONTENT);
    forget(copy);
    write(copy, SIZE, policy(DirectIo.AUTO, SIZE));
    assertThat(cached(copy)).isLessThan(MIB);
  }

  @Test
  void largeCopyLeavesLittleOfTheSourceInThePageCache() throws Exception {
    Path source = source();
    assertThat(read(source, policy(DirectIo.AUTO, SIZE))).isEqualTo(CONTENT);
    assertThat(cached(source)).isLessThan(20 * MIB);
  }

  @Test
  void sourceThatWasCachedStaysCached() throws Exception {
    Path source = source();
    assertThat(Files.readAllBytes(source)).isEqualTo(CONTENT);
    assumeTrue(cached(source) > SIZE / 2, "the memory of this machine is in use");
    read(source, policy(DirectIo.AUTO, SIZE));
    assertThat(cached(source)).isGreaterThan(SIZE / 2);
  }

  @Test
  void copyThatFitsIntoHalfOfTheMemoryStaysCached() throws Exception {
    Path copy = directory.resolve("copy");
    write(copy, SIZE, policy(DirectIo.AUTO, 2L * SIZE));
    assertThat(cached(copy)).isGreaterThan(SIZE / 2);
  }

  @Test
  void directFileIsReadAroundThePageCacheExceptItsEnd() throws Exception {
    Path source = source();
    assertThat(read(source, policy(DirectIo.ON, 1L << 40))).isEqualTo(CONTENT);
    assertThat(cached(source)).isLessThan(MIB);
  }

  @Test
  void directFileIsWrittenAroundThePageCacheExceptItsEnd() throws Exception {
    Path copy = directory.resolve("copy");
    write(copy, SIZE, policy(DirectIo.ON, 1L << 40));
    assertThat(cached(copy)).isLessThan(MIB);
    assertThat(Files.readAllBytes(copy)).isEqualTo(CONTENT);
  }

  @Test
  void directFileTakesBlocksThatAreNoPages() throws Exception {
    Path copy = directory.resolve("copy");
    write(copy, 12_345, policy(DirectIo.ON, 1L << 40));
    assertThat(Files.readAllBytes(copy)).isEqualTo(CONTENT);
  }

  @Test
  void fileSystemWithoutDirectIoIsUsedThroughThePageCache() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    FileCalls linux = new LinuxCalls();
    FileCalls refusing =
        (FileCalls)
            Proxy.newProxyInstance(
                FileCalls.class.getClassLoader(),
                new Class<?>[] {FileCalls.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("reopenDirect")) {
                    refused.incrementAndGet();
                    return -Errno.EINVAL;
                  }
                  return method.invoke(linux, arguments);
                });
    FileCalls former = Syscalls.use(refusing);
    try {
      Path copy = directory.resolve("copy");
      write(copy, MIB, policy(DirectIo.ON, 1L << 40));
      assertThat(read(copy, policy(DirectIo.ON, 1L << 40))).isEqualTo(CONTENT);
      assertThat(refused).hasValue(2);
    } finally {
      Syscalls.use(former);
    }
  }

  private Path source() throws Exception {
    Path source = directory.resolve("source");
    Files.write(source, CONTENT);
    forget(source);
    return source;
  }

  private static CachePolicy policy(DirectIo rule, long available) {
    return new CachePolicy(rule, () -> available);
  }

  private static void write(Path path, int block, CachePolicy policy) throws Exception {
    try (FileDescriptor file = open(path, Flags.O_RDWR | Flags.O_CREAT);
        DataFile data = DataFile.written(file, SIZE, policy)) {
      for (int at = 0; at < SIZE; at += block) {
        ByteBuf part = Unpooled.wrappedBuffer(CONTENT, at, Math.min(block, SIZE - at));
        assertThat(data.write(part, at)).isZero();
      }
      assertThat(data.finish()).isZero();
    }
  }

  private static byte[] read(Path path, CachePolicy policy) throws Exception {
    policy.found(SIZE);
    byte[] content = new byte[SIZE];
    ByteBuf target = Unpooled.buffer(MIB);
    try (FileDescriptor file = open(path, Flags.O_RDONLY);
        DataFile data = DataFile.read(file, SIZE, policy)) {
      for (int at = 0; at < SIZE; at += MIB) {
        int read = data.read(target.clear(), Math.min(MIB, SIZE - at), at);
        assertThat(read).isEqualTo(Math.min(MIB, SIZE - at));
        target.readBytes(content, at, read);
      }
    }
    return content;
  }

  private static FileDescriptor open(Path path, int flags) {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    int descriptor = Syscalls.open(Flags.AT_FDCWD, name, flags, 0600);
    assertThat(descriptor).isPositive();
    return new FileDescriptor(descriptor, path::toString);
  }

  private static void forget(Path path) throws Exception {
    try (FileDescriptor file = open(path, Flags.O_RDWR)) {
      assertThat(file.call(Syscalls::fsync)).isZero();
      assertThat(file.call(descriptor -> Syscalls.dropCache(descriptor, 0))).isZero();
    }
  }

  /** Bytes of a file in the page cache, by mincore. */
  private static int cached(Path path) throws IOException {
    int cached = 0;
    try (FileChannel channel = FileChannel.open(path)) {
      MappedByteBuffer pages = channel.map(FileChannel.MapMode.READ_ONLY, 0, SIZE);
      for (int at = 0; at < SIZE; at += PAGE) {
        int length = Math.min(PAGE, SIZE - at);
        cached += pages.slice(at, length).isLoaded() ? length : 0;
      }
    }
    return cached;
  }
}
