package io.fdt.core.filter;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.error.Setting;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The filters of one client or server, in the order in which they run. Immutable; any thread. */
public final class Filters {
  /** No filters. */
  public static final Filters NONE = new Filters(List.of(), List.of());

  private final List<PreFilter> before;
  private final List<PostFilter> after;

  public Filters(List<PreFilter> before, List<PostFilter> after) {
    this.before = List.copyOf(before);
    this.after = List.copyOf(after);
  }

  /**
   * Finds filters by name: the full or simple name of a class that is a service of its kind (see
   * {@link ServiceLoader}), or the full name of any class with a constructor without parameters.
   *
   * @param path jars and directories to search besides the class path
   * @throws FdtException USAGE when a class is missing or of another kind
   */
  public static Filters load(List<String> before, List<String> after, List<Path> path)
      throws FdtException {
    ClassLoader loader = loader(path);
    List<PreFilter> pre = new ArrayList<>();
    for (String name : before) {
      pre.add(find(PreFilter.class, name, loader));
    }
    List<PostFilter> post = new ArrayList<>();
    for (String name : after) {
      post.add(find(PostFilter.class, name, loader));
    }
    return new Filters(pre, post);
  }

  @SuppressWarnings("resource") // the classes are needed until the process ends
  private static ClassLoader loader(List<Path> path) throws FdtException {
    ClassLoader own = Filters.class.getClassLoader();
    if (path.isEmpty()) {
      return own;
    }
    List<URL> places = new ArrayList<>();
    for (Path place : path) {
      if (!Files.isReadable(place)) {
        throw new FdtException(ErrorCode.USAGE, "no filters in '" + place + "': it cannot be read");
      }
      try {
        places.add(place.toUri().toURL());
      } catch (MalformedURLException e) {
        throw new FdtException(ErrorCode.USAGE, "no filters in '" + place + "'", e);
      }
    }
    return new URLClassLoader(places.toArray(URL[]::new), own);
  }

  private static <F> F find(Class<F> kind, String name, ClassLoader loader) throws FdtException {
    Optional<ServiceLoader.Provider<F>> service =
        ServiceLoader.load(kind, loader).stream()
            .filter(
                provider ->
                    provider.type().getName().equals(name)
                        || provider.type().getSimpleName().equals(name))
            .findFirst();
    try {
      return service.isPresent()
          ? service.get().get()
          : kind.cast(Class.forName(name, true, loader).getDeclaredConstructor().newInstance());
    } catch (ClassNotFoundException e) {
      throw new FdtException(
          ErrorCode.USAGE,
          "no filter '"
              + name
              + "': give its jar with "
              + Setting.FILTER_PATH
              + ", and the whole name of its class",
          e);
    } catch (ClassCastException e) {
      throw unusable(name, "it is not a " + kind.getSimpleName(), e);
    } catch (NoSuchMethodException e) {
      throw unusable(name, "it has no constructor without parameters", e);
    } catch (InvocationTargetException e) {
      throw unusable(name, "its constructor failed: " + e.getCause(), e);
    } catch (ReflectiveOperationException | LinkageError | ServiceConfigurationError e) {
      throw unusable(name, e.toString(), e);
    }
  }

  private static FdtException unusable(String name, String why, Throwable cause) {
    return new FdtException(ErrorCode.USAGE, "filter '" + name + "': " + why, cause);
  }

  public boolean isEmpty() {
    return before.isEmpty() && after.isEmpty();
  }

  /**
   * Runs the filters before a transfer; each may change it.
   *
   * @throws FdtException FILTER when a filter rejects the transfer or fails
   */
  public FilteredTransfer before(FilteredTransfer transfer) throws FdtException {
    FilteredTransfer changed = transfer;
    for (PreFilter filter : before) {
      try {
        changed = filter.before(changed);
      } catch (Exception | LinkageError e) { // classes missing from --filter-path
        throw failure(filter, e);
      }
      if (changed == null) {
        throw failure(filter, new NullPointerException("it returned null"));
      }
    }
    return changed;
  }

  /** The spool for the outcomes of files; empty without filters that need them. */
  public Optional<ResultSpool> spool() throws FdtException {
    try {
      return after.isEmpty() ? Optional.empty() : Optional.of(ResultSpool.create());
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.IO, "cannot keep the results of files for filters: " + IoReason.of(e), e);
    }
  }

  /**
   * Runs the filters after a transfer, all of them even if one fails, and removes the spool.
   *
   * @param failure null when the transfer completed
   * @throws FdtException FILTER: the first failure
   */
  public void after(FilteredTransfer transfer, FdtException failure, ResultSpool spool)
      throws FdtException {
    FdtException first = null;
    try (spool) {
      TransferOutcome outcome =
          new TransferOutcome(
              Optional.ofNullable(failure).map(FdtException::code),
              failure == null ? "" : failure.getMessage(),
              spool.results());
      for (PostFilter filter : after) {
        try {
          filter.after(transfer, outcome);
        } catch (Exception | LinkageError e) {
          first = first == null ? failure(filter, e) : first;
        }
      }
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.IO, "cannot keep the results of files for filters: " + IoReason.of(e), e);
    }
    if (first != null) {
      throw first;
    }
  }

  private static FdtException failure(Object filter, Throwable cause) {
    return new FdtException(
        ErrorCode.FILTER,
        "filter %s: %s"
            .formatted(
                filter.getClass().getSimpleName(),
                cause.getMessage() == null ? cause.toString() : cause.getMessage()),
        cause);
  }
}
