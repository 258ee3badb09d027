package io.fdt.storage.local.os;

import io.fdt.storage.portable.PortableCalls;
import io.fdt.storage.posix.FileCalls;
import java.nio.file.FileSystem;

/** Uses another file system than the default one until it is closed. */
public final class CallsOn implements AutoCloseable {
  private final FileCalls former;

  public CallsOn(FileSystem files) {
    former = Syscalls.use(new PortableCalls(files));
  }

  @Override
  public void close() {
    FileCalls unused = Syscalls.use(former);
  }
}
