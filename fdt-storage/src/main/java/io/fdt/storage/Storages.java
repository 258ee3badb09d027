package io.fdt.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.StorageProvider;
import io.fdt.storage.local.LocalStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Chooses the storage of a path by its scheme; without one, the files of this machine. Any thread.
 *
 * <p>The provider of a scheme is on the class path, or in {@code fdt-SCHEME.jar} beside the jar of
 * this class; that of https is in the jar of http. That jar gets its own class loader, so that a
 * copy without the scheme loads nothing of it.
 */
public final class Storages {
  private static final Pattern SCHEME = Pattern.compile("(?s)([A-Za-z][A-Za-z0-9+.-]*)://.*");
  private static final Map<String, Storage> KNOWN = new ConcurrentHashMap<>();

  private Storages() {}

  /** The scheme of a path, in lower case; empty for a path of this machine. */
  public static Optional<String> schemeOf(BytePath path) {
    Matcher matcher = SCHEME.matcher(path.toString());
    return matcher.matches()
        ? Optional.of(matcher.group(1).toLowerCase(Locale.ROOT))
        : Optional.empty();
  }

  /**
   * The storage of a path.
   *
   * @throws FdtException USAGE when no provider of its scheme is installed; INTERNAL when it is
   *     broken
   */
  public static Storage of(BytePath path) throws FdtException {
    Optional<String> scheme = schemeOf(path);
    if (scheme.isEmpty()) {
      return LocalStorage.OF_USER;
    }
    Storage known = KNOWN.get(scheme.get());
    if (known != null) {
      return known;
    }
    Storage loaded = load(scheme.get(), path);
    Storage earlier = KNOWN.putIfAbsent(scheme.get(), loaded);
    return earlier == null ? loaded : earlier;
  }

  /**
   * The storage of the sources of one transfer.
   *
   * @throws FdtException USAGE also when they need several storages
   */
  public static Storage ofSources(List<Operand> sources) throws FdtException {
    if (sources.isEmpty()) {
      return LocalStorage.OF_USER;
    }
    BytePath first = sources.get(0).path();
    for (Operand source : sources) {
      if (!schemeOf(source.path()).equals(schemeOf(first))) {
        throw new FdtException(
            ErrorCode.USAGE,
            "'%s' and '%s' are in different kinds of storage; copy each with its own command"
                .formatted(first, source.path()));
      }
    }
    return of(first);
  }

  /**
   * Refuses backups, older files and ranges of files, which only directories of a machine support.
   *
   * @throws FdtException USAGE
   */
  public static void checkWholeFiles(TransferSpec spec) throws FdtException {
    BytePath destination = spec.destination();
    if (spec.backups().isPresent()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' keeps no backups of replaced files: leave the directory for them out"
              .formatted(destination));
    }
    if (spec.deltaFrom().isPresent()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' has no older files to read: leave %s out"
              .formatted(destination, Setting.DELTA_FROM));
    }
    if (spec.part().cut().isPresent()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' takes whole files, not the range of one: copy the whole file, in a plan with units larger than it"
              .formatted(destination));
    }
  }

  /** The {@link Storage#slowedBy} of each storage in use. */
  public static List<String> slowedBy() {
    return KNOWN.values().stream()
        .map(Storage::slowedBy)
        .filter(line -> !line.isEmpty())
        .sorted()
        .toList();
  }

  private static Storage load(String scheme, BytePath path) throws FdtException {
    String name = "fdt-" + (scheme.equals("https") ? "http" : scheme) + ".jar";
    Path jar = JarBeside.path(name).orElse(null);
    ClassLoader own = Storages.class.getClassLoader();
    try {
      Optional<Storage> onClassPath = find(scheme, own);
      if (onClassPath.isPresent()) {
        return onClassPath.get();
      }
      if (jar != null && Files.isRegularFile(jar)) {
        Optional<Storage> found = find(scheme, JarBeside.loader(jar));
        if (found.isPresent()) {
          return found.get();
        }
        throw new FdtException(
            ErrorCode.INTERNAL, "'" + jar + "' has no storage for " + scheme + "://; replace it");
      }
    } catch (ServiceConfigurationError e) {
      throw new FdtException(
          ErrorCode.INTERNAL, "the storage for " + scheme + ":// cannot be loaded: " + e, e);
    }
    throw new FdtException(
        ErrorCode.USAGE,
        "'%s': no storage for %s:// is installed; put %s into '%s'"
            .formatted(path, scheme, name, jar == null ? "." : jar.getParent()));
  }

  private static Optional<Storage> find(String scheme, ClassLoader loader) {
    for (StorageProvider provider : ServiceLoader.load(StorageProvider.class, loader)) {
      if (provider.scheme().equals(scheme)) {
        return Optional.of(provider.storage());
      }
    }
    return Optional.empty();
  }
}
