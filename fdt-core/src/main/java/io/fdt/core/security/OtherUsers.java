package io.fdt.core.security;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.AclEntry;
import java.nio.file.attribute.AclEntryPermission;
import java.nio.file.attribute.AclEntryType;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The rights of other users of this machine to a file, by its mode or, on Windows, by its access
 * list. Users who may write to Windows' own directory count as root does. Any thread.
 */
public final class OtherUsers {
  /** Whether the system has modes, and owners who may give files away. */
  static final boolean HAS_MODES =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private static final Set<AclEntryPermission> CHANGES =
      EnumSet.of(
          AclEntryPermission.WRITE_DATA,
          AclEntryPermission.APPEND_DATA,
          AclEntryPermission.DELETE,
          AclEntryPermission.DELETE_CHILD,
          AclEntryPermission.WRITE_ACL,
          AclEntryPermission.WRITE_OWNER);

  private OtherUsers() {}

  /** The mode of a new file or directory; without modes, an access list with its owner alone. */
  public static FileAttribute<?> allowing(String mode) throws IOException {
    if (HAS_MODES) {
      return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }
    List<AclEntry> owners =
        List.of(
            AclEntry.newBuilder()
                .setType(AclEntryType.ALLOW)
                .setPrincipal(thisUser())
                .setPermissions(EnumSet.allOf(AclEntryPermission.class))
                .build());
    return new FileAttribute<List<AclEntry>>() {
      @Override
      public String name() {
        return "acl:acl";
      }

      @Override
      public List<AclEntry> value() {
        return owners;
      }
    };
  }

  /** Gives a directory to its owner only. */
  public static void exclude(Path directory) throws IOException {
    FileAttribute<?> none = allowing("rwx------");
    Files.setAttribute(directory, none.name(), none.value());
  }

  /** Someone who may read or change a file, or "others"; empty for the owner alone. */
  public static Optional<String> whoMayUse(Path file) throws IOException {
    if (!HAS_MODES) {
      return whoMay(file, EnumSet.allOf(AclEntryPermission.class));
    }
    return others(file, permission -> !permission.name().startsWith("OWNER_"));
  }

  /** Someone who may change a file or a directory, or "others"; empty for the owner alone. */
  public static Optional<String> whoMayChange(Path file) throws IOException {
    if (!HAS_MODES) {
      return whoMay(file, CHANGES);
    }
    return others(
        file,
        permission ->
            permission == PosixFilePermission.GROUP_WRITE
                || permission == PosixFilePermission.OTHERS_WRITE);
  }

  /** The command that takes the rights of others to a file away. */
  public static String remedy(Path file, String mode) {
    return HAS_MODES
        ? "chmod " + mode + " " + file
        : "icacls \"%s\" /inheritance:r /grant:r \"%s:%sF\""
            .formatted(
                file, System.getProperty("user.name"), Files.isDirectory(file) ? "(OI)(CI)" : "");
  }

  private static Optional<String> others(Path file, Predicate<PosixFilePermission> matters)
      throws IOException {
    return Files.getPosixFilePermissions(file).stream().anyMatch(matters)
        ? Optional.of("others")
        : Optional.empty();
  }

  private static Optional<String> whoMay(Path file, Set<AclEntryPermission> rights)
      throws IOException {
    Set<UserPrincipal> trusted = new HashSet<>(systemUsers());
    trusted.add(thisUser());
    UserPrincipal owner = Files.getOwner(file);
    return trusted.contains(owner)
        ? first(accessList(file), rights, trusted)
        : Optional.of(owner.getName());
  }

  /** The first one in an access list who has one of these rights; everyone without a list. */
  static Optional<String> first(
      List<AclEntry> list, Set<AclEntryPermission> rights, Set<UserPrincipal> trusted) {
    if (list.isEmpty()) {
      return Optional.of("everyone");
    }
    return list.stream()
        .filter(entry -> entry.type() == AclEntryType.ALLOW)
        .filter(entry -> !Collections.disjoint(entry.permissions(), rights))
        .map(AclEntry::principal)
        .filter(one -> !trusted.contains(one))
        .map(UserPrincipal::getName)
        .findFirst();
  }

  private static List<AclEntry> accessList(Path file) throws IOException {
    AclFileAttributeView view = Files.getFileAttributeView(file, AclFileAttributeView.class);
    return view == null ? List.of() : view.getAcl();
  }

  /** Names of groups depend on the language of Windows; its own directory shows them. */
  private static Set<UserPrincipal> systemUsers() throws IOException {
    return accessList(Path.of(System.getenv("SystemRoot"))).stream()
        .filter(entry -> entry.permissions().contains(AclEntryPermission.WRITE_DATA))
        .map(AclEntry::principal)
        .collect(Collectors.toSet());
  }

  private static UserPrincipal thisUser() throws IOException {
    String domain = System.getenv("USERDOMAIN");
    String name = System.getProperty("user.name");
    return FileSystems.getDefault()
        .getUserPrincipalLookupService()
        .lookupPrincipalByName(domain == null ? name : domain + "\\" + name);
  }
}
