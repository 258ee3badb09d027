package io.fdt.storage.portable;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.junit.jupiter.api.Test;

class AttributeSourceTest {
  /** Java says of a junction, and of other reparse points, that it is both. */
  @Test
  void aDirectoryOfWindowsThatIsSomethingElseTooIsNotEntered() throws Exception {
    try (FileSystem files = Jimfs.newFileSystem(Configuration.windows())) {
      Path directory = Files.createDirectory(files.getPath("C:\\d"));
      BasicFileAttributes plain = Files.readAttributes(directory, BasicFileAttributes.class);
      BasicFileAttributes junction =
          (BasicFileAttributes)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {BasicFileAttributes.class},
                  (proxy, method, arguments) ->
                      method.getName().equals("isOther") ? true : method.invoke(plain));
      AttributeSource source = new AttributeSource(files);
      assertThat(source.of(directory, plain).kind()).isPresent();
      assertThat(source.of(directory, junction).kind()).isEmpty();
    }
  }
}
