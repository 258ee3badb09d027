package io.fdt.nio;

import io.fdt.nio.server.RemoteAttributes;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/** Attributes of one path, by type and by name. Any thread. */
final class RemoteAttributeView implements PosixFileAttributeView {
  private static final Map<String, Function<RemoteAttributes, Object>> BASIC =
      new LinkedHashMap<>();
  private static final Map<String, Function<RemoteAttributes, Object>> POSIX =
      new LinkedHashMap<>();

  private static final Map<String, Function<RemoteAttributes, Object>> OWNER =
      Map.of("owner", RemoteAttributes::owner);

  static {
    BASIC.put("size", RemoteAttributes::size);
    BASIC.put("creationTime", RemoteAttributes::creationTime);
    BASIC.put("lastAccessTime", RemoteAttributes::lastAccessTime);
    BASIC.put("lastModifiedTime", RemoteAttributes::lastModifiedTime);
    BASIC.put("isDirectory", RemoteAttributes::isDirectory);
    BASIC.put("isRegularFile", RemoteAttributes::isRegularFile);
    BASIC.put("isSymbolicLink", RemoteAttributes::isSymbolicLink);
    BASIC.put("isOther", RemoteAttributes::isOther);
    BASIC.put("fileKey", RemoteAttributes::fileKey);
    POSIX.putAll(BASIC);
    POSIX.put("owner", RemoteAttributes::owner);
    POSIX.put("group", RemoteAttributes::group);
    POSIX.put("permissions", RemoteAttributes::permissions);
  }

  private final FdtPath path;
  private final boolean follow;
  private final String name;

  /**
   * @param name basic, posix or owner
   */
  RemoteAttributeView(FdtPath path, boolean follow, String name) {
    this.path = path;
    this.follow = follow;
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  private Remote remote() {
    return path.getFileSystem().remote();
  }

  @Override
  public RemoteAttributes readAttributes() throws IOException {
    return new RemoteAttributes(remote().find(path, follow).file());
  }

  /**
   * Some attributes by name.
   *
   * @param attributes as {@code posix:size,owner}, or {@code *}
   */
  Map<String, Object> read(String attributes) throws IOException {
    int colon = attributes.indexOf(':');
    Map<String, Function<RemoteAttributes, Object>> known =
        known(colon < 0 ? "basic" : attributes.substring(0, colon));
    List<String> wanted = List.of(attributes.substring(colon + 1).split(","));
    Collection<String> names = wanted.contains("*") ? known.keySet() : wanted;
    for (String wantedName : names) {
      if (!known.containsKey(wantedName)) {
        throw new IllegalArgumentException("no attribute '" + wantedName + "' in " + attributes);
      }
    }
    RemoteAttributes all = readAttributes();
    Map<String, Object> values = new LinkedHashMap<>();
    for (String wantedName : names) {
      values.put(wantedName, known.get(wantedName).apply(all));
    }
    return values;
  }

  private static Map<String, Function<RemoteAttributes, Object>> known(String view) {
    return switch (view) {
      case "basic" -> BASIC;
      case "posix" -> POSIX;
      case "owner" -> OWNER;
      default ->
          throw new UnsupportedOperationException(
              "no attributes '" + view + "'; there are basic, posix and owner");
    };
  }

  /**
   * Sets one attribute by name.
   *
   * @throws ClassCastException the value has another type
   * @throws IllegalArgumentException unknown attribute
   */
  void set(String attribute, Object value) throws IOException {
    int colon = attribute.indexOf(':');
    Map<String, Function<RemoteAttributes, Object>> known =
        known(colon < 0 ? "basic" : attribute.substring(0, colon));
    if (!known.containsKey(attribute.substring(colon + 1))) {
      throw new IllegalArgumentException("no attribute '" + attribute + "'");
    }
    switch (attribute.substring(colon + 1)) {
      case "lastModifiedTime" -> setTimes((FileTime) value, null, null);
      case "lastAccessTime", "creationTime" -> {
        FileTime unused = (FileTime) value; // no server keeps it, as many file systems
      }
      case "permissions" -> setPermissions(permissions((Set<?>) value));
      default ->
          throw new UnsupportedOperationException(
              "'" + attribute + "' of a remote file cannot be set");
    }
  }

  private static Set<PosixFilePermission> permissions(Set<?> value) {
    return value.stream()
        .map(PosixFilePermission.class::cast)
        .collect(java.util.stream.Collectors.toSet());
  }

  /** {@inheritDoc} Only the modification time is set. */
  @Override
  public void setTimes(FileTime modified, FileTime accessed, FileTime created) throws IOException {
    if (modified != null) {
      remote()
          .change(
              existing(), Optional.of(RemoteAttributes.timestamp(modified)), OptionalInt.empty());
    }
  }

  @Override
  public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
    remote()
        .change(existing(), Optional.empty(), OptionalInt.of(RemoteAttributes.mode(permissions)));
  }

  private FdtPath existing() throws IOException {
    return follow ? remote().find(path, true).path() : path;
  }

  @Override
  public UserPrincipal getOwner() throws IOException {
    return readAttributes().owner();
  }

  @Override
  public void setOwner(UserPrincipal owner) {
    throw new UnsupportedOperationException("the owner of a remote file cannot be set");
  }

  @Override
  public void setGroup(GroupPrincipal group) {
    throw new UnsupportedOperationException("the group of a remote file cannot be set");
  }
}
