package io.fdt.storage.local.os;

import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.TimeSteps;
import io.fdt.storage.portable.PortableCalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.FileCalls;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystem;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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

  private CallsOn(FileCalls others) {
    former = Syscalls.use(others);
  }

  /** The system's own, but for the type of all file systems. */
  public static CallsOn fileSystemsOfType(long type) {
    FileCalls real = Syscalls.use(null);
    FileCalls unused = Syscalls.use(real);
    return new CallsOn(
        (FileCalls)
            Proxy.newProxyInstance(
                FileCalls.class.getClassLoader(),
                new Class<?>[] {FileCalls.class},
                (proxy, method, arguments) ->
                    method.getName().equals("fileSystemType")
                        ? type
                        : method.invoke(real, arguments)));
  }

  /** From now on, no file is replaced that is open, as on Windows. */
  public void refuseToReplaceOpenFiles() {
    Map<Integer, FileName> open = new ConcurrentHashMap<>();
    FileCalls lenient = Syscalls.use(null);
    FileCalls unused =
        Syscalls.use(
            (FileCalls)
                Proxy.newProxyInstance(
                    FileCalls.class.getClassLoader(),
                    new Class<?>[] {FileCalls.class},
                    (proxy, method, arguments) -> {
                      if (method.getName().equals("rename") && open.containsValue(arguments[3])) {
                        return -Errno.EACCES;
                      }
                      Object result = method.invoke(lenient, arguments);
                      if (result instanceof Integer descriptor
                          && descriptor >= 0
                          && method.getName().equals("open")
                          && arguments[1] instanceof FileName name) {
                        open.put(descriptor, name);
                      } else if (method.getName().equals("rename")) {
                        FileName from = (FileName) arguments[1];
                        FileName to = (FileName) arguments[3];
                        open.replaceAll((one, name) -> name.equals(from) ? to : name);
                      } else if (method.getName().equals("close")) {
                        open.remove((int) arguments[0]);
                      }
                      return result;
                    }));
  }

  @Override
  public void close() {
    FileCalls unused = Syscalls.use(former);
  }
}
