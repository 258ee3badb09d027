package io.fdt.storage.local.os;

import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.TimeSteps;
import io.fdt.storage.portable.PortableCalls;
import io.fdt.storage.posix.FileCalls;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystem;

/** Uses another file system than the default one until it is closed. */
public final class CallsOn implements AutoCloseable {
  private final FileCalls former;

  /** One that rounds times down to a step of so many nanoseconds. */
  public CallsOn(FileSystem files, long timeStep) {
    PortableCalls exact = new PortableCalls(files);
    former =
        Syscalls.use(
            (FileCalls)
                Proxy.newProxyInstance(
                    FileCalls.class.getClassLoader(),
                    new Class<?>[] {FileCalls.class},
                    (proxy, method, arguments) -> {
                      int last = arguments == null ? 0 : arguments.length - 1;
                      if (arguments != null && arguments[last] instanceof Timestamp time) {
                        arguments[last] = TimeSteps.roundedDown(time, timeStep);
                      }
                      return method.invoke(exact, arguments);
                    }));
  }

  @Override
  public void close() {
    FileCalls unused = Syscalls.use(former);
  }
}
